-- What the columns mean, for who asks with psql: \d+ shows it.

COMMENT ON COLUMN beacons.visit.gateway IS 'who saw it; ''site'' for what beacond site says of the whole store';
COMMENT ON COLUMN beacons.visit.zone IS 'null for a visit to the region';
COMMENT ON COLUMN beacons.visit.entered_at IS 'when it came, by the gateway''s clock';
COMMENT ON COLUMN beacons.visit.left_at IS 'when it was last heard; null while it is inside';
COMMENT ON COLUMN beacons.visit.dwell_s IS 'seconds from entered_at to left_at, as the gateway told them';
COMMENT ON COLUMN beacons.visit.partial IS 'it lasted longer than is known';
COMMENT ON COLUMN beacons.visit.inferred IS 'it left while the agent was not running';
COMMENT ON COLUMN beacons.stay.entered_at IS 'when the first of its gateways heard it';
COMMENT ON COLUMN beacons.stay.left_at IS 'when the last of them last heard it; null while it is there';
COMMENT ON COLUMN beacons.stay.dwell_s IS 'seconds in between';
COMMENT ON COLUMN beacons.stay.gateways IS 'those that heard it, without ''site''';
COMMENT ON COLUMN beacons.occupancy_hourly.hour IS 'its beginning, UTC';
COMMENT ON COLUMN beacons.occupancy_hourly.visits IS 'visits that touch the hour; what several gateways hear at once is one';
COMMENT ON COLUMN beacons.occupancy_hourly.beacons IS 'beacons that were there';
COMMENT ON COLUMN beacons.occupancy_hourly.mean_present IS 'beacons there on average, over the time that could be heard; null where none could';
COMMENT ON COLUMN beacons.occupancy_hourly.covered_share IS 'the part of the hour, 0 to 1, in which any gateway of the region could hear, ''site'' left out';
COMMENT ON COLUMN beacons.flow.hour IS 'the UTC hour in which the second zone was entered';
COMMENT ON COLUMN beacons.flow.from_zone IS 'the zone that was left';
COMMENT ON COLUMN beacons.flow.to_zone IS 'the zone that was entered';
COMMENT ON COLUMN beacons.flow.visits IS 'how often';
COMMENT ON COLUMN beacons.coverage.from_at IS 'since when the gateway could hear';
COMMENT ON COLUMN beacons.coverage.to_at IS 'until when; null while it lasts';
COMMENT ON COLUMN beacons.missing.epoch IS 'the life of the gateway''s numbers';
COMMENT ON COLUMN beacons.missing.from_seq IS 'the first number that never came';
COMMENT ON COLUMN beacons.missing.to_seq IS 'the last of that hole';
COMMENT ON VIEW beacons.occupancy_hourly IS
    'A region of a store in one UTC hour. visits, beacons: how many touched the hour, what several gateways hear counted once. '
    'mean_present: beacons present on average over the time that any gateway of the region could hear; null where none could. '
    'covered_share: that time''s share of the hour (of the hour so far, while it lasts). What the store''s own gateway, site, says is left out: '
    'it says again what the others heard. An hour without a row is one of which nothing is known.';
