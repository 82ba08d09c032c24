-- Figures by hour and by day. The roll-up keeps them. They are few beside events, so these tables have no partitions.

CREATE TABLE beacons.occupancy_hour (
    site text NOT NULL,
    region text NOT NULL,
    hour timestamptz NOT NULL,
    visits integer NOT NULL,
    beacons integer NOT NULL,
    mean_present double precision,
    covered_share double precision NOT NULL,
    PRIMARY KEY (site, hour, region)
);
CREATE INDEX occupancy_hour_hour ON beacons.occupancy_hour (hour);
COMMENT ON TABLE beacons.occupancy_hour IS 'occupancy_hourly as the last roll-up found it. The view is what to ask.';

CREATE TABLE beacons.flow_hour (
    site text NOT NULL,
    region text NOT NULL,
    hour timestamptz NOT NULL,
    from_zone text NOT NULL,
    to_zone text NOT NULL,
    visits integer NOT NULL,
    PRIMARY KEY (site, hour, region, from_zone, to_zone)
);
CREATE INDEX flow_hour_hour ON beacons.flow_hour (hour);
COMMENT ON TABLE beacons.flow_hour IS 'flow as the last roll-up found it. The view is what to ask.';

-- The rows that a roll-up works on. They do not stand in temporary tables: those would be the caller's, with the caller's triggers, and
-- the function has its owner's rights.
CREATE UNLOGGED TABLE beacons.rolling_change (site text, beacon text, from_at timestamptz, to_at timestamptz);

CREATE UNLOGGED TABLE beacons.rolling_stay (site text, beacon text, cut timestamptz);

CREATE UNLOGGED TABLE beacons.rolling_hour (site text, from_hour timestamptz, to_hour timestamptz);
COMMENT ON TABLE beacons.rolling_change IS 'The changes that the last roll-up took.';
COMMENT ON TABLE beacons.rolling_stay IS 'The beacons whose stays it counted anew, and from when on.';
COMMENT ON TABLE beacons.rolling_hour IS 'The hours of stores that it counted anew.';

CREATE TABLE beacons.occupancy_day (
    site text NOT NULL,
    region text NOT NULL,
    day date NOT NULL,
    visits integer NOT NULL,
    beacons integer NOT NULL,
    mean_present double precision,
    peak_present integer NOT NULL,
    peak_at timestamptz,
    dwell_p25_s double precision,
    dwell_p50_s double precision,
    dwell_p75_s double precision,
    covered_share double precision NOT NULL,
    open_share double precision,
    visits_low integer,
    visits_high integer,
    PRIMARY KEY (site, day, region)
);
CREATE INDEX occupancy_day_day ON beacons.occupancy_day (day);
COMMENT ON TABLE beacons.occupancy_day IS 'occupancy_daily as the last count found it. The view is what to ask.';

CREATE TABLE beacons.zone_day (
    site text NOT NULL,
    region text NOT NULL,
    day date NOT NULL,
    zone text NOT NULL,
    visits integer NOT NULL,
    dwell_p50_s double precision,
    -- The other zones of the region on the day, and how many of the visits were in each of them.
    to_zones text[] NOT NULL,
    both_visits integer[] NOT NULL,
    PRIMARY KEY (site, day, region, zone)
);
CREATE INDEX zone_day_day ON beacons.zone_day (day);
COMMENT ON TABLE beacons.zone_day IS 'zone_daily and conversion as the last count found them. The views are what to ask.';

-- The days of stores that are to be counted. The view counts them when it is asked, roll_up_days() once they are over.
CREATE TABLE beacons.due_day (
    site text NOT NULL,
    day date NOT NULL,
    failed_at timestamptz,
    PRIMARY KEY (site, day)
);
COMMENT ON TABLE beacons.due_day IS 'Days of stores whose figures are to be counted anew.';

CREATE TABLE beacons.day_progress (
    due_at timestamptz NOT NULL
);
INSERT INTO beacons.day_progress VALUES ('-infinity');
COMMENT ON TABLE beacons.day_progress IS 'When the next collector that asks counts days.';

-- The rows between the functions that count the visits which deaf gateways missed.

CREATE TYPE beacons.deaf_time AS (
    region text,
    gateways text[],
    during tstzrange
);
COMMENT ON TYPE beacons.deaf_time IS 'A time in which exactly these of a region''s gateways were deaf.';

CREATE TYPE beacons.visit_piece AS (
    region text,
    beacon text,
    during tstzrange,
    gateways text[],
    -- The number of the stay of this beacon that the piece belongs to.
    stay bigint,
    silent_from timestamptz,
    silence interval,
    is_bridged boolean,
    exit_after interval
);
COMMENT ON TYPE beacons.visit_piece IS
    'A time in which gateways heard a beacon, and the silence before it. is_bridged: the gateways that heard it last were deaf in the silence, and '
    'reported the visit as one.';

CREATE TYPE beacons.region_stay AS (
    region text,
    beacon text,
    during tstzrange,
    gateways text[],
    dwell_s double precision,
    -- Neither its beginning nor its end lies at the edge of a deafness.
    is_whole boolean
);
COMMENT ON TYPE beacons.region_stay IS 'One beacon''s presence in a region: its pieces, joined over short and bridged silences.';

CREATE TYPE beacons.lone_part AS (
    region text,
    gateways text[],
    heard tstzmultirange,
    -- When its visits began, in seconds since 1970, in order.
    began double precision[],
    -- A hundred percentiles.
    dwells_s double precision[]
);
COMMENT ON TYPE beacons.lone_part IS 'The visits that only these gateways of a region would hear, and the time in which they were heard.';

CREATE TYPE beacons.hidden_piece AS (
    region text,
    gateways text[],
    during tstzrange,
    length_s double precision,
    -- The mean time of it in which a visit that begins then also ends then.
    hidden_s double precision
);
COMMENT ON TYPE beacons.hidden_piece IS 'A deafness in the opening time of a day.';

CREATE TYPE beacons.usual_hour AS (
    region text,
    clock time,
    visits double precision,
    days bigint,
    error double precision
);
COMMENT ON TYPE beacons.usual_hour IS
    'How many visits an hour of the store''s clock usually has, by so many days. error: the standard deviation from day to day, as a share.';
