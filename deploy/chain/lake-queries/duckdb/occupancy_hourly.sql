-- A region of a store in one UTC hour, as beacons.occupancy_hourly of the chain's database had it when the day was exported. {lake} is the
-- lake's folder. Of a month, DuckDB reads only the days of the month.
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
CREATE OR REPLACE VIEW occupancy_hourly AS
SELECT site, region, hour, visits, beacons, mean_present, covered_share
FROM read_parquet(getvariable('lake_files')['occupancy_hour'], hive_partitioning = true);
