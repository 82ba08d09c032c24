-- The messages of the gateways, as they came. Triggers and functions make everything else in this schema from these tables.
--
-- The times (`at`, `from_at`, …) are those of the gateways' own clocks. Only `received_at` is the collector's. The database refuses a row that
-- would break the queries or figures of others:
--
-- - The contract's names have 128 octets at most. An entry of an index may have 2,704.
-- - Clients cannot read a time before the year 1 or after the year 9999. One row with such a time makes every query fail that finds it.
--   PostgreSQL rounds fractions of the last microsecond of 9999 up to such a time.

CREATE TABLE beacons.event (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    type text NOT NULL CHECK (type IN ('enter', 'exit')),
    region text NOT NULL,
    uuid text,
    major integer,
    minor integer,
    zone text,
    rssi_dbm double precision,
    accuracy_m double precision,
    proximity text,
    entered_at timestamptz,
    last_heard_at timestamptz,
    last_inside_at timestamptz,
    dwell_s double precision,
    partial boolean DEFAULT false,
    inferred boolean DEFAULT false,
    latitude double precision,
    longitude double precision,
    payload jsonb,
    -- In UTC, because only there each day has the same length.
    marked boolean GENERATED ALWAYS AS (
        at AT TIME ZONE 'UTC' < received_at AT TIME ZONE 'UTC' - interval '400 days'
        OR at AT TIME ZONE 'UTC' > received_at AT TIME ZONE 'UTC' + interval '1 day') STORED,
    PRIMARY KEY (site, gateway, epoch, seq, at),
    CONSTRAINT event_names CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128 AND octet_length(zone) <= 128),
    CONSTRAINT event_times CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00' AND entered_at >= '0001-01-01 00:00:00+00' AND entered_at < '10000-01-01 00:00:00+00' AND last_heard_at >= '0001-01-01 00:00:00+00' AND last_heard_at < '10000-01-01 00:00:00+00' AND last_inside_at >= '0001-01-01 00:00:00+00' AND last_inside_at < '10000-01-01 00:00:00+00')
) PARTITION BY RANGE (at);
CREATE INDEX event_site_at ON beacons.event (site, at);
COMMENT ON TABLE beacons.event IS
    'Every entry into a region and every exit, once: the number (site, gateway, epoch, seq) is one event for ever.';
COMMENT ON COLUMN beacons.event.at IS 'When the crossing was decided, by the gateway''s clock, as published.';
COMMENT ON COLUMN beacons.event.received_at IS 'When the collector had it. Late is received_at - at.';
COMMENT ON COLUMN beacons.event.marked IS
    'The time can''t be true: more than 400 days before it was received, or more than a day after.';
COMMENT ON COLUMN beacons.event.payload IS 'The message as it came.';

CREATE TABLE beacons.gap (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    -- The word of the series: seq counts events, span coverage. The view kind has all of them.
    counts text NOT NULL DEFAULT 'seq',
    from_seq bigint NOT NULL,
    to_seq bigint NOT NULL CHECK (to_seq >= from_seq),
    at timestamptz,
    received_at timestamptz NOT NULL DEFAULT now(),
    cause text,
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, counts, from_seq, to_seq),
    CONSTRAINT gap_times CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00')
);
COMMENT ON TABLE beacons.gap IS
    'Numbers that a gateway says are lost for good, from_seq to to_seq, both included. Some of them may have come before.';

CREATE TABLE beacons.coverage_span (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    span bigint NOT NULL,
    from_at timestamptz NOT NULL,
    to_at timestamptz NOT NULL CHECK (to_at >= from_at),
    radio text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, span),
    CONSTRAINT coverage_span_times CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00' AND to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00')
);
CREATE INDEX coverage_span_to_at ON beacons.coverage_span (site, to_at);
CREATE INDEX coverage_span_newest ON beacons.coverage_span (site, gateway, to_at);
-- A span lasts an hour. The few longer ones are found without reading all spans of a store.
CREATE INDEX coverage_span_long ON beacons.coverage_span (site, to_at) WHERE to_at - from_at > interval '2 days';
COMMENT ON TABLE beacons.coverage_span IS
    'Spans in which a gateway''s radio was in one condition, as published. Only scanning and replay can hear.';

