-- Rights of the roles. The roles cannot log in. The owner grants them to users who can: GRANT beacons_analyst TO alice.

GRANT USAGE ON SCHEMA beacons TO beacons_collector, beacons_analyst;
-- PostgreSQL gives PUBLIC the right to call each new function.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA beacons FROM PUBLIC;

-- A collector adds. It can neither read nor change what is there. The project's collector calls functions. Another one may use a plain
-- INSERT: triggers record numbers, visits and what is to be counted anew.
GRANT EXECUTE ON FUNCTION
    beacons.offered(), beacons.take(jsonb), beacons.reject(timestamptz[], text[], text[], bytea[], text[]),
    beacons.roll_up(), beacons.roll_up_when_due(), beacons.roll_up_days(), beacons.roll_up_days_when_due(), beacons.make_days_ahead(),
    beacons.hours_given_up(), beacons.count_beacons_when_due(), beacons.worst_beacon_figures(integer)
TO beacons_collector;
GRANT INSERT ON
    beacons.event, beacons.gap, beacons.coverage_span, beacons.surge, beacons.status, beacons.health, beacons.location, beacons.track,
    beacons.rejected
TO beacons_collector;

-- An analyst reads all tables and views. The views call functions that only read, with the rights of the user who asks.
GRANT SELECT ON ALL TABLES IN SCHEMA beacons TO beacons_analyst;
DO $$
DECLARE
    reader regprocedure;
BEGIN
    FOR reader IN SELECT oid FROM pg_proc WHERE pronamespace = 'beacons'::regnamespace AND provolatile <> 'v' AND NOT prosecdef ORDER BY 1 LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO beacons_analyst', reader);
    END LOOP;
END $$;
