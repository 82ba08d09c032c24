-- A collector of somebody's own may add what was told by a plain INSERT: numbers, visits and what is to be counted anew are noted by triggers.
-- It still reads nothing, and changes nothing.

GRANT INSERT ON beacons.event, beacons.gap, beacons.coverage_span, beacons.status, beacons.health, beacons.location, beacons.track
TO beacons_collector;
