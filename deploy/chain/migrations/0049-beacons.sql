-- Beacons: which beacons each gateway hears, how their batteries are, and which beacons a store should have.

CREATE TABLE beacons.register (
    site text NOT NULL,
    uuid text NOT NULL CHECK (uuid ~ '^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$'),
    major integer NOT NULL CHECK (major BETWEEN 0 AND 65535),
    minor integer NOT NULL CHECK (minor BETWEEN 0 AND 65535),
    asset text NOT NULL,
    since date NOT NULL,
    PRIMARY KEY (site, uuid, major, minor),
    CHECK (octet_length(site) <= 128)
);
CREATE INDEX register_identity ON beacons.register (uuid, major, minor);
COMMENT ON TABLE beacons.register IS
    'The beacons that each store should have: on what, and since when. The command register loads them from a file. Stores may use one identity each.';
COMMENT ON COLUMN beacons.register.site IS 'the store';
COMMENT ON COLUMN beacons.register.uuid IS 'the proximity UUID, upper case';
COMMENT ON COLUMN beacons.register.asset IS 'what carries the beacon';
COMMENT ON COLUMN beacons.register.since IS 'the UTC day from which the beacon is expected there';

-- A gateway publishes its list of beacons in pages, again every report interval.
CREATE TABLE beacons.beacon_page (
    site text NOT NULL,
    gateway text NOT NULL,
    page integer NOT NULL,
    pages integer NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    first_at timestamptz NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (site, gateway, page),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.beacon_page IS 'The newest list of beacons of each gateway, by page. The entries of the list stand in beacon_heard.';
COMMENT ON COLUMN beacons.beacon_page.at IS 'When the gateway wrote the page; the time of arrival where its clock is ahead.';
COMMENT ON COLUMN beacons.beacon_page.first_at IS 'The time of the first page with this number.';
COMMENT ON COLUMN beacons.beacon_page.digest IS 'Tells a repetition from another page.';

CREATE TABLE beacons.beacon_heard (
    site text NOT NULL,
    uuid text NOT NULL,
    major integer NOT NULL CHECK (major BETWEEN 0 AND 65535),
    minor integer NOT NULL CHECK (minor BETWEEN 0 AND 65535),
    gateway text NOT NULL,
    first_heard_at timestamptz NOT NULL,
    last_heard_at timestamptz NOT NULL,
    listed_at timestamptz NOT NULL,
    interval_ms double precision,
    rssi_dbm double precision,
    battery_percent double precision,
    battery_mv double precision,
    temperature_c double precision,
    telemetry_at timestamptz,
    format text,
    PRIMARY KEY (site, uuid, major, minor, gateway),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128)
) WITH (fillfactor = 70);
CREATE INDEX beacon_heard_identity ON beacons.beacon_heard (uuid, major, minor);
COMMENT ON TABLE beacons.beacon_heard IS
    'What each gateway told of each beacon, as of the newest list that has the beacon. The view beacon joins the gateways of a store.';
COMMENT ON COLUMN beacons.beacon_heard.listed_at IS 'The time of that list.';

CREATE TABLE beacons.battery_daily (
    site text NOT NULL,
    uuid text NOT NULL,
    major integer NOT NULL,
    minor integer NOT NULL,
    day date NOT NULL,
    readings integer NOT NULL,
    percent_readings integer NOT NULL,
    mv_readings integer NOT NULL,
    temperature_readings integer NOT NULL,
    battery_percent real,
    battery_percent_min real,
    battery_mv real,
    battery_mv_min real,
    temperature_c real,
    PRIMARY KEY (site, uuid, major, minor, day)
) WITH (fillfactor = 90);
COMMENT ON TABLE beacons.battery_daily IS 'The battery of a beacon by UTC day: the mean and the least of what the gateways of its store read.';
COMMENT ON COLUMN beacons.battery_daily.site IS 'the store';
COMMENT ON COLUMN beacons.battery_daily.uuid IS 'the proximity UUID, upper case';
COMMENT ON COLUMN beacons.battery_daily.major IS 'the beacon''s major';
COMMENT ON COLUMN beacons.battery_daily.minor IS 'the beacon''s minor';
COMMENT ON COLUMN beacons.battery_daily.day IS 'the UTC day of the readings';
COMMENT ON COLUMN beacons.battery_daily.readings IS 'how many readings the row is made from; each gateway counts';
COMMENT ON COLUMN beacons.battery_daily.percent_readings IS 'how many of them have a level in percent';
COMMENT ON COLUMN beacons.battery_daily.mv_readings IS 'how many of them have a voltage';
COMMENT ON COLUMN beacons.battery_daily.temperature_readings IS 'how many of them have a temperature';
COMMENT ON COLUMN beacons.battery_daily.battery_percent IS 'the mean in percent; null where the beacon tells none';
COMMENT ON COLUMN beacons.battery_daily.battery_percent_min IS 'the least';
COMMENT ON COLUMN beacons.battery_daily.battery_mv IS 'the mean in millivolts; null where the beacon tells none';
COMMENT ON COLUMN beacons.battery_daily.battery_mv_min IS 'the least';
COMMENT ON COLUMN beacons.battery_daily.temperature_c IS 'the mean temperature; null where the beacon tells none';

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
    FROM beacons.beacon_heard h) told
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
COMMENT ON COLUMN beacons.beacon.battery_percent IS 'the newest battery level that any gateway read; null where the beacon tells none';
COMMENT ON COLUMN beacons.beacon.battery_mv IS 'the newest voltage, likewise';
COMMENT ON COLUMN beacons.beacon.temperature_c IS 'the newest temperature, likewise';
COMMENT ON COLUMN beacons.beacon.telemetry_at IS 'when the newest of these was read; an older frame may have told the others';
COMMENT ON COLUMN beacons.beacon.format IS 'the format of the newest frame';
COMMENT ON COLUMN beacons.beacon.gateways IS 'how many gateways heard it in the day before it was last heard';

-- A list is complete when all its pages have come. A page that never comes must not make its beacons silent.
CREATE VIEW beacons.beacon_list AS
SELECT site, gateway, min(first_at) AS first_at, min(at) AS told_until
FROM (
    SELECT p.site, p.gateway, p.first_at, p.at, row_number() OVER (PARTITION BY p.site, p.gateway ORDER BY p.page) AS place,
        first_value(p.pages) OVER (PARTITION BY p.site, p.gateway ORDER BY p.at DESC, p.page DESC) AS pages
    FROM beacons.beacon_page p WHERE p.gateway <> 'site') told
WHERE place <= pages
GROUP BY site, gateway, pages HAVING count(*) >= pages;
COMMENT ON VIEW beacons.beacon_list IS
    'The gateways that list their beacons: since when, and up to when their lists are complete.';
COMMENT ON COLUMN beacons.beacon_list.site IS 'the store';
COMMENT ON COLUMN beacons.beacon_list.gateway IS 'the gateway';
COMMENT ON COLUMN beacons.beacon_list.first_at IS 'the time of its first list';
COMMENT ON COLUMN beacons.beacon_list.told_until IS 'the time of its newest complete list; later silence is not known yet';
