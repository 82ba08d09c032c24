-- Limits on what one store's figures cost. A store with 190,000 visits a day, whose gateway stops and starts all the time, filled gigabytes of
-- the disk. The roll-up of all stores waited for minutes. Two things mend that:
--
-- - The heard seconds of each presence are counted before the rows are sorted. Otherwise each row that is sorted carries the coverage of its region.
-- - Beyond a thousand times of deafness in what is counted, the longest count, and the others are taken for heard.

CREATE FUNCTION beacons.most_holes() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000 $$;

-- Returns these times with the longest of the holes between them.
CREATE FUNCTION beacons.longest_holes(times tstzmultirange) RETURNS tstzmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN (SELECT count(*) FROM unnest(times) t) <= beacons.most_holes() THEN times
        ELSE tstzmultirange(range_merge(times)) - (
            SELECT range_agg(hole) FROM (
                SELECT hole FROM unnest(tstzmultirange(range_merge(times)) - times) hole
                ORDER BY upper(hole) - lower(hole) DESC, hole LIMIT beacons.most_holes()) longest)
        END
$$;

-- Returns the rows of occupancy_hourly for a store's hours, from `from_hour` on and before `to_hour`. This is the one definition of it.
CREATE OR REPLACE FUNCTION beacons.occupancy_of(a_site text, from_hour timestamptz, to_hour timestamptz)
RETURNS TABLE (region text, hour timestamptz, visits integer, beacons integer, mean_present double precision, covered_share double precision)
LANGUAGE sql STABLE ROWS 24 SET search_path = pg_catalog, pg_temp AS $$
    WITH told AS MATERIALIZED (
        SELECT r.region, h.told, h.hears FROM beacons.hearing(a_site, from_hour, to_hour) h
        JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = h.gateway
        WHERE r.gateway <> 'site' AND NOT isempty(h.told)
    ), covered AS (
        SELECT c.region, beacons.longest_holes(range_agg(c.told)) AS during FROM told c WHERE c.hears GROUP BY c.region
    ), covered_hour AS (
        SELECT c.region, h.hour, sum(beacons.seconds(tstzmultirange(piece * tstzrange(h.hour, h.hour + interval '1 hour')))) AS covered_s
        FROM covered c CROSS JOIN LATERAL unnest(c.during) piece
        CROSS JOIN LATERAL generate_series(beacons.hour_of(lower(piece)), upper(piece) - interval '1 microsecond', interval '1 hour') h (hour)
        GROUP BY 1, 2
    ), told_hour AS (
        SELECT DISTINCT c.region, h.hour FROM told c
        CROSS JOIN LATERAL generate_series(beacons.hour_of(lower(c.told)), upper(c.told) - interval '1 microsecond', interval '1 hour') h (hour)
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
        LEFT JOIN covered c ON c.region = p.region
        WHERE h.hour < to_hour
    ), presence_hour AS (
        SELECT p.region, p.hour, count(*) AS visits, count(DISTINCT p.beacon) AS beacons, sum(p.present_s) AS present_s FROM heard p GROUP BY 1, 2
    )
    SELECT region, hour, coalesce(p.visits, 0)::integer, coalesce(p.beacons, 0)::integer,
        coalesce(p.present_s, 0) / nullif(c.covered_s, 0),
        -- Of an hour that is not over, the part that is.
        least(1, coalesce(c.covered_s, 0) / CASE WHEN hour + interval '1 hour' <= now() OR hour >= now() THEN 3600
            ELSE greatest(extract(epoch FROM now() - hour)::double precision, 0.001) END)
    FROM told_hour FULL JOIN presence_hour p USING (region, hour) LEFT JOIN covered_hour c USING (region, hour)
$$;

