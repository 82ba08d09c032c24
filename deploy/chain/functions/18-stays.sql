-- Stays: one beacon's visits in a store, joined over gateways and regions.

-- Visits that are less than this apart are one stay. Gateways publish times to the microsecond, and exactly 30 s apart is not less.
CREATE FUNCTION beacons.stay_patience() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT interval '30 seconds' - interval '1 microsecond' $$;

-- Returns for each of a store's beacons the time from which on its stays may differ, if something changed at its time in `changes`. Stays that ended well
-- before are unchanged. It is planned for each call, as visits_touching(), so that it opens the days since then alone.
CREATE FUNCTION beacons.stay_cuts(a_site text, which text[], changes timestamptz[]) RETURNS TABLE (beacon text, cut timestamptz)
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    first_at timestamptz := (SELECT min(at) FROM unnest(changes) at) - interval '1 day' - beacons.stay_patience();
BEGIN
    RETURN QUERY
    SELECT d.beacon, least(d.from_at, (
        SELECT min(s.entered_at) FROM (
            SELECT t.entered_at FROM beacons.stay_day t
            WHERE t.site = a_site AND t.beacon = d.beacon AND t.entered_at >= first_at AND t.entered_at >= d.from_at - interval '1 day' - beacons.stay_patience()
            AND t.left_at >= d.from_at - beacons.stay_patience()
            UNION ALL
            SELECT t.entered_at FROM beacons.stay_long t
            WHERE t.site = a_site AND t.beacon = d.beacon AND (t.left_at IS NULL OR t.left_at >= d.from_at - beacons.stay_patience())) s))
    FROM unnest(which, changes) d (beacon, from_at);
END $$;

-- Returns the stays of a store's beacons, from the visits that began at each beacon's own cut or later. This is the one definition of a
-- stay. One call counts all beacons of a store, because a call for each takes longer than the counting.
CREATE FUNCTION beacons.stays_since(a_site text, which text[], cuts timestamptz[]) RETURNS TABLE (
    beacon text, uuid text, major integer, minor integer, entered_at timestamptz, left_at timestamptz, dwell_s double precision, gateways text[])
LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    first timestamptz := (SELECT min(cut) FROM unnest(cuts) cut);
BEGIN
    RETURN QUERY
    WITH due AS (
        SELECT d.beacon, d.cut FROM unnest(which, cuts) d (beacon, cut)
    ), visit AS MATERIALIZED (
        SELECT d.beacon, v.gateway, v.uuid, v.major, v.minor, v.entered_at, v.left_at
        FROM due d JOIN beacons.visit_day v ON v.site = a_site AND v.beacon = d.beacon AND v.entered_at >= d.cut
        WHERE v.gateway <> 'site' AND v.entered_at >= first
        UNION ALL
        SELECT d.beacon, v.gateway, v.uuid, v.major, v.minor, v.entered_at, CASE WHEN v.superseded THEN v.entered_at ELSE v.left_at END
        FROM due d JOIN beacons.visit_long v ON v.site = a_site AND v.beacon = d.beacon AND v.entered_at >= d.cut
        WHERE v.gateway <> 'site'
    ), begun AS (
        -- A visit begins a stay where all visits before it ended too long ago. Ranges would be compared with each visit of their beacon.
        SELECT v.*, v.entered_at > max(coalesce(v.left_at + beacons.stay_patience(), 'infinity')) OVER (
            PARTITION BY v.beacon ORDER BY v.entered_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) IS NOT FALSE AS begins
        FROM visit v
    ), numbered AS (
        SELECT b.*, count(*) FILTER (WHERE b.begins) OVER (PARTITION BY b.beacon ORDER BY b.entered_at ROWS UNBOUNDED PRECEDING) AS stay FROM begun b
    ), stay AS (
        SELECT n.beacon, min(n.uuid) AS uuid, min(n.major) AS major, min(n.minor) AS minor, min(n.entered_at) AS entered_at,
            CASE WHEN NOT bool_or(n.left_at IS NULL) THEN max(n.left_at) END AS left_at, array_agg(DISTINCT n.gateway ORDER BY n.gateway) AS gateways
        FROM numbered n GROUP BY n.beacon, n.stay
    )
    SELECT s.beacon, s.uuid, s.major, s.minor, s.entered_at, s.left_at, extract(epoch FROM s.left_at - s.entered_at)::double precision, s.gateways FROM stay s;
END $$;

CREATE VIEW beacons.stay AS
WITH changed_beacon AS NOT MATERIALIZED (
    SELECT site, beacon, min(from_at) AS from_at FROM beacons.changed WHERE beacon IS NOT NULL AND beacon <> '//' GROUP BY site, beacon)
SELECT s.site, s.uuid, s.major, s.minor, s.entered_at, s.left_at, s.dwell_s, s.gateways
FROM beacons.stay_day s
WHERE NOT EXISTS (
    SELECT FROM beacons.changed c WHERE c.site = s.site AND c.beacon = s.beacon AND s.left_at >= c.from_at - beacons.stay_patience())
UNION ALL
SELECT s.site, s.uuid, s.major, s.minor, s.entered_at, s.left_at, s.dwell_s, s.gateways
FROM beacons.stay_long s
WHERE NOT EXISTS (
    SELECT FROM beacons.changed c WHERE c.site = s.site AND c.beacon = s.beacon
    AND (s.left_at IS NULL OR s.left_at >= c.from_at - beacons.stay_patience()))
UNION ALL
SELECT c.site, s.uuid, s.major, s.minor, s.entered_at, s.left_at, s.dwell_s, s.gateways
FROM (SELECT site, array_agg(beacon) AS which, array_agg(from_at) AS changes FROM changed_beacon GROUP BY site) c
CROSS JOIN LATERAL (SELECT array_agg(t.beacon) AS which, array_agg(t.cut) AS cuts FROM beacons.stay_cuts(c.site, c.which, c.changes) t) t
CROSS JOIN LATERAL beacons.stays_since(c.site, t.which, t.cuts) s;
COMMENT ON VIEW beacons.stay IS
    'One beacon''s presence in a store: its visits at all gateways but the store''s own (`site`), in all regions, joined where less than 30 s lie between. '
    'left_at is null while it is there. dwell_s is from entered_at to left_at.';
COMMENT ON COLUMN beacons.stay.site IS 'the store';
COMMENT ON COLUMN beacons.stay.uuid IS 'the beacon''s identity, with major and minor; null for a circle';
COMMENT ON COLUMN beacons.stay.major IS 'the second part of the identity';
COMMENT ON COLUMN beacons.stay.minor IS 'the third part of the identity';
COMMENT ON COLUMN beacons.stay.entered_at IS 'when the first of its gateways heard it';
COMMENT ON COLUMN beacons.stay.left_at IS 'when the last of them last heard it; null while it is there';
COMMENT ON COLUMN beacons.stay.dwell_s IS 'seconds in between';
COMMENT ON COLUMN beacons.stay.gateways IS 'those that heard it, without ''site''';
