-- Ways of beacons from one zone of a region to another, by the UTC hour in which they entered the second. They are counted from the visits, as
-- beacons.flow of the chain's database counts them. {lake} is the lake's folder.
CREATE OR REPLACE TEMPORARY VIEW flow AS
WITH step AS (
    SELECT site, region, zone, unix_micros(entered_at) AS entered, lag(zone) OVER way AS from_zone,
        lag(coalesce(unix_micros(left_at), 9223372036854775807)) OVER way AS left_before
    FROM parquet.`{lake}/visit` WHERE zone IS NOT NULL
    WINDOW way AS (PARTITION BY site, region, uuid, major, minor ORDER BY entered_at, zone)
)
SELECT site, region, timestamp_seconds(entered div 3600000000 * 3600) AS hour, from_zone, zone AS to_zone, cast(count(*) AS int) AS visits
FROM step WHERE from_zone <> zone AND left_before >= entered - 1800000000
GROUP BY site, region, entered div 3600000000, from_zone, zone
