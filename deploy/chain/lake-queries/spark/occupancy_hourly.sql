-- A region of a store in one UTC hour, as beacons.occupancy_hourly of the chain's database had it when the day was exported. {lake} is the
-- lake's folder.
CREATE OR REPLACE TEMPORARY VIEW occupancy_hourly AS
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
)
SELECT site, region, hour, visits, beacons, mean_present, covered_share FROM (SELECT * FROM parquet.`{lake}/occupancy_hour` WHERE _metadata.file_name IN (SELECT file FROM live))
