-- Rights of the roles. The roles cannot log in. The owner grants them to users who can: GRANT beacons_analyst TO alice.

GRANT USAGE ON SCHEMA beacons TO beacons_collector, beacons_analyst;
-- PostgreSQL gives PUBLIC the right to call each new function. A later file takes it away for its own functions.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA beacons FROM PUBLIC;

-- A collector adds. It can neither read nor change what is there. The project's collector calls functions. Another one may use a plain
-- INSERT: triggers note numbers, visits and what is to be counted anew.
GRANT EXECUTE ON FUNCTION
    beacons.take(jsonb), beacons.reject(timestamptz[], text[], text[], bytea[], text[]),
    beacons.roll_up(), beacons.roll_up_when_due(), beacons.make_days_ahead()
TO beacons_collector;
GRANT INSERT ON
    beacons.event, beacons.gap, beacons.coverage_span, beacons.surge, beacons.status, beacons.health, beacons.location, beacons.track,
    beacons.rejected
TO beacons_collector;

-- An analyst reads all tables and views. The views call these functions with the rights of the user who asks.
GRANT SELECT ON ALL TABLES IN SCHEMA beacons TO beacons_analyst;
GRANT EXECUTE ON FUNCTION
    beacons.hour_of(timestamptz), beacons.seconds(tstzmultirange), beacons.hears(text), beacons.beacon_of(text, integer, integer),
    beacons.flow_patience(), beacons.stay_patience(), beacons.silence_patience(), beacons.visits_touching(text, timestamptz, timestamptz),
    beacons.hearing(text, timestamptz, timestamptz), beacons.occupancy_of(text, timestamptz, timestamptz),
    beacons.flow_of(text, timestamptz, timestamptz), beacons.due_range(timestamptz, timestamptz),
    beacons.stay_cut(text, text, timestamptz), beacons.stays_since(text, text[], timestamptz[])
TO beacons_analyst;
