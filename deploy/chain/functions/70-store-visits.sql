-- Visits of a store: what an analyst counts first. A beacon that several gateways hear at once is in the store once.

CREATE VIEW beacons.store_visit AS
SELECT v.site, v.region, (lower(piece) AT TIME ZONE coalesce(s.time_zone, 'UTC'))::date AS day, v.uuid, v.major, v.minor, lower(piece) AS entered_at,
    CASE WHEN upper(piece) < 'infinity' THEN upper(piece) END AS left_at,
    CASE WHEN upper(piece) < 'infinity' THEN extract(epoch FROM upper(piece) - lower(piece))::double precision END AS dwell_s
FROM (
    -- An open visit ends beyond all times, so that it joins what comes after its beginning.
    SELECT site, region, uuid, major, minor, range_agg(tstzrange(entered_at, coalesce(left_at, 'infinity'), '[]')) AS pieces
    FROM beacons.visit WHERE gateway <> 'site' GROUP BY site, region, uuid, major, minor) v
CROSS JOIN LATERAL unnest(v.pieces) piece
LEFT JOIN beacons.store s ON s.site = v.site;
COMMENT ON VIEW beacons.store_visit IS
    'One stay of a beacon in a region of a store: what all its gateways saw of it, joined. Count these. occupancy_daily counts the same visits on each '
    'day that they touch. What the store''s own gateway, site, says is left out: it says again what the others heard. Visits to zones are no rows of '
    'their own.';
COMMENT ON COLUMN beacons.store_visit.site IS 'the store';
COMMENT ON COLUMN beacons.store_visit.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.store_visit.day IS 'the day of the entry, in the store''s time zone';
COMMENT ON COLUMN beacons.store_visit.uuid IS 'the beacon''s identity, with major and minor; null for a circle';
COMMENT ON COLUMN beacons.store_visit.major IS 'the second part of the identity';
COMMENT ON COLUMN beacons.store_visit.minor IS 'the third part of the identity';
COMMENT ON COLUMN beacons.store_visit.entered_at IS 'when the first gateway heard it';
COMMENT ON COLUMN beacons.store_visit.left_at IS 'when the last one last heard it; null while it is there';
COMMENT ON COLUMN beacons.store_visit.dwell_s IS 'seconds in between';