-- Returns the rows of occupancy_daily for a store's days, from `from_day` on and before `to_day`. This is the one definition of it.
CREATE OR REPLACE FUNCTION beacons.daily_of(a_site text, from_day date, to_day date)
RETURNS TABLE (
    region text, day date, visits integer, beacons integer, mean_present double precision, peak_present integer, peak_at timestamptz,
    dwell_p25_s double precision, dwell_p50_s double precision, dwell_p75_s double precision, covered_share double precision,
    open_share double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH day AS MATERIALIZED (
        SELECT d.day, d.during, o.during AS open, tstzmultirange(tstzrange(lower(d.during), greatest(lower(d.during), least(upper(d.during), now())))) AS so_far
        FROM beacons.days_of(a_site, from_day, to_day) d JOIN beacons.opening_of(a_site, from_day, to_day) o USING (day)
    ), bounds AS MATERIALIZED (
        SELECT min(lower(during)) AS from_at, max(upper(during)) AS to_at FROM day
    ), told AS MATERIALIZED (
        SELECT r.region, h.told, h.hears FROM bounds b CROSS JOIN LATERAL beacons.hearing(a_site, b.from_at, b.to_at) h
        JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = h.gateway
        WHERE r.gateway <> 'site' AND NOT isempty(h.told)
    ), covered AS MATERIALIZED (
        SELECT t.region, beacons.longest_holes(coalesce(range_agg(t.told) FILTER (WHERE t.hears), '{}')) AS heard, range_agg(t.told) AS told FROM told t GROUP BY t.region
    ), presence AS MATERIALIZED (
        -- At several gateways, a beacon is there once. Visits of the day before tell when a presence began.
        SELECT v.region, v.beacon, piece
        FROM (
            SELECT v.region, v.beacon, range_agg(tstzrange(v.entered_at, coalesce(v.left_at, greatest(now(), v.entered_at)), '[]')) AS pieces,
                bool_or(v.left_at IS NULL) AS is_open
            FROM bounds b CROSS JOIN LATERAL beacons.visits_touching(a_site, b.from_at - interval '1 day', b.to_at) v
            WHERE v.gateway <> 'site' GROUP BY 1, 2) v
        CROSS JOIN LATERAL unnest(v.pieces) piece
    ), present AS MATERIALIZED (
        SELECT p.region, p.beacon, p.piece, d.day, d.during, p.piece * d.during AS today FROM presence p JOIN day d ON p.piece && d.during
    ), heard AS MATERIALIZED (
        SELECT p.region, p.beacon, p.piece, p.day, p.during, beacons.seconds(c.heard * tstzmultirange(p.today)) AS present_s
        FROM present p LEFT JOIN covered c USING (region)
    ), figure AS (
        SELECT p.region, p.day, count(*) AS visits, count(DISTINCT p.beacon) AS beacons, sum(p.present_s) AS present_s,
            -- Of visits that ended on the day, whole ones.
            percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY extract(epoch FROM upper(p.piece) - lower(p.piece)))
                FILTER (WHERE upper(p.piece) < least(upper(p.during), now())) AS dwell_s
        FROM heard p GROUP BY 1, 2
    ), step AS (
        -- One that leaves at a moment makes room for one that comes then.
        SELECT region, day, at, sum(change) OVER (PARTITION BY region, day ORDER BY at, change ROWS UNBOUNDED PRECEDING) AS present
        FROM (
            SELECT region, day, lower(today) AS at, 1 AS change FROM present
            UNION ALL SELECT region, day, upper(today), -1 FROM present) change
    ), peak AS (
        SELECT DISTINCT ON (region, day) region, day, present, at FROM step ORDER BY region, day, present DESC, at
    )
    SELECT c.region, d.day, coalesce(f.visits, 0)::integer, coalesce(f.beacons, 0)::integer,
        coalesce(f.present_s, 0) / nullif(share.covered_s, 0), greatest(coalesce(p.present, 0), 0)::integer, p.at,
        f.dwell_s[1], f.dwell_s[2], f.dwell_s[3], least(1, share.covered_s / share.day_s),
        -- LEAST would pass over a null.
        CASE WHEN share.open_s > 0 THEN least(1, share.open_covered_s / share.open_s) END
    FROM (SELECT region, heard, told FROM covered UNION ALL
          SELECT DISTINCT region, '{}'::tstzmultirange, '{}'::tstzmultirange FROM presence WHERE region NOT IN (SELECT region FROM covered)) c
    CROSS JOIN day d
    LEFT JOIN figure f ON f.region = c.region AND f.day = d.day
    LEFT JOIN peak p ON p.region = c.region AND p.day = d.day
    CROSS JOIN LATERAL (
        SELECT beacons.seconds(c.heard * d.so_far) AS covered_s, beacons.seconds(d.so_far) AS day_s,
            beacons.seconds(c.heard * d.so_far * d.open) AS open_covered_s, beacons.seconds(d.open * d.so_far) AS open_s) share
    -- A day of which nothing is told has no row.
    WHERE share.day_s > 0 AND (f.visits IS NOT NULL OR c.told && d.during)
$$;

REVOKE EXECUTE ON FUNCTION beacons.most_holes(), beacons.longest_holes(tstzmultirange) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.most_holes(), beacons.longest_holes(tstzmultirange) TO beacons_analyst;
