-- One beacon's presence in a store, as beacons.stay of the chain's database tells it. {lake} is the lake's folder.
CREATE OR REPLACE TEMPORARY VIEW stay AS
SELECT site, uuid, major, minor, entered_at, left_at, dwell_s, gateways FROM parquet.`{lake}/stay`
