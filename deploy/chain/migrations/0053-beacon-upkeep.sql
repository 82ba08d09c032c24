-- Upkeep of the beacons' tables: retention, and the rights of the roles.

-- Tables whose rows are deleted by a day or a time of their own. A later file adds its tables here.
CREATE TABLE beacons.dated (
    name name PRIMARY KEY,
    day name NOT NULL
);
COMMENT ON TABLE beacons.dated IS 'Tables without partitions that retention deletes from, each by one column: a UTC day or a time.';
COMMENT ON COLUMN beacons.dated.day IS 'the column';
INSERT INTO beacons.dated VALUES
    ('occupancy_hour', 'hour'), ('flow_hour', 'hour'), ('coverage_span', 'to_at'), ('surge', 'to_at'), ('track', 'at'), ('rejected', 'received_at'),
    ('used', 'day'), ('covered_day', 'day'), ('battery_daily', 'day');

-- Deletes the rows before a day that have no partition of their own day. Numbers stay: they say that a number is one event for ever. A beacon
-- that no gateway has heard since that day, or for a year, is forgotten, because it may be a person's. The row of a registered beacon stays: it
-- says when the store last heard it.
CREATE OR REPLACE FUNCTION beacons.forget_before(day date) RETURNS void LANGUAGE plpgsql
-- A day compared with a time is its beginning in UTC.
SET timezone = 'UTC' AS $$
DECLARE
    before timestamptz := day::timestamp AT TIME ZONE 'UTC';
    daily text;
    one record;
BEGIN
    FOR daily IN SELECT name FROM beacons.daily LOOP
        EXECUTE format('DELETE FROM beacons.%I WHERE %I < $1', daily || '_default', beacons.partition_column(daily)) USING before;
    END LOOP;
    FOR one IN SELECT d.name, d.day AS own FROM beacons.dated d LOOP
        EXECUTE format('DELETE FROM beacons.%I WHERE %I < $1', one.name, one.own) USING before;
    END LOOP;
    DELETE FROM beacons.visit_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.stay_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.beacon_heard h WHERE last_heard_at < greatest(before, now() - interval '1 year') AND NOT EXISTS (
        SELECT FROM beacons.register r WHERE (r.uuid, r.major, r.minor, r.site) = (h.uuid, h.major, h.minor, h.site));
    DELETE FROM beacons.beacon_page WHERE received_at < now() - interval '1 year';
    -- The newest one says what is so now, however old it is.
    DELETE FROM beacons.status s WHERE received_at < before AND EXISTS (
        SELECT FROM beacons.status n WHERE n.site = s.site AND n.gateway = s.gateway AND (n.received_at, n.id) > (s.received_at, s.id));
END $$;

GRANT SELECT ON
    beacons.dated, beacons.register, beacons.beacon_page, beacons.beacon_heard, beacons.battery_daily, beacons.covered_day, beacons.beacon, beacons.beacon_list,
    beacons.beacon_silent, beacons.beacon_stranger, beacons.beacon_battery
TO beacons_analyst;
GRANT EXECUTE ON FUNCTION
    beacons.silent_of(text), beacons.silent_after(), beacons.gone_after(), beacons.hearer_for(), beacons.lowest_percent(), beacons.lowest_mv(),
    beacons.slope_days(), beacons.fewest_days(), beacons.longest_left(), beacons.days_until(date[], double precision[], double precision)
TO beacons_analyst;
