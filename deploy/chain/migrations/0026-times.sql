-- A time before the first year or after the year 9999 is one that clients cannot read: one row of it makes every query fail that finds it.
-- Fractions of the last microsecond of 9999 are rounded up to such a time.

-- All of the tables or none, and no wait that holds up collectors or ends in a deadlock with one.
SET LOCAL lock_timeout = '300ms';
DO $$
BEGIN
    LOOP
        BEGIN
            LOCK TABLE beacons.event, beacons.gap, beacons.coverage_span, beacons.track, beacons.status, beacons.health, beacons.location
            IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.3);
        END;
    END LOOP;
END $$;

ALTER TABLE beacons.event ADD CONSTRAINT event_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00' AND
    entered_at >= '0001-01-01 00:00:00+00' AND entered_at < '10000-01-01 00:00:00+00' AND
    last_heard_at >= '0001-01-01 00:00:00+00' AND last_heard_at < '10000-01-01 00:00:00+00' AND
    last_inside_at >= '0001-01-01 00:00:00+00' AND last_inside_at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.gap ADD CONSTRAINT gap_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.coverage_span ADD CONSTRAINT coverage_span_times CHECK (
    from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00' AND
    to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.track ADD CONSTRAINT track_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.status ADD CONSTRAINT status_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.health ADD CONSTRAINT health_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.location ADD CONSTRAINT location_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
