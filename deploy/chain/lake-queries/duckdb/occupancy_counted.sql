-- occupancy_hourly, counted anew from the visits of the whole lake. Begin with this text to count by other rules. {lake} is the lake's folder.
--
-- Times are microseconds since 1970 here, so that no session's time zone matters. A visit counts from the moment on at which no earlier
-- visit of its beacon in this region covers it, so a beacon at several gateways is there once.
-- The files of the lake's tables as of now, by Delta Lake's log: those of each table's newest checkpoint and of later commits, without the removed ones.
SET VARIABLE lake_files = (
    WITH checkpoint AS (
        SELECT *, max(version) OVER (PARTITION BY name) AS newest
        FROM (
            SELECT parse_path(filename)[-3] AS name, split_part(parse_filename(filename), '.', 1) AS version, add.path AS path
            FROM read_parquet('{lake}/*/_delta_log/*.checkpoint.parquet', filename = true, union_by_name = true))
    ), later AS (
        SELECT name, l.add ->> 'path' AS added, l.remove ->> 'path' AS removed
        FROM (
            SELECT parse_path(filename)[-3] AS name, split_part(parse_filename(filename), '.', 1) AS version, add, remove
            FROM read_json('{lake}/*/_delta_log/*.json', columns = {'add': 'JSON', 'remove': 'JSON'}, format = 'newline_delimited', filename = true)) l
        JOIN (SELECT DISTINCT name, newest FROM checkpoint) USING (name) WHERE version >= newest
    )
    SELECT map_from_entries(list((name, files))) FROM (
        SELECT name, list('{lake}/' || name || '/' || path) AS files FROM (
            SELECT name, path FROM checkpoint WHERE version = newest UNION SELECT name, added FROM later
            EXCEPT SELECT name, removed FROM later)
        WHERE path IS NOT NULL GROUP BY name));
CREATE OR REPLACE VIEW occupancy_counted AS
WITH lasting AS (
    -- The lake ends with its last day. What is open then lasts until there.
    SELECT epoch_us(max(day)::timestamp) + 86400000000 AS until FROM read_parquet(getvariable('lake_files')['exported'])
), visit AS (
    SELECT site, region, hash(site, region, uuid, major, minor) AS beacon, epoch_us(entered_at) AS entered, coalesce(epoch_us(left_at), until) AS left_at
    FROM read_parquet(getvariable('lake_files')['visit'], hive_partitioning = true), lasting WHERE gateway <> 'site'
), piece AS (
    SELECT *, max(left_at) OVER (PARTITION BY beacon ORDER BY entered ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM visit
), own AS (
    SELECT site, region, beacon, greatest(entered, coalesce(before, entered)) AS entered, left_at, coalesce(entered <= before, false) AS goes_on
    FROM piece WHERE before IS NULL OR left_at > before
), present AS (
    -- A visit that goes on has been counted in its first hour.
    SELECT site, region, hour, beacon, hour > entered // 3600000000 OR NOT goes_on AS is_visit,
        greatest(entered, hour * 3600000000) AS from_us, least(left_at, (hour + 1) * 3600000000) AS to_us
    FROM (SELECT *, unnest(range(entered // 3600000000, left_at // 3600000000 + 1)) AS hour FROM own)
), heard AS (
    SELECT r.site, r.region, epoch_us(c.from_at) AS from_us, epoch_us(c.to_at) AS to_us, c.hears
    FROM (
        SELECT site, gateway, from_at, to_at, true AS hears FROM read_parquet(getvariable('lake_files')['coverage'], hive_partitioning = true)
        UNION ALL
        SELECT site, gateway, from_at, to_at, false FROM read_parquet(getvariable('lake_files')['deaf'], hive_partitioning = true)) c
    JOIN read_parquet(getvariable('lake_files')['region_gateway']) r USING (site, gateway)
    WHERE gateway <> 'site'
), hourly AS (
    SELECT site, region, hour, hears, greatest(from_us, hour * 3600000000) AS from_us, least(to_us, (hour + 1) * 3600000000) AS to_us
    FROM (SELECT *, unnest(range(from_us // 3600000000, (to_us - 1) // 3600000000 + 1)) AS hour FROM heard)
), covered AS (
    -- The times of an hour in which any gateway of the region could hear, each once.
    SELECT site, region, hour, greatest(from_us, coalesce(before, from_us)) AS from_us, to_us
    FROM (SELECT *, max(to_us) OVER (
            PARTITION BY site, region, hour ORDER BY from_us, to_us ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM hourly WHERE hears)
    WHERE before IS NULL OR to_us > before
), covered_hour AS (
    SELECT site, region, hour, sum(to_us - from_us)::bigint AS covered_us, list({'from_us': from_us, 'to_us': to_us}) AS pieces
    FROM covered GROUP BY ALL
), region_hour AS (
    SELECT DISTINCT site, region, hour FROM hourly
), present_hour AS (
    -- Presence counts where a gateway heard: all of it in an hour that is covered as a whole.
    SELECT site, region, hour, count(*) FILTER (WHERE is_visit) AS visits, count(DISTINCT beacon) AS beacons,
        sum(CASE WHEN covered_us = 3600000000 THEN to_us - from_us
            ELSE list_sum([greatest(0, least(to_us, one.to_us) - greatest(from_us, one.from_us)) FOR one IN pieces]) END)::bigint AS present_us
    FROM present LEFT JOIN covered_hour USING (site, region, hour) GROUP BY ALL
)
SELECT site, region, to_timestamp(hour * 3600) AS hour, coalesce(visits, 0)::integer AS visits, coalesce(beacons, 0)::integer AS beacons,
    CASE WHEN covered_us > 0 THEN coalesce(present_us, 0) / covered_us END AS mean_present, coalesce(covered_us, 0) / 3600000000 AS covered_share
FROM region_hour FULL JOIN present_hour USING (site, region, hour) LEFT JOIN covered_hour USING (site, region, hour), lasting
WHERE hour < until // 3600000000;
