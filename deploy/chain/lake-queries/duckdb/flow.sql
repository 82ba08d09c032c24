-- Ways of beacons from one zone of a region to another, by the UTC hour in which they entered the second. They are counted from the visits, as
-- beacons.flow of the chain's database counts them. {lake} is the lake's folder.
CREATE OR REPLACE VIEW flow AS
WITH step AS (
    SELECT site, region, zone, epoch_us(entered_at) AS entered, lag(zone) OVER way AS from_zone,
        lag(coalesce(epoch_us(left_at), 9223372036854775807)) OVER way AS left_before
    FROM read_parquet('{lake}/visit/*/*.parquet', hive_partitioning = true) WHERE zone IS NOT NULL
    WINDOW way AS (PARTITION BY site, region, uuid, major, minor ORDER BY entered_at, zone)
)
SELECT site, region, to_timestamp(entered // 3600000000 * 3600) AS hour, from_zone, zone AS to_zone, count(*)::integer AS visits
FROM step WHERE from_zone <> zone AND left_before >= entered - 1800000000
GROUP BY ALL;
