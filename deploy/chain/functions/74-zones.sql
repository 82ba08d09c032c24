-- Zones by the store's own day: visits, dwell, and the visits that were in two zones. roll_up_days() keeps them.

-- The most zones of a day of a store that are counted, those with the most visits. Each is counted with each other one.
CREATE FUNCTION beacons.most_zones() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 100 $$;

-- Returns the zones of a store in one of its days. This is the one definition of zone_daily and conversion.
CREATE FUNCTION beacons.zones_of(a_site text, a_day date) RETURNS SETOF beacons.zone_day
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH day AS MATERIALIZED (
        SELECT d.during, least(upper(d.during), now()) AS until FROM beacons.days_of(a_site, a_day, a_day + 1) d
    ), stay AS (
        -- Where no gateway reports the region itself, visits to its zones are one visit as they are one way in flow.
        SELECT v.region, v.beacon, v.gateway, coalesce(v.zone, '') AS zone, v.entered_at, v.left_at,
            CASE WHEN bool_or(v.zone IS NULL) OVER (PARTITION BY v.region, v.beacon) THEN v.left_at ELSE v.left_at + beacons.flow_patience() END AS joins_until
        FROM (
            SELECT v.region, v.beacon, v.gateway, v.zone, v.entered_at, coalesce(v.left_at, greatest(now(), v.entered_at)) AS left_at
            FROM day d CROSS JOIN LATERAL beacons.visits_touching(a_site, lower(d.during) - interval '1 day', upper(d.during)) v) v
    ), begun AS (
        SELECT t.*, t.entered_at > max(t.joins_until) OVER (earlier ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) IS NOT FALSE AS begins
        FROM stay t WINDOW earlier AS (PARTITION BY t.region, t.beacon ORDER BY t.entered_at, t.left_at, t.gateway, t.zone)
    ), numbered AS (
        SELECT b.*, count(*) FILTER (WHERE b.begins) OVER (
            PARTITION BY b.region, b.beacon ORDER BY b.entered_at, b.left_at, b.gateway, b.zone ROWS UNBOUNDED PRECEDING) AS visit
        FROM begun b
    ), inside AS MATERIALIZED (
        -- All of a visit's time in a zone, however often it came back.
        SELECT z.region, z.beacon, z.visit, z.zone, beacons.seconds(z.during) AS dwell_s, upper(z.during) < d.until AND upper(z.during) >= lower(d.during) AS is_over
        FROM day d CROSS JOIN (
            SELECT n.region, n.beacon, n.visit, n.zone, range_agg(tstzrange(n.entered_at, n.left_at, '[]')) AS during
            FROM numbered n WHERE n.zone <> '' GROUP BY 1, 2, 3, 4) z
        WHERE z.during && d.during
    ), figure AS MATERIALIZED (
        SELECT i.region, i.zone, count(*)::integer AS visits, percentile_cont(0.5) WITHIN GROUP (ORDER BY i.dwell_s) FILTER (WHERE i.is_over) AS dwell_p50_s
        FROM inside i GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT beacons.most_zones()
    ), counted AS MATERIALIZED (
        SELECT i.region, i.beacon, i.visit, i.zone FROM inside i JOIN figure f USING (region, zone)
    ), pair AS (
        -- Each two zones, also those that no visit has both of. To join such pairs to those with visits would take a hundred zones' cube.
        SELECT p.region, p.zone, p.to_zone, sum(p.visits)::integer AS visits
        FROM (
            SELECT a.region, a.zone, b.zone AS to_zone, 1 AS visits FROM counted a JOIN counted b USING (region, beacon, visit)
            UNION ALL
            SELECT f.region, f.zone, o.zone, 0 FROM figure f JOIN figure o USING (region)) p
        WHERE p.zone <> p.to_zone GROUP BY 1, 2, 3
    ), other AS (
        SELECT p.region, p.zone, array_agg(p.to_zone ORDER BY p.to_zone) AS zones, array_agg(p.visits ORDER BY p.to_zone) AS visits FROM pair p GROUP BY 1, 2
    )
    SELECT a_site, f.region, a_day, f.zone, f.visits, f.dwell_p50_s, coalesce(o.zones, '{}'), coalesce(o.visits, '{}')
    FROM figure f LEFT JOIN other o USING (region, zone)
$$;

CREATE VIEW beacons.zone_counted AS
SELECT z.* FROM beacons.zone_day z WHERE NOT EXISTS (SELECT FROM beacons.open_day d WHERE d.site = z.site AND d.day = z.day)
UNION ALL
SELECT z.* FROM beacons.open_day d CROSS JOIN LATERAL beacons.zones_of(d.site, d.day) z;
COMMENT ON VIEW beacons.zone_counted IS 'zone_daily and conversion in one row for each zone. Those views are what to ask.';

CREATE VIEW beacons.zone_daily AS
SELECT z.site, z.region, z.zone, z.day, z.visits, z.dwell_p50_s FROM beacons.zone_counted z;
COMMENT ON VIEW beacons.zone_daily IS
    'A zone of a region in one day of the store''s own time zone. A visit that comes back to a zone counts there once, with all its time there. '
    'A zone without a row had no visit, as far as the store was heard. At most 100 zones of a store have rows, those with the most visits.';
COMMENT ON COLUMN beacons.zone_daily.site IS 'the store';
COMMENT ON COLUMN beacons.zone_daily.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.zone_daily.zone IS 'the zone';
COMMENT ON COLUMN beacons.zone_daily.day IS 'the day, from midnight to midnight in the store';
COMMENT ON COLUMN beacons.zone_daily.visits IS 'visits to the store that were in the zone on the day';
COMMENT ON COLUMN beacons.zone_daily.dwell_p50_s IS
    'seconds: half of the visits whose time in the zone ended on the day spent less time there; null where none ended';

CREATE VIEW beacons.conversion AS
SELECT z.site, z.region, z.day, z.zone AS from_zone, other.zone AS to_zone, z.visits AS visits_from, other.visits AS visits_both
FROM beacons.zone_counted z CROSS JOIN LATERAL unnest(z.to_zones, z.both_visits) other (zone, visits);
COMMENT ON VIEW beacons.conversion IS
    'Two zones of a region in one day of the store''s own time zone: how many visits were in the first one, and how many of these in the second one too, '
    'before or after. There is a row for each two zones that had a visit on the day, in both directions. A share over several days divides by visits of zone_daily.';
COMMENT ON COLUMN beacons.conversion.site IS 'the store';
COMMENT ON COLUMN beacons.conversion.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.conversion.day IS 'the day, from midnight to midnight in the store';
COMMENT ON COLUMN beacons.conversion.from_zone IS 'the zone whose visits are the whole';
COMMENT ON COLUMN beacons.conversion.to_zone IS 'the zone that a part of them was in';
COMMENT ON COLUMN beacons.conversion.visits_from IS 'visits that were in from_zone on the day: zone_daily has the same number';
COMMENT ON COLUMN beacons.conversion.visits_both IS 'those of them that were in to_zone on the day too';
