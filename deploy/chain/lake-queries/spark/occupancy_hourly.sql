-- A region of a store in one UTC hour, as beacons.occupancy_hourly of the chain's database told it when the day was exported. {lake} is the
-- lake's folder.
CREATE OR REPLACE TEMPORARY VIEW occupancy_hourly AS
SELECT site, region, hour, visits, beacons, mean_present, covered_share FROM parquet.`{lake}/occupancy_hour`
