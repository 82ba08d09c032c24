-- Collectors ask for a roll-up once a minute each. One that takes long is followed by a rest, so that counting takes a fifth of a core
-- at most, however many events come and however many collectors ask. The views are right meanwhile.

ALTER TABLE beacons.progress ADD COLUMN due_at timestamptz NOT NULL DEFAULT '-infinity';
COMMENT ON COLUMN beacons.progress.due_at IS 'When roll_up_when_due() does something again.';

CREATE FUNCTION beacons.roll_up_when_due() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted bigint;
BEGIN
    IF (SELECT due_at > now() FROM beacons.progress) THEN
        RETURN 0;
    END IF;
    counted := beacons.roll_up();
    -- A little less than the minute after which the same collector asks again.
    UPDATE beacons.progress SET due_at = greatest(
        due_at, clock_timestamp() + greatest(interval '50 seconds', 4 * (clock_timestamp() - now())));
    RETURN counted;
END $$;
COMMENT ON FUNCTION beacons.roll_up_when_due IS
    'roll_up(), unless the last one that was begun here ended less than 50 s ago, or less than four times ago what it took. Returns 0 then.';
REVOKE EXECUTE ON FUNCTION beacons.roll_up_when_due() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.roll_up_when_due() TO beacons_collector;