-- A surge is a time in which a gateway, or the store, held back unknown beacons: more came than [regions] max_newcomers_per_minute allows.
-- The visits of these beacons are missing from all figures. This table has the times and the numbers.
CREATE TABLE beacons.surge (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    surge bigint NOT NULL,
    from_at timestamptz NOT NULL CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00'),
    to_at timestamptz NOT NULL CHECK (to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'),
    region text NOT NULL,
    refused bigint NOT NULL CHECK (refused >= 1),
    identities bigint NOT NULL CHECK (identities >= 1),
    received_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, surge),
    CHECK (to_at >= from_at),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128)
);
CREATE INDEX surge_to_at ON beacons.surge (site, to_at);
COMMENT ON TABLE beacons.surge IS
    'Times in which a gateway (or the store, ''site'') held back beacons that it did not know, because too many came in a minute, as published. '
    'Visits of those beacons are missing from all figures.';
COMMENT ON COLUMN beacons.surge.surge IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.surge.refused IS 'entries that were held back';
COMMENT ON COLUMN beacons.surge.identities IS 'about how many different beacons they were';

CREATE TABLE beacons.status (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site text NOT NULL,
    gateway text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    epoch text,
    state text NOT NULL CHECK (state IN ('online', 'offline')),
    radio text NOT NULL,
    version text,
    payload jsonb,
    CONSTRAINT status_times CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00')
);

-- The broker sends a retained message again after every subscription.
CREATE UNIQUE INDEX status_once ON beacons.status (site, gateway, at, md5(coalesce(payload::text, state || radio)));
CREATE INDEX status_newest ON beacons.status (site, gateway, received_at DESC, id DESC);
COMMENT ON TABLE beacons.status IS
    'Every change of a gateway''s status. The newest one received counts: a will''s own time is that of its connection.';

CREATE TABLE beacons.health (
    site text NOT NULL,
    gateway text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb,
    PRIMARY KEY (site, gateway, at),
    CONSTRAINT health_times CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00')
) PARTITION BY RANGE (at);
COMMENT ON TABLE beacons.health IS 'Every gateway in figures, once a minute: the message as it came.';

CREATE TABLE beacons.location (
    site text NOT NULL,
    gateway text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    horizontal_accuracy_m double precision,
    altitude_m double precision,
    speed_m_s double precision,
    course_deg double precision,
    heading_deg double precision,
    PRIMARY KEY (site, gateway, at),
    CONSTRAINT location_times CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00')
) PARTITION BY RANGE (at);
COMMENT ON TABLE beacons.location IS 'Where a gateway was, one row a fix, from location and location/track.';

CREATE TABLE beacons.track (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    batch bigint NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    finished text,
    fixes integer NOT NULL,
    -- Distinguishes a repetition from another message under the same number. The fixes stand in location.
    digest text NOT NULL,
    PRIMARY KEY (site, gateway, epoch, batch),
    CONSTRAINT track_times CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00')
);
COMMENT ON TABLE beacons.track IS 'The batches of deferred fixes that have come; their fixes stand in location.';

CREATE TABLE beacons.rejected (
    received_at timestamptz NOT NULL DEFAULT now(),
    topic text,
    payload bytea,
    reason text
);
CREATE INDEX rejected_received_at ON beacons.rejected (received_at);
COMMENT ON TABLE beacons.rejected IS
    'What could not be read or contradicts what is there, with the reason. payload is cut at 64 KiB.';

CREATE TABLE beacons.daily (name text PRIMARY KEY);
COMMENT ON TABLE beacons.daily IS 'The tables that have a partition for each UTC day.';
INSERT INTO beacons.daily VALUES ('event'), ('health'), ('location'), ('visit_day'), ('stay_day');

-- A row without a partition of its own day stands in the default partition.
CREATE TABLE beacons.event_default PARTITION OF beacons.event DEFAULT;

CREATE TABLE beacons.health_default PARTITION OF beacons.health DEFAULT;

CREATE TABLE beacons.location_default PARTITION OF beacons.location DEFAULT;

