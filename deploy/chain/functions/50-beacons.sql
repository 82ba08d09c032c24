-- Beacons in a store, over all its gateways.

-- A gateway counts as one that heard the beacon lately if it did so in the day before the beacon was last heard. A gateway that heard the
-- beacon before it was moved says nothing about its place now.
CREATE VIEW beacons.beacon AS
SELECT site, uuid, major, minor, min(first_heard_at) AS first_heard_at, max(last_heard_at) AS last_heard_at,
    min(interval_ms) FILTER (WHERE is_late) AS interval_ms, max(rssi_dbm) FILTER (WHERE is_late) AS rssi_dbm,
    -- Each value is the newest one: a frame with the temperature alone says nothing of the battery.
    (array_agg(battery_percent ORDER BY telemetry_at DESC NULLS LAST) FILTER (WHERE battery_percent IS NOT NULL))[1] AS battery_percent,
    (array_agg(battery_mv ORDER BY telemetry_at DESC NULLS LAST) FILTER (WHERE battery_mv IS NOT NULL))[1] AS battery_mv,
    (array_agg(temperature_c ORDER BY telemetry_at DESC NULLS LAST) FILTER (WHERE temperature_c IS NOT NULL))[1] AS temperature_c,
    max(telemetry_at) AS telemetry_at,
    (array_agg(format ORDER BY telemetry_at DESC NULLS LAST))[1] AS format,
    (count(*) FILTER (WHERE is_late))::integer AS gateways
FROM (
    SELECT h.*, h.last_heard_at >= max(h.last_heard_at) OVER (PARTITION BY h.site, h.uuid, h.major, h.minor) - interval '24 hours' AS is_late
    FROM beacons.beacon_heard h) heard
GROUP BY site, uuid, major, minor;
COMMENT ON VIEW beacons.beacon IS
    'A beacon in a store, over all its gateways. A beacon that several stores have heard has a row for each.';
COMMENT ON COLUMN beacons.beacon.site IS 'the store';
COMMENT ON COLUMN beacons.beacon.uuid IS 'the proximity UUID, upper case';
COMMENT ON COLUMN beacons.beacon.major IS 'the beacon''s major';
COMMENT ON COLUMN beacons.beacon.minor IS 'the beacon''s minor';
COMMENT ON COLUMN beacons.beacon.first_heard_at IS 'when a gateway of the store first heard it';
COMMENT ON COLUMN beacons.beacon.last_heard_at IS 'when one last heard it; a report interval late at most';
COMMENT ON COLUMN beacons.beacon.interval_ms IS 'its advertising interval, the shortest that a gateway learned; null while none has';
COMMENT ON COLUMN beacons.beacon.rssi_dbm IS 'the median of its signal strength at the gateway that hears it best';
COMMENT ON COLUMN beacons.beacon.battery_percent IS 'the newest battery level that any gateway read; null where the beacon reports none';
COMMENT ON COLUMN beacons.beacon.battery_mv IS 'the newest voltage, likewise';
COMMENT ON COLUMN beacons.beacon.temperature_c IS 'the newest temperature, likewise';
COMMENT ON COLUMN beacons.beacon.telemetry_at IS 'when the newest of these was read; an older frame may have given the others';
COMMENT ON COLUMN beacons.beacon.format IS 'the format of the newest frame';
COMMENT ON COLUMN beacons.beacon.gateways IS 'how many gateways heard it in the day before it was last heard';

-- A list is complete when all its pages have come. A page that never comes must not make its beacons silent.
CREATE VIEW beacons.beacon_list AS
SELECT site, gateway, min(first_at) AS first_at, min(at) AS complete_until
FROM (
    SELECT p.site, p.gateway, p.first_at, p.at, row_number() OVER (PARTITION BY p.site, p.gateway ORDER BY p.page) AS place,
        first_value(p.pages) OVER (PARTITION BY p.site, p.gateway ORDER BY p.at DESC, p.page DESC) AS pages
    FROM beacons.beacon_page p WHERE p.gateway <> 'site') pages
WHERE place <= pages
GROUP BY site, gateway, pages HAVING count(*) >= pages;
COMMENT ON VIEW beacons.beacon_list IS
    'The gateways that list their beacons: since when, and up to when their lists are complete.';
COMMENT ON COLUMN beacons.beacon_list.site IS 'the store';
COMMENT ON COLUMN beacons.beacon_list.gateway IS 'the gateway';
COMMENT ON COLUMN beacons.beacon_list.first_at IS 'the time of its first list';
COMMENT ON COLUMN beacons.beacon_list.complete_until IS 'the time of its newest complete list; later silence is not known yet';
