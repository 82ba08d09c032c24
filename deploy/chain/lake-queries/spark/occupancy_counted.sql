-- occupancy_hourly, counted anew from the visits of the whole lake. Begin with this text to count by other rules. {lake} is the lake's folder.
--
-- Times are microseconds since 1970 here, so that no session's time zone matters. A visit counts from the moment on at which no earlier
-- visit of its beacon in this region covers it, so a beacon at several gateways is there once.
CREATE OR REPLACE TEMPORARY VIEW occupancy_counted AS
WITH checkpoint AS (
    -- The files of the lake's tables as of now, by Delta Lake's log: those of each table's newest checkpoint and of later commits, without the removed ones.
    SELECT *, max(version) OVER (PARTITION BY name) AS newest FROM (
        SELECT regexp_extract(_metadata.file_path, '([^/]+)/_delta_log/', 1) AS name, substring_index(_metadata.file_name, '.', 1) AS version, add.path AS path
        FROM parquet.`{lake}/*/_delta_log/*.checkpoint.parquet`)
), later AS (
    SELECT get_json_object(l.value, '$.add.path') AS added, get_json_object(l.value, '$.remove.path') AS removed FROM (
        SELECT regexp_extract(_metadata.file_path, '([^/]+)/_delta_log/', 1) AS name, substring_index(_metadata.file_name, '.', 1) AS version, value
        FROM text.`{lake}/*/_delta_log/*.json`) l
    JOIN (SELECT DISTINCT name, newest FROM checkpoint) c ON c.name = l.name AND l.version >= c.newest
), live AS (
    SELECT substring_index(path, '/', -1) AS file FROM (
        SELECT path FROM checkpoint WHERE version = newest UNION SELECT added FROM later EXCEPT SELECT removed FROM later) WHERE path IS NOT NULL
), visit AS (
    -- The lake ends with its last day. What is open then lasts until there.
    SELECT site, region, concat(coalesce(uuid, ''), '/', coalesce(cast(major AS string), ''), '/', coalesce(cast(minor AS string), '')) AS beacon,
        unix_micros(entered_at) AS entered, coalesce(unix_micros(left_at), until) AS left_at
    FROM (SELECT * FROM parquet.`{lake}/visit` WHERE _metadata.file_name IN (SELECT file FROM live))
    CROSS JOIN (SELECT (unix_date(max(day)) + 1) * 86400000000 AS until FROM (SELECT * FROM parquet.`{lake}/exported` WHERE _metadata.file_name IN (SELECT file FROM live)))
    WHERE gateway <> 'site'
), piece AS (
    SELECT site, region, beacon, entered, left_at, max(left_at) OVER (
        PARTITION BY site, region, beacon ORDER BY entered, left_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM visit
), own AS (
    SELECT site, region, beacon, greatest(entered, before) AS entered, left_at, coalesce(entered <= before, false) AS goes_on
    FROM piece WHERE before IS NULL OR left_at > before
), present AS (
    -- A visit that goes on has been counted in its first hour.
    SELECT site, region, hour, beacon, hour > entered div 3600000000 OR NOT goes_on AS is_visit,
        greatest(entered, hour * 3600000000) AS from_us, least(left_at, (hour + 1) * 3600000000) AS to_us
    FROM own LATERAL VIEW explode(sequence(entered div 3600000000, left_at div 3600000000)) h AS hour
), heard AS (
    SELECT r.site, r.region, unix_micros(c.from_at) AS from_us, unix_micros(c.to_at) AS to_us, c.hears
    FROM (
        SELECT site, gateway, from_at, to_at, true AS hears FROM (SELECT * FROM parquet.`{lake}/coverage` WHERE _metadata.file_name IN (SELECT file FROM live))
        UNION ALL
        SELECT site, gateway, from_at, to_at, false AS hears FROM (SELECT * FROM parquet.`{lake}/deaf` WHERE _metadata.file_name IN (SELECT file FROM live))) c
    JOIN (SELECT * FROM parquet.`{lake}/region_gateway` WHERE _metadata.file_name IN (SELECT file FROM live)) r ON r.site = c.site AND r.gateway = c.gateway
    WHERE c.gateway <> 'site'
), hourly AS (
    SELECT site, region, hour, hears, greatest(from_us, hour * 3600000000) AS from_us, least(to_us, (hour + 1) * 3600000000) AS to_us
    FROM heard LATERAL VIEW explode(sequence(from_us div 3600000000, (to_us - 1) div 3600000000)) h AS hour
), covered AS (
    -- The times of an hour in which any gateway of the region could hear, each once.
    SELECT site, region, hour, greatest(from_us, before) AS from_us, to_us
    FROM (SELECT *, max(to_us) OVER (
            PARTITION BY site, region, hour ORDER BY from_us, to_us ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM hourly WHERE hears)
    WHERE before IS NULL OR to_us > before
), covered_hour AS (
    SELECT site, region, hour, sum(to_us - from_us) AS covered_us FROM covered GROUP BY site, region, hour
), region_hour AS (
    SELECT DISTINCT site, region, hour FROM hourly
), present_hour AS (
    SELECT site, region, hour, count(*) FILTER (WHERE is_visit) AS visits, count(DISTINCT beacon) AS beacons, sum(to_us - from_us) AS present_us
    FROM present GROUP BY site, region, hour
), partly AS (
    -- Only in hours that are covered in part, some of the presence was not heard.
    SELECT c.site, c.region, c.hour, sum(greatest(0, least(p.to_us, c.to_us) - greatest(p.from_us, c.from_us))) AS present_us
    FROM covered c JOIN covered_hour h ON h.site = c.site AND h.region = c.region AND h.hour = c.hour AND h.covered_us < 3600000000
    JOIN present p ON p.site = c.site AND p.region = c.region AND p.hour = c.hour
    GROUP BY c.site, c.region, c.hour
)
SELECT site, region, timestamp_seconds(hour * 3600) AS hour, cast(coalesce(p.visits, 0) AS int) AS visits, cast(coalesce(p.beacons, 0) AS int) AS beacons,
    CASE WHEN c.covered_us > 0 THEN coalesce(CASE WHEN c.covered_us < 3600000000 THEN q.present_us ELSE p.present_us END, 0) / c.covered_us END AS mean_present,
    coalesce(c.covered_us, 0) / 3600000000 AS covered_share
FROM region_hour FULL JOIN present_hour p USING (site, region, hour) LEFT JOIN covered_hour c USING (site, region, hour)
LEFT JOIN partly q USING (site, region, hour)
WHERE hour * 3600000000 < (SELECT (unix_date(max(day)) + 1) * 86400000000 FROM (SELECT * FROM parquet.`{lake}/exported` WHERE _metadata.file_name IN (SELECT file FROM live)))
