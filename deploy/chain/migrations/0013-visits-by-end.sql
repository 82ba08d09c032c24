-- The visits that touch an hour are found by when they began or by when they ended. By their beginning alone, each count of the hour
-- that it is read a whole day of visits.

CREATE INDEX visit_day_end ON beacons.visit_day (site, left_at);

CREATE OR REPLACE FUNCTION beacons.visits_touching(a_site text, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (gateway text, region text, zone text, beacon text, entered_at timestamptz, left_at timestamptz) LANGUAGE sql STABLE AS $$
    SELECT v.gateway, v.region, v.zone, v.beacon, v.entered_at, v.left_at FROM beacons.visit_day v
    WHERE v.site = a_site AND v.entered_at >= from_at AND v.entered_at < to_at
    UNION ALL
    -- Those of a day at most began a day before it at most, and ended a day after it at most.
    SELECT v.gateway, v.region, v.zone, v.beacon, v.entered_at, v.left_at FROM beacons.visit_day v
    WHERE v.site = a_site AND v.left_at >= from_at AND v.left_at < from_at + interval '1 day'
    AND v.entered_at >= from_at - interval '1 day' AND v.entered_at < from_at
    UNION ALL
    SELECT v.gateway, v.region, v.zone, v.beacon, v.entered_at, CASE WHEN v.superseded THEN v.entered_at ELSE v.left_at END
    FROM beacons.visit_long v
    WHERE v.site = a_site AND v.entered_at < to_at AND (v.left_at IS NULL OR v.left_at >= from_at)
    AND (NOT v.superseded OR v.entered_at >= from_at)
$$;
