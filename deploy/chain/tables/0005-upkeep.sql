-- Upkeep: what a store may cost in a day, what retention deletes, and what other readers ask for.

CREATE TABLE beacons.budget (
    site text NOT NULL,
    kind text NOT NULL,
    messages_a_day bigint CHECK (messages_a_day >= 0),
    octets_a_day bigint CHECK (octets_a_day >= 0),
    rows_a_day bigint CHECK (rows_a_day >= 0),
    rows_a_message bigint CHECK (rows_a_message >= 0),
    rows_in_all bigint CHECK (rows_in_all >= 0),
    PRIMARY KEY (site, kind)
);
COMMENT ON TABLE beacons.budget IS
    'What a store may cost: in a UTC day, and in all. The site '''' is each store that has no row of its own. Null is no limit.';
COMMENT ON COLUMN beacons.budget.kind IS
    'told (events and all else that is kept), health, rejected: messages. hours: what counting late hours costs. '
    'gateways, regions (of each gateway), pages (of lists of beacons), heard (beacons of each gateway): rows that stay.';
COMMENT ON COLUMN beacons.budget.rows_a_day IS 'rows that the messages make: each fix of a track and each cell of a sheet is one';
COMMENT ON COLUMN beacons.budget.rows_a_message IS 'rows that a message of the kind told adds to what is free, up to rows_a_day';
COMMENT ON COLUMN beacons.budget.rows_in_all IS 'rows that a table may have';
INSERT INTO beacons.budget (site, kind, messages_a_day, octets_a_day, rows_a_day, rows_in_all) VALUES
    -- A store with 64 gateways, each of which publishes an event every ten seconds for twelve hours, has 276,000 of them.
    ('', 'told', 1000000, 1073741824, 5000000, NULL), ('', 'health', 200000, 268435456, NULL, NULL), ('', 'rejected', 10000, 16777216, NULL, NULL),
    ('', 'gateways', NULL, NULL, NULL, 1000), ('', 'regions', NULL, NULL, NULL, 5000), ('', 'pages', NULL, NULL, NULL, 10000),
    ('', 'heard', NULL, NULL, NULL, 100000);
INSERT INTO beacons.budget (site, kind, rows_a_day, rows_a_message) VALUES ('', 'hours', 20000000, 40);

-- Each collector's connection counts in a row of its own, so no connection waits for another.
CREATE TABLE beacons.used (
    site text NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    process integer NOT NULL,
    messages bigint NOT NULL,
    octets bigint NOT NULL,
    rows bigint NOT NULL,
    given_up bigint NOT NULL,
    PRIMARY KEY (site, day, kind, process)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.used IS 'What each store has cost by UTC day of arrival, as each collector''s connection counted it. The view budget_daily adds it up.';

-- Tables whose rows are deleted by a day or a time of their own. A later file adds its tables here.
CREATE TABLE beacons.dated (
    name name PRIMARY KEY,
    day name NOT NULL
);
COMMENT ON TABLE beacons.dated IS 'Tables without partitions that retention deletes from, each by one column: a UTC day or a time.';
COMMENT ON COLUMN beacons.dated.day IS 'the column';
INSERT INTO beacons.dated VALUES
    ('battery_daily', 'day'), ('coverage_span', 'to_at'), ('covered_day', 'day'), ('days_changed', 'to_day'), ('due_day', 'day'), ('flow_hour', 'hour'),
    ('heat', 'hour'), ('heat_sheet', 'to_at'), ('occupancy_day', 'day'), ('occupancy_hour', 'hour'), ('rejected', 'received_at'), ('surge', 'to_at'),
    ('track', 'at'), ('used', 'day'), ('zone_day', 'day');

-- A publication for change data capture. Its tables have what was published, and what operators loaded. Figures are left out: each
-- roll-up counts hours anew, and a reader can count them itself.
--
-- A partition that retention drops is no change for readers. The server needs wal_level = logical for a reader; without it, the publication
-- costs nothing.
CREATE PUBLICATION beacons FOR TABLE
    beacons.event, beacons.gap, beacons.coverage_span, beacons.surge, beacons.status, beacons.location, beacons.track, beacons.register, beacons.store
WITH (publish_via_partition_root = true);
COMMENT ON PUBLICATION beacons IS 'What gateways published, and the stores and beacons that operators loaded, for change data capture.';

-- One message may touch all days of a year, so a row has the first and the last of days that follow each other.
CREATE TABLE beacons.days_changed (
    kind text NOT NULL CHECK (kind IN ('event', 'visit', 'stay', 'hour', 'day', 'coverage')),
    from_day date NOT NULL,
    to_day date NOT NULL CHECK (to_day >= from_day),
    changed_by xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX days_changed_by ON beacons.days_changed (changed_by);
COMMENT ON TABLE beacons.days_changed IS 'Days before today that changed. The view day_changed has each of them.';
