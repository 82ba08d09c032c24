-- The messages of the gateways, as they came. Triggers and functions make everything else in this schema from these tables.
--
-- The times (`at`, `from_at`, …) are those of the gateways' own clocks. Only `received_at` is the collector's. The limits of names and
-- times stand in the file `limits`.

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
    PRIMARY KEY (site, gateway, epoch, seq, at)
) PARTITION BY RANGE (at);
CREATE INDEX event_site_at ON beacons.event (site, at);
COMMENT ON TABLE beacons.event IS
    'Every entry into a region and every exit, once: the number (site, gateway, epoch, seq) is one event for ever.';
COMMENT ON COLUMN beacons.event.at IS 'When the crossing was decided, by the gateway''s clock, as it was told.';
COMMENT ON COLUMN beacons.event.received_at IS 'When the collector had it. Late is received_at - at.';
COMMENT ON COLUMN beacons.event.marked IS
    'The time can''t be true: more than 400 days before it was received, or more than a day after.';
COMMENT ON COLUMN beacons.event.payload IS 'The message as it came.';

CREATE TABLE beacons.gap (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    -- The numbers count events (seq), spans of coverage (span), surges (surge), batches of fixes (batch).
    counts text NOT NULL DEFAULT 'seq' CHECK (counts IN ('seq', 'span', 'surge', 'batch')),
    from_seq bigint NOT NULL,
    to_seq bigint NOT NULL CHECK (to_seq >= from_seq),
    at timestamptz,
    received_at timestamptz NOT NULL DEFAULT now(),
    cause text,
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, counts, from_seq, to_seq)
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
    PRIMARY KEY (site, gateway, epoch, span)
);
CREATE INDEX coverage_span_to_at ON beacons.coverage_span (site, to_at);
COMMENT ON TABLE beacons.coverage_span IS
    'Spans in which a gateway''s radio was in one condition, as told. Only scanning and replay can hear.';

-- A surge is a time in which a gateway, or the store, held back unknown beacons: more came than [regions] max_newcomers_per_minute allows.
-- The visits of these beacons are missing from all figures. This table tells the times and the numbers.
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
    'Times in which a gateway (or the store, ''site'') held back beacons that it did not know, because too many came in a minute, as told. '
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
    payload jsonb
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
    PRIMARY KEY (site, gateway, at)
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
    PRIMARY KEY (site, gateway, at)
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
    -- Tells a repetition from another message under the same number. The fixes stand in location.
    digest text NOT NULL,
    PRIMARY KEY (site, gateway, epoch, batch)
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
