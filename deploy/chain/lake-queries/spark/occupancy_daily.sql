-- A region of a store in one day of the store's own time zone, as beacons.occupancy_daily of the chain's database had it when the day was
-- exported. {lake} is the lake's folder.
CREATE OR REPLACE TEMPORARY VIEW occupancy_daily AS
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
SELECT site, region, day, visits, visits_low, visits_high, beacons, mean_present, peak_present, peak_at, dwell_p25_s, dwell_p50_s, dwell_p75_s,
    covered_share, open_share
FROM (SELECT * FROM parquet.`{lake}/occupancy_day` WHERE _metadata.file_name IN (SELECT file FROM live))
