-- Ways of beacons from one zone of a region to another, by the UTC hour in which they entered the second. They are counted from the visits, as
-- beacons.flow of the chain's database counts them. {lake} is the lake's folder.
CREATE OR REPLACE TEMPORARY VIEW flow AS
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
), step AS (
    SELECT site, region, zone, unix_micros(entered_at) AS entered, lag(zone) OVER way AS from_zone,
        lag(coalesce(unix_micros(left_at), 9223372036854775807)) OVER way AS left_before
    FROM (SELECT * FROM parquet.`{lake}/visit` WHERE _metadata.file_name IN (SELECT file FROM live)) WHERE zone IS NOT NULL
    WINDOW way AS (PARTITION BY site, region, uuid, major, minor ORDER BY entered_at, zone)
)
SELECT site, region, timestamp_seconds(entered div 3600000000 * 3600) AS hour, from_zone, zone AS to_zone, cast(count(*) AS int) AS visits
FROM step WHERE from_zone <> zone AND left_before >= entered - 1800000000
GROUP BY site, region, entered div 3600000000, from_zone, zone
