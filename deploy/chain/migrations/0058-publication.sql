-- Other readers: a publication for change data capture. Its tables have what was told, and what operators loaded. Figures are left out: each
-- roll-up counts hours anew, and a reader can count them itself.
--
-- A partition that retention drops is no change for readers. The server needs wal_level = logical for a reader; without it, the publication
-- costs nothing.
CREATE PUBLICATION beacons FOR TABLE
    beacons.event, beacons.gap, beacons.coverage_span, beacons.surge, beacons.status, beacons.location, beacons.track, beacons.register, beacons.store
WITH (publish_via_partition_root = true);
COMMENT ON PUBLICATION beacons IS 'What gateways told, and the stores and beacons that operators loaded, for change data capture.';
