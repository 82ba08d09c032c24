-- Days: the figures of each store by its own day. A day is counted once it is over; roll_up_days() keeps it. The view counts the days that
-- are not over, and those that something has changed since.

-- Returns the rows of occupancy_daily for a store's days, from `from_day` on and before `to_day`. This is the one definition of it.
CREATE FUNCTION beacons.daily_of(a_site text, from_day date, to_day date)
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
    ), gateway_time AS MATERIALIZED (
        SELECT h.* FROM bounds b CROSS JOIN LATERAL beacons.heard_by_gateway(a_site, b.from_at, b.to_at) h
    ), covered AS MATERIALIZED (
        SELECT r.region, beacons.longest_holes(coalesce(range_agg(t.heard), '{}'), beacons.most_holes()) AS heard, range_agg(t.reported) AS reported
        FROM gateway_time t JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = t.gateway GROUP BY 1
    ), presence AS MATERIALIZED (
        -- At several gateways, a beacon is there once. Visits of the day before show when a presence began.
        SELECT v.region, v.beacon, piece
        FROM (
            SELECT v.region, v.beacon, range_agg(tstzrange(v.entered_at, coalesce(v.left_at, greatest(now(), v.entered_at)), '[]')) AS pieces,
                bool_or(v.left_at IS NULL) AS is_open
            FROM bounds b CROSS JOIN LATERAL beacons.visits_touching(a_site, b.from_at - interval '1 day', b.to_at) v
            WHERE v.gateway <> 'site' GROUP BY 1, 2) v
        CROSS JOIN LATERAL unnest(v.pieces) piece
    ), present AS MATERIALIZED (
        SELECT p.region, p.beacon, p.piece, d.day, d.during, p.piece * d.during AS today FROM presence p JOIN day d ON p.piece && d.during
    ), bound AS (
        -- The seconds that a region was heard before each end of a presence: those of the pieces that began before, without what was still to come of the last
        -- one. Each end is looked at once, however many holes the coverage has.
        SELECT b.region, b.day, b.way, coalesce(sum(b.length_s) OVER earlier, 0) - greatest(0, extract(epoch FROM max(b.until) OVER earlier - b.at)) AS heard_s
        FROM (
            SELECT c.region, NULL::date AS day, 0 AS way, lower(piece) AS at, upper(piece) AS until, extract(epoch FROM upper(piece) - lower(piece)) AS length_s
            FROM covered c CROSS JOIN LATERAL unnest(c.heard) piece
            UNION ALL SELECT region, day, -1, lower(today), NULL, NULL FROM present
            UNION ALL SELECT region, day, 1, upper(today), NULL, NULL FROM present) b
        WINDOW earlier AS (PARTITION BY b.region ORDER BY b.at)
    ), heard AS (
        SELECT region, day, sum(way * heard_s)::double precision AS present_s FROM bound WHERE way <> 0 GROUP BY 1, 2
    ), figure AS (
        SELECT p.region, p.day, count(*) AS visits, count(DISTINCT p.beacon) AS beacons,
            -- Of visits that ended on the day, whole ones.
            percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY extract(epoch FROM upper(p.piece) - lower(p.piece)))
                FILTER (WHERE upper(p.piece) < least(upper(p.during), now())) AS dwell_s
        FROM present p GROUP BY 1, 2
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
        coalesce(h.present_s, 0) / nullif(share.covered_s, 0), greatest(coalesce(p.present, 0), 0)::integer, p.at,
        f.dwell_s[1], f.dwell_s[2], f.dwell_s[3], least(1, share.covered_s / share.day_s),
        -- LEAST would pass over a null.
        CASE WHEN share.open_s > 0 THEN least(1, share.open_covered_s / share.open_s) END
    FROM (SELECT region, heard, reported FROM covered UNION ALL
          SELECT DISTINCT region, '{}'::tstzmultirange, '{}'::tstzmultirange FROM presence WHERE region NOT IN (SELECT region FROM covered)) c
    CROSS JOIN day d
    LEFT JOIN figure f ON f.region = c.region AND f.day = d.day
    LEFT JOIN heard h ON h.region = c.region AND h.day = d.day
    LEFT JOIN peak p ON p.region = c.region AND p.day = d.day
    CROSS JOIN LATERAL (
        SELECT beacons.seconds(c.heard * d.so_far) AS covered_s, beacons.seconds(d.so_far) AS day_s,
            beacons.seconds(c.heard * d.so_far * d.open) AS open_covered_s, beacons.seconds(d.open * d.so_far) AS open_s) share
    -- A day without a report has no row.
    WHERE share.day_s > 0 AND (f.visits IS NOT NULL OR c.reported && d.during)
$$;

