-- A region of a store in one UTC hour, as beacons.occupancy_hourly of the chain's database told it when the day was exported. {lake} is the
-- lake's folder. Of a month, DuckDB reads only the days of the month.
CREATE OR REPLACE VIEW occupancy_hourly AS
SELECT site, region, hour, visits, beacons, mean_present, covered_share
FROM read_parquet('{lake}/occupancy_hour/*/*.parquet', hive_partitioning = true);