-- How far retention and roll-up have come. The table has one row.
CREATE TABLE beacons.progress (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    kept_since timestamptz NOT NULL DEFAULT '-infinity',
    rolled_until timestamptz NOT NULL DEFAULT '-infinity',
    due_at timestamptz NOT NULL DEFAULT '-infinity',
    hours_given_up bigint NOT NULL DEFAULT 0
);
INSERT INTO beacons.progress DEFAULT VALUES;
COMMENT ON TABLE beacons.progress IS
    'kept_since: days before it were dropped. rolled_until: what roll_up() has counted in. hours_given_up: late hours that it has not counted anew.';
COMMENT ON COLUMN beacons.progress.due_at IS 'When roll_up_when_due() does something again.';

CREATE TABLE beacons.heat_sheet (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    sheet bigint NOT NULL,
    at timestamptz NOT NULL CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'),
    from_at timestamptz NOT NULL CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00'),
    to_at timestamptz NOT NULL CHECK (to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'),
    page integer NOT NULL,
    pages integer NOT NULL,
    cell_m double precision NOT NULL,
    omitted_cells bigint NOT NULL,
    omitted_s bigint,
    unplaced_s bigint,
    received_at timestamptz NOT NULL DEFAULT now(),
    digest text NOT NULL,
    PRIMARY KEY (site, gateway, epoch, sheet),
    CHECK (to_at >= from_at AND to_at <= from_at + interval '1 hour'),
    CHECK (page >= 0 AND page < pages),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128)
);
CREATE INDEX heat_sheet_from_at ON beacons.heat_sheet (site, from_at);
COMMENT ON TABLE beacons.heat_sheet IS
    'The sheets of heat maps that came, each once. Where no sheet covers a time, the store did not add it up. The cells are in beacons.heat.';
COMMENT ON COLUMN beacons.heat_sheet.sheet IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.heat_sheet.from_at IS 'the beginning of the time that the sheet covers: an hour, or a part of it';
COMMENT ON COLUMN beacons.heat_sheet.page IS 'the number of the sheet among those of this time, from 0 on';
COMMENT ON COLUMN beacons.heat_sheet.omitted_cells IS 'cells that too few beacons were in; on page 0 for all pages';
COMMENT ON COLUMN beacons.heat_sheet.omitted_s IS 'the seconds in those cells, and beyond a limit of the store; on page 0 for all pages; NULL where too few beacons spent them';
COMMENT ON COLUMN beacons.heat_sheet.unplaced_s IS 'the seconds of beacons without a position; on page 0 for all pages; NULL where too few beacons spent them';

CREATE TABLE beacons.heat (
    site text NOT NULL,
    hour timestamptz NOT NULL,
    floor integer NOT NULL,
    x_m double precision NOT NULL,
    y_m double precision NOT NULL,
    cell_m double precision NOT NULL,
    seconds double precision NOT NULL,
    beacons integer NOT NULL,
    PRIMARY KEY (site, hour, floor, x_m, y_m, cell_m),
    CHECK (octet_length(site) <= 128)
);
COMMENT ON TABLE beacons.heat IS
    'How long beacons were in each cell of a store''s floor plan, by UTC hour. Cells that fewer than [site] heat_minimum beacons were in are left out.';
COMMENT ON COLUMN beacons.heat.site IS 'the store';
COMMENT ON COLUMN beacons.heat.hour IS 'the beginning of the UTC hour';
COMMENT ON COLUMN beacons.heat.floor IS 'the floor of the cell';
COMMENT ON COLUMN beacons.heat.x_m IS 'the middle of the cell, metres from the plan''s origin along x';
COMMENT ON COLUMN beacons.heat.y_m IS 'the middle of the cell, metres from the plan''s origin along y';
COMMENT ON COLUMN beacons.heat.cell_m IS 'the side of the cell, metres';
COMMENT ON COLUMN beacons.heat.seconds IS 'the seconds of all beacons together; those of several sheets of the hour are added up';
COMMENT ON COLUMN beacons.heat.beacons IS 'different beacons; where the hour has several sheets for the cell, those of the sheet with the most';
