-- Hours: figures by the hour. roll_up() keeps them.
--
-- PostgreSQL plans a function with a setting by itself. So the views' plans stay small, and prune their days as they run. The heard seconds of
-- each presence are counted before the rows are sorted. Otherwise each row that is sorted carries the coverage of its region.

-- Returns the UTC hour of a time. date_trunc() alone would depend on the session's time zone.
CREATE FUNCTION beacons.hour_of(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT date_trunc('hour', at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' $$;

CREATE FUNCTION beacons.seconds(times tstzmultirange) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(sum(extract(epoch FROM upper(r) - lower(r))), 0)::double precision FROM unnest(times) r $$;

-- The longest absence between two zones of a flow. A zone change after a longer absence is a new way.
CREATE FUNCTION beacons.flow_patience() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '30 minutes' $$;

-- Returns the visits of a store that touch a time.
--
-- It is planned for each time that it is asked for: with known times PostgreSQL opens the partitions of their days. A plan for any times opens those
-- of all days that are kept, and would take most of the time of each count. A sum with an interval is known only as the plan runs.
CREATE FUNCTION beacons.visits_touching(a_site text, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (gateway text, region text, zone text, beacon text, entered_at timestamptz, left_at timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    day_before timestamptz := from_at - interval '1 day';
    day_after timestamptz := from_at + interval '1 day';
BEGIN
    RETURN QUERY
    SELECT v.gateway, v.region, v.zone, v.beacon, v.entered_at, v.left_at FROM beacons.visit_day v
    WHERE v.site = a_site AND v.entered_at >= from_at AND v.entered_at < to_at
    UNION ALL
    -- Those of a day at most began a day before it at most, and ended a day after it at most.
    SELECT v.gateway, v.region, v.zone, v.beacon, v.entered_at, v.left_at FROM beacons.visit_day v
    WHERE v.site = a_site AND v.left_at >= from_at AND v.left_at < day_after AND v.entered_at >= day_before AND v.entered_at < from_at
    UNION ALL
    SELECT v.gateway, v.region, v.zone, v.beacon, v.entered_at, CASE WHEN v.superseded THEN v.entered_at ELSE v.left_at END
    FROM beacons.visit_long v
    WHERE v.site = a_site AND v.entered_at < to_at AND (v.left_at IS NULL OR v.left_at >= from_at)
    AND (NOT v.superseded OR v.entered_at >= from_at);
END $$;

-- Returns the events of a store's gateways between two times, without those that `site` says again. It is planned for each time, as visits_touching().
CREATE FUNCTION beacons.events_between(a_site text, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (gateway text, epoch text, seq bigint, region text, type text, at timestamptz, entered_at timestamptz, last_heard_at timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN QUERY
    SELECT e.gateway, e.epoch, e.seq, e.region, e.type, e.at, e.entered_at, e.last_heard_at FROM beacons.event e
    WHERE e.site = a_site AND e.at >= from_at AND e.at < to_at AND e.gateway <> 'site';
END $$;

-- Returns when a store's gateways heard between two times. An open span has lasted until now.
CREATE FUNCTION beacons.hearing(a_site text, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (gateway text, reported tstzrange, hears boolean) LANGUAGE sql STABLE AS $$
    SELECT c.gateway, tstzrange(c.from_at, c.to_at) * tstzrange($2, $3), beacons.hears(c.radio)
    FROM beacons.coverage_span c WHERE c.site = a_site AND c.to_at > $2 AND c.from_at < $3
    UNION ALL
    SELECT o.gateway, tstzrange(o.from_at, coalesce(o.to_at, greatest(o.from_at, now()))) * tstzrange($2, $3), true
    FROM beacons.coverage_open o WHERE o.site = a_site
$$;

-- The most holes in the coverage of a region that are counted in one call, the longest first. The others are taken for heard.
CREATE FUNCTION beacons.most_holes() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000 $$;

-- The most of an hour: each presence in it is compared with them.
CREATE FUNCTION beacons.most_holes_of_hour() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 60 $$;

-- Returns the most holes of each gateway: its regions have them again, and all regions of a store together have fifty thousand at most.
CREATE FUNCTION beacons.most_holes_of_gateway(a_site text) RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT greatest(20, least(beacons.most_holes(), 50 * beacons.most_holes() / greatest(1, count(*)))) FROM beacons.region_gateway r WHERE r.site = a_site $$;

-- Returns these times with the longest of the holes between them.
CREATE FUNCTION beacons.longest_holes(times tstzmultirange, most bigint) RETURNS tstzmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN (SELECT count(*) FROM unnest(times) t) <= most THEN times
        ELSE tstzmultirange(range_merge(times)) - (
            SELECT range_agg(hole) FROM (
                SELECT hole FROM unnest(tstzmultirange(range_merge(times)) - times) hole
                ORDER BY upper(hole) - lower(hole) DESC, hole LIMIT most) longest)
        END
$$;

-- Returns when each gateway of a store reported its coverage, and when it heard, between two times.
CREATE FUNCTION beacons.heard_by_gateway(a_site text, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (gateway text, reported tstzmultirange, heard tstzmultirange) LANGUAGE sql STABLE AS $$
    SELECT t.gateway, beacons.longest_holes(t.reported, m.most), beacons.longest_holes(t.heard, m.most)
    FROM (
        SELECT h.gateway, range_agg(h.reported) AS reported, range_agg(h.reported) FILTER (WHERE h.hears) AS heard
        FROM beacons.hearing(a_site, from_at, to_at) h WHERE h.gateway <> 'site' AND NOT isempty(h.reported) GROUP BY 1) t
    CROSS JOIN (SELECT beacons.most_holes_of_gateway(a_site) AS most OFFSET 0) m
$$;

-- Returns the rows of occupancy_hourly for a store's hours, from `from_hour` on and before `to_hour`. This is the one definition of it.
CREATE FUNCTION beacons.occupancy_of(a_site text, from_hour timestamptz, to_hour timestamptz)
RETURNS TABLE (region text, hour timestamptz, visits integer, beacons integer, mean_present double precision, covered_share double precision)
LANGUAGE sql STABLE ROWS 24 SET search_path = pg_catalog, pg_temp AS $$
    WITH gateway_time AS MATERIALIZED (
        SELECT * FROM beacons.heard_by_gateway(a_site, from_hour, to_hour)
    ), region_time AS MATERIALIZED (
        SELECT r.region, range_agg(t.reported) AS reported, range_agg(t.heard) AS heard
        FROM gateway_time t JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = t.gateway GROUP BY 1
    ), covered AS (
        SELECT c.region, beacons.longest_holes(c.heard, beacons.most_holes()) AS during FROM region_time c WHERE c.heard IS NOT NULL
    ), covered_hour AS MATERIALIZED (
        SELECT h.*, beacons.seconds(h.during) AS covered_s FROM (
            SELECT c.region, h.hour, beacons.longest_holes(range_agg(piece * tstzrange(h.hour, h.hour + interval '1 hour')), beacons.most_holes_of_hour()) AS during
            FROM covered c CROSS JOIN LATERAL unnest(c.during) piece
            CROSS JOIN LATERAL generate_series(beacons.hour_of(lower(piece)), upper(piece) - interval '1 microsecond', interval '1 hour') h (hour)
            GROUP BY 1, 2) h
    ), region_hour AS (
        SELECT DISTINCT c.region, h.hour FROM region_time c CROSS JOIN LATERAL unnest(c.reported) piece
        CROSS JOIN LATERAL generate_series(beacons.hour_of(lower(piece)), upper(piece) - interval '1 microsecond', interval '1 hour') h (hour)
    ), presence AS (
        -- At several gateways, a beacon is there once.
        SELECT v.region, v.beacon,
            range_agg(tstzrange(v.entered_at, coalesce(v.left_at, greatest(now(), v.entered_at)), '[]')) * tstzmultirange(tstzrange(from_hour, to_hour)) AS during
        FROM beacons.visits_touching(a_site, from_hour, to_hour) v WHERE v.gateway <> 'site'
        GROUP BY 1, 2
    ), heard AS MATERIALIZED (
        SELECT p.region, p.beacon, h.hour, beacons.seconds(c.during * tstzmultirange(piece * tstzrange(h.hour, h.hour + interval '1 hour'))) AS present_s
        FROM presence p CROSS JOIN LATERAL unnest(p.during) piece
        CROSS JOIN LATERAL generate_series(beacons.hour_of(lower(piece)), upper(piece), interval '1 hour') h (hour)
        LEFT JOIN covered_hour c ON c.region = p.region AND c.hour = h.hour
        WHERE h.hour < to_hour
    ), presence_hour AS (
        SELECT p.region, p.hour, count(*) AS visits, count(DISTINCT p.beacon) AS beacons, sum(p.present_s) AS present_s FROM heard p GROUP BY 1, 2
    )
    SELECT region, hour, coalesce(p.visits, 0)::integer, coalesce(p.beacons, 0)::integer,
        coalesce(p.present_s, 0) / nullif(c.covered_s, 0),
        -- Of an hour that is not over, the part that is.
        least(1, coalesce(c.covered_s, 0) / CASE WHEN hour + interval '1 hour' <= now() OR hour >= now() THEN 3600
            ELSE greatest(extract(epoch FROM now() - hour)::double precision, 0.001) END)
    FROM region_hour FULL JOIN presence_hour p USING (region, hour) LEFT JOIN covered_hour c USING (region, hour)
$$;

-- Returns the rows of flow for a store's hours, from `from_hour` on and before `to_hour`. This is the one definition of it.
CREATE FUNCTION beacons.flow_of(a_site text, from_hour timestamptz, to_hour timestamptz)
RETURNS TABLE (region text, hour timestamptz, from_zone text, to_zone text, visits integer)
LANGUAGE sql STABLE ROWS 24 SET search_path = pg_catalog, pg_temp AS $$
    SELECT step.region, beacons.hour_of(step.entered_at), step.from_zone, step.zone, count(*)::integer
    FROM (
        SELECT v.region, v.zone, v.entered_at, lag(v.zone) OVER way AS from_zone, lag(coalesce(v.left_at, 'infinity')) OVER way AS left_at
        FROM beacons.visits_touching(a_site, from_hour - beacons.flow_patience(), to_hour) v
        WHERE v.zone IS NOT NULL
        WINDOW way AS (PARTITION BY v.region, v.beacon ORDER BY v.entered_at, v.zone)) step
    WHERE step.entered_at >= from_hour AND step.from_zone <> step.zone AND step.left_at >= step.entered_at - beacons.flow_patience()
    GROUP BY 1, 2, 3, 4
$$;

-- Returns the whole hours that a change touches. The end of a visit may begin a flow some time later. Times that cannot be true are left
-- out: a clock that began in 1970 would make half a million hours.
CREATE FUNCTION beacons.due_range(from_at timestamptz, to_at timestamptz) RETURNS tstzrange LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT tstzrange(beacons.hour_of(from_at), beacons.hour_of(to_at + beacons.flow_patience()) + interval '1 hour')
        * tstzrange(beacons.hour_of(now() - interval '400 days'), beacons.hour_of(now() + interval '1 day'))
$$;

CREATE VIEW beacons.due AS
SELECT site, lower(during) AS from_hour, upper(during) AS to_hour
FROM (SELECT site, range_agg(beacons.due_range(from_at, to_at)) AS hours FROM beacons.changed GROUP BY site) touched
CROSS JOIN LATERAL unnest(hours) during;
COMMENT ON VIEW beacons.due IS 'Hours of each store that what came since the last roll-up has touched.';

CREATE VIEW beacons.occupancy_hourly AS
SELECT o.site, o.region, o.hour, o.visits, o.beacons, o.mean_present, o.covered_share, o.hour AT TIME ZONE coalesce(s.time_zone, 'UTC') AS local_hour
FROM beacons.occupancy_hour o LEFT JOIN beacons.store s ON s.site = o.site
WHERE NOT EXISTS (SELECT FROM beacons.due d WHERE d.site = o.site AND o.hour >= d.from_hour AND o.hour < d.to_hour)
UNION ALL
SELECT d.site, o.region, o.hour, o.visits, o.beacons, o.mean_present, o.covered_share, o.hour AT TIME ZONE coalesce(s.time_zone, 'UTC')
FROM beacons.due d CROSS JOIN LATERAL beacons.occupancy_of(d.site, d.from_hour, d.to_hour) o LEFT JOIN beacons.store s ON s.site = d.site;
COMMENT ON VIEW beacons.occupancy_hourly IS
    'A region of a store in one UTC hour. visits, beacons: how many touched the hour, what several gateways hear counted once. '
    'mean_present: beacons present on average over the time that any gateway of the region could hear; null where none could. '
    'covered_share: that time''s share of the hour (of the hour so far, while it lasts). What the store''s own gateway, site, says is left out: '
    'it says again what the others heard. An hour without a row is one of which nothing is known.';
COMMENT ON COLUMN beacons.occupancy_hourly.local_hour IS
    'its beginning by the store''s own clock, without a zone. Two hours have the same one where the clock goes back';
COMMENT ON COLUMN beacons.occupancy_hourly.site IS 'the store';
COMMENT ON COLUMN beacons.occupancy_hourly.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.occupancy_hourly.hour IS 'its beginning, UTC';
COMMENT ON COLUMN beacons.occupancy_hourly.visits IS 'visits that touch the hour; what several gateways hear at once is one';
COMMENT ON COLUMN beacons.occupancy_hourly.beacons IS 'beacons that were there';
COMMENT ON COLUMN beacons.occupancy_hourly.mean_present IS 'beacons there on average, over the time that could be heard; null where none could';
COMMENT ON COLUMN beacons.occupancy_hourly.covered_share IS 'the part of the hour, 0 to 1, in which any gateway of the region could hear, ''site'' left out';

CREATE VIEW beacons.flow AS
SELECT f.site, f.region, f.hour, f.from_zone, f.to_zone, f.visits FROM beacons.flow_hour f
WHERE NOT EXISTS (SELECT FROM beacons.due d WHERE d.site = f.site AND f.hour >= d.from_hour AND f.hour < d.to_hour)
UNION ALL
SELECT d.site, f.region, f.hour, f.from_zone, f.to_zone, f.visits
FROM beacons.due d CROSS JOIN LATERAL beacons.flow_of(d.site, d.from_hour, d.to_hour) f;
COMMENT ON VIEW beacons.flow IS
    'How often a beacon went from one zone of a region to another, by the UTC hour in which it entered the second: '
    'visits to zones that follow each other, with at most 30 minutes in between.';
COMMENT ON COLUMN beacons.flow.site IS 'the store';
COMMENT ON COLUMN beacons.flow.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.flow.hour IS 'the UTC hour in which the second zone was entered';
COMMENT ON COLUMN beacons.flow.from_zone IS 'the zone that was left';
COMMENT ON COLUMN beacons.flow.to_zone IS 'the zone that was entered';
COMMENT ON COLUMN beacons.flow.visits IS 'how often';
