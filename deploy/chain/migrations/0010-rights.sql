-- Who may do what. The roles can't log in: they are given to those who can, GRANT beacons_analyst TO somebody.

GRANT USAGE ON SCHEMA beacons TO beacons_collector, beacons_analyst;
-- Collectors add, and can neither read nor change what is there.
GRANT INSERT ON beacons.rejected TO beacons_collector;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA beacons FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.take(jsonb), beacons.roll_up() TO beacons_collector;

GRANT SELECT ON ALL TABLES IN SCHEMA beacons TO beacons_analyst;
-- What the views are made of.
GRANT EXECUTE ON FUNCTION
    beacons.hour_of(timestamptz), beacons.seconds(tstzmultirange), beacons.hears(text), beacons.beacon_of(text, integer, integer),
    beacons.flow_patience(), beacons.stay_patience(), beacons.visits_touching(text, timestamptz, timestamptz),
    beacons.hearing(text, timestamptz, timestamptz), beacons.occupancy_of(text, timestamptz, timestamptz),
    beacons.flow_of(text, timestamptz, timestamptz), beacons.due_range(timestamptz, timestamptz),
    beacons.stay_cut(text, text, timestamptz), beacons.stays_since(text, text[], timestamptz[])
TO beacons_analyst;
