-- Beacons and stores: what operators load, and what the lists of gateways report of beacons.

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
COMMENT ON COLUMN beacons.beacon_page.digest IS 'Distinguishes a repetition from another page.';

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
    'What each gateway reported of each beacon, as of the newest list that has the beacon. The view beacon joins the gateways of a store.';
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
COMMENT ON COLUMN beacons.battery_daily.battery_percent IS 'the mean in percent; null where the beacon reports none';
COMMENT ON COLUMN beacons.battery_daily.battery_percent_min IS 'the least';
COMMENT ON COLUMN beacons.battery_daily.battery_mv IS 'the mean in millivolts; null where the beacon reports none';
COMMENT ON COLUMN beacons.battery_daily.battery_mv_min IS 'the least';
COMMENT ON COLUMN beacons.battery_daily.temperature_c IS 'the mean temperature; null where the beacon reports none';

-- Gateways publish a span of coverage each hour. A beacon may be silent for a year, so the spans are joined by day as they come.
CREATE TABLE beacons.covered_day (
    site text NOT NULL,
    gateway text NOT NULL,
    day date NOT NULL,
    during tstzmultirange NOT NULL,
    PRIMARY KEY (site, gateway, day)
) WITH (fillfactor = 70);
COMMENT ON TABLE beacons.covered_day IS 'When a gateway could hear in a UTC day, from its spans of coverage.';

CREATE TABLE beacons.beacon_figure (
    site text PRIMARY KEY,
    silent integer,
    low integer,
    ending integer,
    strangers integer,
    counted_at timestamptz NOT NULL,
    CHECK (octet_length(site) <= 128)
) WITH (fillfactor = 70);
COMMENT ON TABLE beacons.beacon_figure IS
    'How many beacons of a store need help, as counted last. Collectors with --metrics count, each store in turn.';
COMMENT ON COLUMN beacons.beacon_figure.site IS 'the store';
COMMENT ON COLUMN beacons.beacon_figure.silent IS 'its rows in beacon_silent; null where counting took too long';
COMMENT ON COLUMN beacons.beacon_figure.low IS 'its beacons heard in the last 30 days whose battery is at 10 % or 2,400 mV, or below';
COMMENT ON COLUMN beacons.beacon_figure.ending IS 'its other beacons heard in the last 30 days whose battery has fewer than 30 days left';
COMMENT ON COLUMN beacons.beacon_figure.strangers IS 'its rows in beacon_stranger that were heard in the last day; 0 in a store without registered beacons';
COMMENT ON COLUMN beacons.beacon_figure.counted_at IS 'when that was counted';

-- A store without a row has UTC days and is always open.
CREATE TABLE beacons.store (
    site text PRIMARY KEY,
    name text NOT NULL,
    time_zone text NOT NULL,
    opening_hours text NOT NULL,
    latitude double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision CHECK (longitude BETWEEN -180 AND 180),
    carriers text NOT NULL DEFAULT 'carts' CHECK (carriers <> ''),
    since date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    CHECK (octet_length(site) BETWEEN 1 AND 128),
    CHECK ((latitude IS NULL) = (longitude IS NULL))
);
COMMENT ON TABLE beacons.store IS 'The stores of the chain. The command stores loads them from a file.';
COMMENT ON COLUMN beacons.store.site IS 'the store, as in topics';
COMMENT ON COLUMN beacons.store.name IS 'its name for readers';
COMMENT ON COLUMN beacons.store.time_zone IS 'the IANA name of its time zone, such as Europe/Berlin: its days begin at midnight there';
COMMENT ON COLUMN beacons.store.carriers IS 'what its beacons are on, for readers of reports: carts, phones, people';
COMMENT ON COLUMN beacons.store.since IS 'the UTC day on which its row was loaded first; a store of which nothing has come is not heard from then on';
COMMENT ON COLUMN beacons.store.opening_hours IS 'when it is open, in OpenStreetMap''s syntax; empty: always';

CREATE TABLE beacons.store_opening (
    site text NOT NULL REFERENCES beacons.store ON DELETE CASCADE,
    -- 1 for Monday to 7 for Sunday; 8 for a public holiday.
    weekday smallint NOT NULL CHECK (weekday BETWEEN 1 AND 8),
    opens interval NOT NULL,
    closes interval NOT NULL,
    PRIMARY KEY (site, weekday, opens),
    CHECK (opens >= interval '0' AND opens < interval '24 hours' AND closes > opens AND closes <= interval '48 hours')
);
COMMENT ON TABLE beacons.store_opening IS
    'opening_hours of each store by weekday, since midnight there; closes is above 24:00 where the store closes on the next day. '
    'A store without rows is always open, one without rows for a weekday is closed on it.';

-- Stores whose opening hours name public holidays (PH). For the others, holidays are days as any.
CREATE TABLE beacons.store_holidays (
    site text PRIMARY KEY REFERENCES beacons.store ON DELETE CASCADE
);
COMMENT ON TABLE beacons.store_holidays IS 'Stores whose opening_hours have a rule for public holidays (PH).';

CREATE TABLE beacons.holiday (
    site text NOT NULL,
    day date NOT NULL,
    PRIMARY KEY (day, site)
);
COMMENT ON TABLE beacons.holiday IS 'Public holidays, by the store''s own day; of all stores where site is empty.';
