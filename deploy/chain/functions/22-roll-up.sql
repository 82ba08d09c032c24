-- Roll-up: counts stays, and the hours that new rows have touched. The views are right without a roll-up too. With it they are quick.

-- The most that counting the hours of a store may cost in one roll-up. So one store does not hold up the figures of others.
CREATE FUNCTION beacons.most_cost() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 100000::bigint $$;
-- Hours that are older than this are late. Only these count towards the budget of hours.
CREATE FUNCTION beacons.late_after() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '4 hours' $$;

-- What a late hour costs besides: its part of a day that is counted anew.
CREATE FUNCTION beacons.day_cost() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 200::bigint $$;

-- Returns what it costs to count an hour of a store, in units of about ten microseconds: a row for each region, and a look at each visit that may
-- be in all hours.
CREATE FUNCTION beacons.hour_cost(a_site text) RETURNS bigint LANGUAGE sql STABLE SET enable_seqscan = off AS $$
    SELECT 8 * (SELECT 1 + count(DISTINCT r.region) FROM beacons.region_gateway r WHERE r.site = a_site)
        + (SELECT count(*) FROM beacons.visit_long v WHERE v.site = a_site AND NOT v.superseded)
$$;

-- The most visits of a beacon that one roll-up joins to stays. More of them since one moment are no visitor's.
CREATE FUNCTION beacons.most_visits_joined() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 20000::bigint $$;

