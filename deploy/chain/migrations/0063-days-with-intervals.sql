-- Days with their intervals: occupancy_daily gains visits_low and visits_high.

DROP VIEW beacons.compared, beacons.occupancy_daily;
ALTER TABLE beacons.occupancy_day ADD visits_low integer, ADD visits_high integer;

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

-- When a store's day could not be counted last. Other stores have their turn first.
ALTER TABLE beacons.due_day ADD failed_at timestamptz;

CREATE TABLE beacons.day_progress (
    due_at timestamptz NOT NULL
);
INSERT INTO beacons.day_progress VALUES ('-infinity');
COMMENT ON TABLE beacons.day_progress IS 'When the next collector that asks counts days.';

-- Counts due days that are over, as before, with their intervals. A day that fails, or that the caller's statement_timeout ends, costs no other its
-- turn: what was counted until then stays.
CREATE OR REPLACE FUNCTION beacons.roll_up_days() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
        -- What this call does not see yet is still to be noted.
        AND NOT EXISTS (SELECT FROM beacons.changed c WHERE c.site = d.site AND beacons.due_days(c.site, c.from_at, c.to_at) @> d.day)
        -- In any order of stores, so that one whose days take long and change again and again holds up no other.
        ORDER BY d.failed_at NULLS FIRST, d.day DESC, random() LIMIT 10000
    LOOP
        EXIT WHEN clock_timestamp() > until;
        BEGIN
            DELETE FROM beacons.occupancy_day o WHERE o.site = due.site AND o.day = due.day;
            INSERT INTO beacons.occupancy_day SELECT * FROM beacons.days_with_intervals(due.site, due.day, due.day + 1);
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

CREATE OR REPLACE FUNCTION beacons.roll_up_when_due() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
COMMENT ON COLUMN beacons.occupancy_daily.visits_low IS
    'on nine of ten store days, the true number of visits is this or more, and visits_high or less. Null where less than a tenth of the opening time was heard';
COMMENT ON COLUMN beacons.occupancy_daily.visits_high IS 'the other end of that interval. visits may lie outside of it: one visit may be counted as two';
COMMENT ON COLUMN beacons.occupancy_daily.beacons IS 'beacons that were there';
COMMENT ON COLUMN beacons.occupancy_daily.mean_present IS 'beacons there on average, over the time that could be heard; null where none could';
COMMENT ON COLUMN beacons.occupancy_daily.peak_present IS 'the most beacons that were there at once';
COMMENT ON COLUMN beacons.occupancy_daily.peak_at IS 'when that was first so; null without a visit';
COMMENT ON COLUMN beacons.occupancy_daily.dwell_p25_s IS 'seconds: a quarter of the visits that ended on the day were shorter, counted from their entry, on whatever day that was';
COMMENT ON COLUMN beacons.occupancy_daily.dwell_p50_s IS 'seconds: half of them were shorter';
COMMENT ON COLUMN beacons.occupancy_daily.dwell_p75_s IS 'seconds: three quarters of them were shorter';
COMMENT ON COLUMN beacons.occupancy_daily.covered_share IS 'the part of the day (so far), 0 to 1, in which any gateway of the region could hear, ''site'' left out';
COMMENT ON COLUMN beacons.occupancy_daily.open_share IS 'the same of the time in which the store was open; null on a day on which it was closed';

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

-- Days that were counted before have no interval. The last five weeks are counted anew, the newest first: a report compares them. All days of a large
-- chain would take days, and their views would be slow meanwhile.
INSERT INTO beacons.due_day (site, day)
SELECT DISTINCT o.site, o.day FROM beacons.occupancy_day o WHERE o.day >= current_date - 35 ON CONFLICT DO NOTHING;

REVOKE EXECUTE ON FUNCTION beacons.days_with_intervals(text, date, date), beacons.roll_up_days_when_due() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.days_with_intervals(text, date, date) TO beacons_analyst;
GRANT SELECT ON beacons.occupancy_daily, beacons.compared, beacons.day_progress TO beacons_analyst;
GRANT EXECUTE ON FUNCTION beacons.roll_up_days(), beacons.roll_up_days_when_due() TO beacons_collector;