-- Returns the rows of occupancy_daily for a store's days, from `from_day` on and before `to_day`.
CREATE FUNCTION beacons.days_with_intervals(a_site text, from_day date, to_day date) RETURNS SETOF beacons.occupancy_day
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT a_site, o.region, o.day, o.visits, o.beacons, o.mean_present, o.peak_present, o.peak_at, o.dwell_p25_s, o.dwell_p50_s, o.dwell_p75_s,
        o.covered_share, o.open_share, v.low, v.high
    FROM beacons.daily_of(a_site, from_day, to_day) o
    LEFT JOIN (
        SELECT d.day::date AS day, b.region, b.low, b.high
        FROM generate_series(from_day::timestamp, to_day::timestamp - interval '1 day', interval '1 day') d (day)
        CROSS JOIN LATERAL beacons.visits_between(a_site, d.day::date) b) v USING (region, day)
$$;

-- Returns the days of a store that a change touches. The end of a visit may lie a day after its beginning. Times that cannot be true are left out.
CREATE FUNCTION beacons.due_days(a_site text, from_at timestamptz, to_at timestamptz) RETURNS daterange LANGUAGE sql STABLE AS $$
    SELECT daterange(
        (greatest(from_at, now() - interval '400 days') AT TIME ZONE z.name)::date, (least(to_at, now()) AT TIME ZONE z.name)::date + 2)
    FROM (SELECT beacons.time_zone_of(a_site) AS name) z
    WHERE greatest(from_at, now() - interval '400 days') <= least(to_at, now())
$$;

-- The longest time that one call counts days. The others wait for the next call.
CREATE FUNCTION beacons.day_patience() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '10 seconds' $$;

-- Counts due days that are over, with their intervals, the newest first. Events may come late, and each one makes its day due again. So a day is
-- counted an hour after its end at the earliest. A day that fails, or that the caller's statement_timeout ends, costs no other its turn.
CREATE FUNCTION beacons.roll_up_days() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    due record;
    counted bigint := 0;
    until timestamptz := clock_timestamp() + beacons.day_patience();
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('beacons.roll_up_days')) THEN
        RETURN 0;
    END IF;
    FOR due IN
        SELECT d.site, d.day FROM beacons.due_day d
        WHERE (d.day + 1)::timestamp AT TIME ZONE beacons.time_zone_of(d.site) < now() - interval '1 hour'
        -- What this call does not see yet is still to be recorded.
        AND NOT EXISTS (SELECT FROM beacons.changed c WHERE c.site = d.site AND beacons.due_days(c.site, c.from_at, c.to_at) @> d.day)
        -- In any order of stores, so that one whose days take long and change again and again holds up no other.
        ORDER BY d.failed_at NULLS FIRST, d.day DESC, random() LIMIT 10000
    LOOP
        EXIT WHEN clock_timestamp() > until;
        BEGIN
            DELETE FROM beacons.occupancy_day o WHERE o.site = due.site AND o.day = due.day;
            INSERT INTO beacons.occupancy_day SELECT * FROM beacons.days_with_intervals(due.site, due.day, due.day + 1);
            DELETE FROM beacons.zone_day z WHERE z.site = due.site AND z.day = due.day;
            INSERT INTO beacons.zone_day SELECT * FROM beacons.zones_of(due.site, due.day);
            DELETE FROM beacons.due_day d WHERE d.site = due.site AND d.day = due.day;
            counted := counted + 1;
        EXCEPTION WHEN query_canceled OR OTHERS THEN
            RAISE WARNING 'The day % of store % could not be counted: %', due.day, due.site, SQLERRM;
            UPDATE beacons.due_day d SET failed_at = clock_timestamp() WHERE d.site = due.site AND d.day = due.day;
            -- The timeout does not come a second time.
            EXIT WHEN SQLSTATE = '57014';
        END;
    END LOOP;
    RETURN counted;
END $$;
COMMENT ON FUNCTION beacons.roll_up_days IS
    'Counts the days of stores that are over and that something has changed, for ten seconds at most. Returns how many it counted.';

-- All days that the view counts itself: those that are due, and those that what came since the last roll-up touches.
CREATE VIEW beacons.open_day AS
SELECT site, day FROM beacons.due_day
UNION
SELECT touched.site, d.day::date
FROM (SELECT c.site, range_agg(beacons.due_days(c.site, c.from_at, c.to_at)) AS days FROM beacons.changed c GROUP BY c.site) touched
CROSS JOIN LATERAL unnest(touched.days) during
CROSS JOIN LATERAL generate_series(lower(during)::timestamp, (upper(during) - 1)::timestamp, interval '1 day') d (day);
COMMENT ON VIEW beacons.open_day IS 'Days of stores that occupancy_daily counts when it is asked.';

CREATE VIEW beacons.occupancy_daily AS
SELECT o.site, o.region, o.day, o.visits, o.visits_low, o.visits_high, o.beacons, o.mean_present, o.peak_present, o.peak_at, o.dwell_p25_s,
    o.dwell_p50_s, o.dwell_p75_s, o.covered_share, o.open_share
FROM beacons.occupancy_day o WHERE NOT EXISTS (SELECT FROM beacons.open_day d WHERE d.site = o.site AND d.day = o.day)
UNION ALL
SELECT d.site, o.region, d.day, o.visits, o.visits_low, o.visits_high, o.beacons, o.mean_present, o.peak_present, o.peak_at, o.dwell_p25_s,
    o.dwell_p50_s, o.dwell_p75_s, o.covered_share, o.open_share
