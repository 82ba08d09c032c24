-- Ways of beacons from one zone of a region to another, by the UTC hour in which they entered the second. They are counted from the visits, as
-- beacons.flow of the chain's database counts them. {lake} is the lake's folder.
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
CREATE OR REPLACE VIEW flow AS
WITH step AS (
    SELECT site, region, zone, epoch_us(entered_at) AS entered, lag(zone) OVER way AS from_zone,
        lag(coalesce(epoch_us(left_at), 9223372036854775807)) OVER way AS left_before
    FROM read_parquet(getvariable('lake_files')['visit'], hive_partitioning = true) WHERE zone IS NOT NULL
    WINDOW way AS (PARTITION BY site, region, uuid, major, minor ORDER BY entered_at, zone)
)
SELECT site, region, to_timestamp(entered // 3600000000 * 3600) AS hour, from_zone, zone AS to_zone, count(*)::integer AS visits
FROM step WHERE from_zone <> zone AND left_before >= entered - 1800000000
GROUP BY ALL;