-- Returns for each of a store's beacons the cut, or a later one from which on the beacon has so many visits.
CREATE FUNCTION beacons.newest_cuts(a_site text, which text[], cuts timestamptz[]) RETURNS TABLE (beacon text, cut timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    first_at timestamptz := (SELECT min(at) FROM unnest(cuts) at);
BEGIN
    RETURN QUERY
    SELECT d.beacon, greatest(
        d.cut,
        (SELECT v.entered_at FROM beacons.visit_day v WHERE v.site = a_site AND v.beacon = d.beacon AND v.entered_at >= d.cut AND v.entered_at >= first_at
         ORDER BY v.entered_at DESC OFFSET beacons.most_visits_joined() LIMIT 1),
        (SELECT v.entered_at FROM beacons.visit_long v WHERE v.site = a_site AND v.beacon = d.beacon AND v.entered_at >= d.cut
         ORDER BY v.entered_at DESC OFFSET beacons.most_visits_joined() LIMIT 1))
    FROM unnest(which, cuts) d (beacon, cut);
END $$;

-- Returns the newest hours of these.
CREATE FUNCTION beacons.newest_hours(hours tstzmultirange, most bigint) RETURNS tstzmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN beacons.seconds(hours) <= 3600 * most::double precision THEN hours ELSE coalesce((
        SELECT range_agg(tstzrange(newest.hour, newest.hour + interval '1 hour')) FROM (
            SELECT h.hour FROM unnest(hours) r CROSS JOIN LATERAL generate_series(lower(r), upper(r) - interval '1 microsecond', interval '1 hour') h (hour)
            ORDER BY 1 DESC LIMIT most) newest), '{}') END
$$;

-- Returns for each store the hours that this roll-up counts, those that wait for the next one, and those that are not counted anew at all: the
-- store has used up its budget of hours.
CREATE FUNCTION beacons.hours_to_count(until timestamptz)
RETURNS TABLE (site text, now_due tstzmultirange, later tstzmultirange, given_up tstzmultirange, late_cost bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH touched AS MATERIALIZED (
        SELECT c.site, range_agg(beacons.due_range(c.from_at, c.to_at)) AS hours FROM beacons.rolling_change c GROUP BY c.site
    ), priced AS MATERIALIZED (
        SELECT t.site, t.hours, t.hours - tstzmultirange(tstzrange(beacons.hour_of(until - beacons.late_after()), NULL)) AS late, beacons.hour_cost(t.site) AS cost
        FROM touched t WHERE t.hours IS NOT NULL
    ), allowed AS MATERIALIZED (
        SELECT p.*, p.hours - p.late + beacons.newest_hours(p.late, CASE WHEN isempty(p.late) THEN 0 ELSE beacons.rows_left(p.site, 'hours') / (p.cost + beacons.day_cost()) END) AS within
        FROM priced p
    ), chosen AS MATERIALIZED (
        SELECT a.*, beacons.newest_hours(a.within, greatest(1, beacons.most_cost() / a.cost)) AS now_due FROM allowed a
    )
    SELECT c.site, c.now_due, c.within - c.now_due, c.hours - c.within, (beacons.seconds(c.now_due * c.late) / 3600 * (c.cost + beacons.day_cost()))::bigint FROM chosen c
$$;

-- Silence is known three minutes after it began. So each roll-up counts the minutes before the last one anew. make_days_ahead() makes
-- partitions in a transaction of its own: in this one it would ask for locks of tables that the roll-up has read.
CREATE FUNCTION beacons.roll_up() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    counted bigint;
    lost bigint;
    until timestamptz := now();
    first timestamptz;
    last timestamptz;
BEGIN
    -- One at a time; whoever comes second has nothing to do.
    IF NOT pg_try_advisory_xact_lock(hashtext('beacons.roll_up')) THEN
        RETURN 0;
    END IF;
    TRUNCATE beacons.rolling_change, beacons.rolling_stay, beacons.rolling_hour;

    -- Each statement from here on sees at least what these rows report. What is committed later is still in `changed`.
    WITH taken AS (DELETE FROM beacons.changed RETURNING *)
    INSERT INTO beacons.rolling_change SELECT site, beacon, from_at, to_at FROM taken;
    GET DIAGNOSTICS counted = ROW_COUNT;
    -- Time has passed as well: who was inside still is, and who could hear still can.
    INSERT INTO beacons.rolling_change
    SELECT DISTINCT r.site, NULL::text, p.rolled_until - beacons.silence_patience() - interval '1 minute', until FROM beacons.region_gateway r, beacons.progress p
    WHERE isfinite(p.rolled_until) AND p.rolled_until < until;
    ANALYZE beacons.rolling_change;

    INSERT INTO beacons.rolling_stay
    SELECT c.site, t.beacon, t.cut
    FROM (
        SELECT b.site, array_agg(b.beacon) AS which, array_agg(b.from_at) AS changes
        FROM (SELECT site, beacon, min(from_at) AS from_at FROM beacons.rolling_change WHERE beacon <> '//' GROUP BY site, beacon) b GROUP BY b.site) c
    CROSS JOIN LATERAL beacons.stay_cuts(c.site, c.which, c.changes) t;
    -- Only a store that sent as many messages is looked at.
    UPDATE beacons.rolling_stay r SET cut = n.cut
    FROM (
        SELECT o.site, array_agg(o.beacon) AS which, array_agg(o.cut) AS cuts FROM beacons.rolling_stay o WHERE o.cut < until - beacons.late_after() GROUP BY o.site
        HAVING (SELECT sum(u.messages) FROM beacons.used u WHERE u.site = o.site AND u.kind = 'told') > beacons.most_visits_joined()) o
    CROSS JOIN LATERAL beacons.newest_cuts(o.site, o.which, o.cuts) n
    WHERE n.cut > r.cut AND r.site = o.site AND r.beacon = n.beacon;
    ANALYZE beacons.rolling_stay;
    SELECT min(cut) INTO first FROM beacons.rolling_stay;
    DELETE FROM beacons.stay_day s USING beacons.rolling_stay r
    WHERE s.site = r.site AND s.beacon = r.beacon AND s.entered_at >= r.cut AND s.entered_at >= first;
    DELETE FROM beacons.stay_long s USING beacons.rolling_stay r
    WHERE s.site = r.site AND s.beacon = r.beacon AND s.entered_at >= r.cut;
    WITH made AS MATERIALIZED (
        SELECT r.site, s.*, s.left_at IS NOT NULL AND s.left_at <= s.entered_at + interval '1 day' AS is_short
        FROM (SELECT site, array_agg(beacon) AS which, array_agg(cut) AS cuts FROM beacons.rolling_stay GROUP BY site) r
        CROSS JOIN LATERAL beacons.stays_since(r.site, r.which, r.cuts) s
    ), short AS (
        INSERT INTO beacons.stay_day (site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways)
        SELECT site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways FROM made WHERE is_short
    )
    INSERT INTO beacons.stay_long (site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways)
    SELECT site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways FROM made WHERE NOT is_short;

    WITH plan AS MATERIALIZED (
        SELECT * FROM beacons.hours_to_count(until)
    ), waiting AS (
        -- In the words that due_range() makes these hours of.
        INSERT INTO beacons.changed (site, from_at, to_at)
        SELECT t.site, lower(during), upper(during) - interval '1 hour' - beacons.flow_patience() FROM plan t CROSS JOIN LATERAL unnest(t.later) during
    ), recorded AS MATERIALIZED (
        SELECT beacons.record_used(t.site, 'hours', 0, 0, t.late_cost, (beacons.seconds(t.given_up) / 3600)::bigint)
        FROM plan t WHERE t.late_cost > 0 OR NOT isempty(t.given_up)
    ), days AS (
        INSERT INTO beacons.due_day (site, day)
        SELECT DISTINCT t.site, d.day::date FROM plan t CROSS JOIN LATERAL unnest(t.now_due) during
        CROSS JOIN LATERAL beacons.due_days(t.site, lower(during), upper(during) - interval '1 microsecond') due
        CROSS JOIN LATERAL generate_series(lower(due)::timestamp, (upper(due) - 1)::timestamp, interval '1 day') d (day)
        ORDER BY 1, 2 ON CONFLICT DO NOTHING
    ), hours AS (
        INSERT INTO beacons.rolling_hour
        SELECT t.site, lower(during), upper(during) FROM plan t CROSS JOIN LATERAL unnest(t.now_due) during, (SELECT count(*) FROM recorded) one
    )
    SELECT coalesce(sum(beacons.seconds(t.given_up)) / 3600, 0)::bigint INTO lost FROM plan t;
    ANALYZE beacons.rolling_hour;
    SELECT min(from_hour), max(to_hour) INTO first, last FROM beacons.rolling_hour;
    DELETE FROM beacons.occupancy_hour o USING beacons.rolling_hour r
    WHERE o.site = r.site AND o.hour >= r.from_hour AND o.hour < r.to_hour AND o.hour >= first AND o.hour < last;
    INSERT INTO beacons.occupancy_hour (site, region, hour, visits, beacons, mean_present, covered_share)
    SELECT r.site, o.region, o.hour, o.visits, o.beacons, o.mean_present, o.covered_share
    FROM beacons.rolling_hour r CROSS JOIN LATERAL beacons.occupancy_of(r.site, r.from_hour, r.to_hour) o;
    DELETE FROM beacons.flow_hour f USING beacons.rolling_hour r
    WHERE f.site = r.site AND f.hour >= r.from_hour AND f.hour < r.to_hour AND f.hour >= first AND f.hour < last;
    INSERT INTO beacons.flow_hour (site, region, hour, from_zone, to_zone, visits)
    SELECT r.site, f.region, f.hour, f.from_zone, f.to_zone, f.visits
    FROM beacons.rolling_hour r CROSS JOIN LATERAL beacons.flow_of(r.site, r.from_hour, r.to_hour) f;

    UPDATE beacons.progress SET rolled_until = until, hours_given_up = hours_given_up + lost;
    RETURN counted;
END $$;
COMMENT ON FUNCTION beacons.roll_up IS
    'Counts in what has come since the last time, and says how much that was. Once a minute is often enough; two at once do no harm.';

-- Each collector asks for a roll-up once a minute. A roll-up that takes long is followed by a rest. So counting takes a fifth of a core at
-- most, however many events come and however many collectors ask. The views are right meanwhile.
CREATE FUNCTION beacons.roll_up_when_due() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted bigint;
BEGIN
    IF (SELECT due_at > now() FROM beacons.progress) THEN
        RETURN 0;
    END IF;
    counted := beacons.roll_up();
    -- A little less than the minute after which the same collector asks again.
    UPDATE beacons.progress SET due_at = greatest(
        due_at, clock_timestamp() + greatest(interval '50 seconds', 4 * (clock_timestamp() - now())));
    RETURN counted;
END $$;
COMMENT ON FUNCTION beacons.roll_up_when_due IS
    'roll_up(), unless the last one that was begun here ended less than 50 s ago, or less than four times ago what it took. Returns 0 then.';

-- A collector cannot read tables.
CREATE FUNCTION beacons.hours_given_up() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT p.hours_given_up FROM beacons.progress p $$;
COMMENT ON FUNCTION beacons.hours_given_up IS 'How many late hours of all stores were not counted anew so far, because a budget was used up.';