FROM beacons.open_day d CROSS JOIN LATERAL beacons.days_with_intervals(d.site, d.day, d.day + 1) o;
COMMENT ON VIEW beacons.occupancy_daily IS
    'A region of a store in one day of the store''s own time zone (beacons.store). A visit counts on each day that it touches; what several '
    'gateways hear at once is one visit. visits is what was counted. A day without a row is one of which nothing is known.';
COMMENT ON COLUMN beacons.occupancy_daily.site IS 'the store';
COMMENT ON COLUMN beacons.occupancy_daily.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.occupancy_daily.day IS 'the day, from midnight to midnight in the store';
COMMENT ON COLUMN beacons.occupancy_daily.visits IS 'visits that touch the day, as they were counted';
COMMENT ON COLUMN beacons.occupancy_daily.beacons IS 'beacons that were there';
COMMENT ON COLUMN beacons.occupancy_daily.mean_present IS 'beacons there on average, over the time that could be heard; null where none could';
COMMENT ON COLUMN beacons.occupancy_daily.peak_present IS 'the most beacons that were there at once';
COMMENT ON COLUMN beacons.occupancy_daily.peak_at IS 'when that was first so; null without a visit';
COMMENT ON COLUMN beacons.occupancy_daily.dwell_p25_s IS 'seconds: a quarter of the visits that ended on the day were shorter, counted from their entry, on whatever day that was';
COMMENT ON COLUMN beacons.occupancy_daily.dwell_p50_s IS 'seconds: half of them were shorter';
COMMENT ON COLUMN beacons.occupancy_daily.dwell_p75_s IS 'seconds: three quarters of them were shorter';
COMMENT ON COLUMN beacons.occupancy_daily.covered_share IS 'the part of the day (so far), 0 to 1, in which any gateway of the region could hear, ''site'' left out';
COMMENT ON COLUMN beacons.occupancy_daily.open_share IS 'the same of the time in which the store was open; null on a day on which it was closed';

-- The least part of the opening time that has to be heard for a day to count in a mean. On a closed day, of the whole day.
CREATE FUNCTION beacons.heard_enough() RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 0.5 $$;

CREATE VIEW beacons.compared AS
SELECT d.site, d.region, d.day, d.visits, before.mean AS mean_4_weeks
FROM beacons.occupancy_daily d
CROSS JOIN LATERAL (
    SELECT avg(b.visits)::double precision AS mean FROM beacons.occupancy_daily b
    WHERE b.site = d.site AND b.region = d.region AND b.day IN (d.day - 7, d.day - 14, d.day - 21, d.day - 28)
    AND coalesce(b.open_share, b.covered_share) >= beacons.heard_enough()) before;
COMMENT ON VIEW beacons.compared IS
    'The visits of a day beside the mean of the same weekday in the four weeks before. Days that were not heard for half of the opening time are left out.';
COMMENT ON COLUMN beacons.compared.site IS 'the store';
COMMENT ON COLUMN beacons.compared.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.compared.day IS 'the day, in the store''s time zone';
COMMENT ON COLUMN beacons.compared.visits IS 'visits that touch the day';
COMMENT ON COLUMN beacons.compared.mean_4_weeks IS 'the mean of the same weekday of the four weeks before; null where none of them was heard';

-- The days of a store whose row in beacons.store changes begin at other moments. All of them are counted anew.
CREATE FUNCTION beacons.count_days_anew(sites text[]) RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO beacons.due_day (site, day)
    SELECT DISTINCT c.site, c.day + near
    FROM (SELECT o.site, o.day FROM beacons.occupancy_day o UNION ALL SELECT z.site, z.day FROM beacons.zone_day z) c
    CROSS JOIN generate_series(-1, 1) near WHERE c.site = ANY (sites)
    ORDER BY 1, 2 ON CONFLICT DO NOTHING
$$;

-- Each collector asks once a minute, in a transaction of its own, so that hours do not wait for days.
CREATE FUNCTION beacons.roll_up_days_when_due() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted bigint;
BEGIN
    IF (SELECT due_at > now() FROM beacons.day_progress) THEN
        RETURN 0;
    END IF;
    counted := beacons.roll_up_days();
    UPDATE beacons.day_progress SET due_at = greatest(
        due_at, clock_timestamp() + greatest(interval '50 seconds', 4 * (clock_timestamp() - now())));
    RETURN counted;
END $$;
COMMENT ON FUNCTION beacons.roll_up_days_when_due IS
    'roll_up_days(), unless the last one that was begun here ended less than 50 s ago, or less than four times ago what it took. Set a statement_timeout.';
COMMENT ON COLUMN beacons.occupancy_daily.visits_low IS
    'on nine of ten store days, the true number of visits is this or more, and visits_high or less. Null where less than a tenth of the opening time was heard';
COMMENT ON COLUMN beacons.occupancy_daily.visits_high IS 'the other end of that interval. visits may lie outside of it: one visit may be counted as two';
