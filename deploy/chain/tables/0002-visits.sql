-- Visits, stays and coverage: what the messages report of beacons and gateways.

CREATE TABLE beacons.gateway (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site text NOT NULL,
    gateway text NOT NULL,
    -- The latest time of its events. For a later event there is no need to look at events that came out of order.
    newest_at timestamptz NOT NULL DEFAULT '-infinity',
    UNIQUE (site, gateway)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.gateway IS
    'Every gateway that was heard of. Its row is the lock under which its events are counted and paired.';

-- The table keeps ranges instead of rows: a gateway that loses no event has one range for 4096 events. A gateway that publishes every other
-- number makes many ranges. The blocks keep each row small even then.
CREATE TABLE beacons.number (
    gateway_id integer NOT NULL REFERENCES beacons.gateway,
    epoch text NOT NULL,
    block bigint NOT NULL,
    seqs int8multirange NOT NULL,
    PRIMARY KEY (gateway_id, epoch, block)
) WITH (fillfactor = 70);
COMMENT ON TABLE beacons.number IS 'The numbers of events that have come, as ranges, in blocks of 4096 numbers.';

CREATE TABLE beacons.visit_day (
    site text NOT NULL,
    gateway text NOT NULL,
    region text NOT NULL,
    uuid text,
    major integer,
    minor integer,
    zone text,
    entered_at timestamptz NOT NULL,
    -- Each visit here has ended. So a query for visits without an end reads no partition.
    left_at timestamptz CONSTRAINT visit_day_ended CHECK (left_at IS NOT NULL),
    dwell_s double precision,
    partial boolean NOT NULL DEFAULT false,
    inferred boolean NOT NULL DEFAULT false,
    exit_at timestamptz,
    -- True for an entry that lost its exit: a later visit of the same instance is known.
    superseded boolean NOT NULL DEFAULT false,
    beacon text NOT NULL GENERATED ALWAYS AS (
        coalesce(uuid, '') || '/' || coalesce(major::text, '') || '/' || coalesce(minor::text, '')) STORED
) PARTITION BY RANGE (entered_at);

CREATE TABLE beacons.visit_day_default PARTITION OF beacons.visit_day DEFAULT;
CREATE INDEX visit_day_site ON beacons.visit_day (site, entered_at);
CREATE INDEX visit_day_beacon ON beacons.visit_day (site, beacon, entered_at);

-- A query for the visits of an hour finds them by their beginning or by their end. By the beginning alone it would read a whole day.
CREATE INDEX visit_day_end ON beacons.visit_day (site, left_at);
COMMENT ON TABLE beacons.visit_day IS 'Visits that have ended and lasted a day at most, by the day of the entry.';

-- Long visits stand in a table of their own. So a query for the visits that touch an hour reads two days and this small table.
CREATE TABLE beacons.visit_long (LIKE beacons.visit_day INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS);
-- A zone has at least one octet.
CREATE INDEX visit_long_beacon ON beacons.visit_long (site, beacon, gateway, region, coalesce(zone, ''), entered_at);
COMMENT ON TABLE beacons.visit_long IS 'Visits that have not ended (left_at null), and those of more than a day.';

CREATE TABLE beacons.region_gateway (
    site text NOT NULL,
    region text NOT NULL,
    gateway text NOT NULL,
    PRIMARY KEY (site, region, gateway),
    CONSTRAINT region_gateway_names CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128)
);
COMMENT ON TABLE beacons.region_gateway IS 'Which gateways have ever reported a region: any of them can hear it.';

-- The figures that new rows have touched. Triggers only add rows here, so collectors do not wait for each other. roll_up() removes them.
CREATE TABLE beacons.changed (
    site text NOT NULL,
    beacon text,
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL
);
CREATE INDEX changed_site ON beacons.changed (site, beacon);
COMMENT ON TABLE beacons.changed IS
    'What has come since the last roll-up: figures of the site, and stays of the beacon, from from_at to to_at are counted anew.';

-- A gateway without a connection is silent, and the chain's broker has no will of it: only its store's broker has. So the newest status proves
-- nothing then. A gateway publishes its health once a minute. A gateway that published its health, and has been silent for three minutes, counts as
-- heard until its last message. Its spans of coverage report the rest when the connection is back.
CREATE TABLE beacons.last_word (
    site text NOT NULL,
    gateway text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (site, gateway)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.last_word IS 'When each gateway last published its health.';

CREATE TABLE beacons.stay_day (
    site text NOT NULL,
    beacon text NOT NULL,
    uuid text,
    major integer,
    minor integer,
    entered_at timestamptz NOT NULL,
    left_at timestamptz,
    dwell_s double precision,
    gateways text[] NOT NULL
) PARTITION BY RANGE (entered_at);

CREATE TABLE beacons.stay_day_default PARTITION OF beacons.stay_day DEFAULT;
CREATE INDEX stay_day_site ON beacons.stay_day (site, entered_at);
CREATE INDEX stay_day_beacon ON beacons.stay_day (site, beacon, entered_at);
COMMENT ON TABLE beacons.stay_day IS
    'Stays of a day at most, as the last roll-up found them, by the day of the entry. The view stay is what to ask.';

-- Long stays stand in a table of their own, as long visits do. A stay that a change may reach began a day before it at most, or stands here.
CREATE TABLE beacons.stay_long (LIKE beacons.stay_day);
CREATE INDEX stay_long_beacon ON beacons.stay_long (site, beacon, entered_at);
COMMENT ON TABLE beacons.stay_long IS 'Stays that have not ended, and those of more than a day, as the last roll-up found them.';
