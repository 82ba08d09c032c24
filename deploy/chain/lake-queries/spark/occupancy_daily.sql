-- A region of a store in one day of the store's own time zone, as beacons.occupancy_daily of the chain's database told it when the day was
-- exported. {lake} is the lake's folder.
CREATE OR REPLACE TEMPORARY VIEW occupancy_daily AS
SELECT site, region, day, visits, visits_low, visits_high, beacons, mean_present, peak_present, peak_at, dwell_p25_s, dwell_p50_s, dwell_p75_s,
    covered_share, open_share
FROM parquet.`{lake}/occupancy_day`
