-- One beacon's presence in a store, as beacons.stay of the chain's database has it. {lake} is the lake's folder.
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
CREATE OR REPLACE VIEW stay AS
SELECT site, uuid, major, minor, entered_at, left_at, dwell_s, gateways
FROM read_parquet(getvariable('lake_files')['stay'], hive_partitioning = true);
