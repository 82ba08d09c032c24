-- Figures of the health of beacons by store, for Prometheus. The views are too slow for a chain every few minutes, so the stores are
-- counted in turn.

CREATE FUNCTION beacons.count_beacons_of(a_site text) RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO beacons.beacon_figure AS f (site, silent, low, ending, strangers, counted_at)
    SELECT a_site, (SELECT count(*) FROM beacons.silent_of(a_site)), b.low, b.ending,
        CASE WHEN EXISTS (SELECT FROM beacons.register r WHERE r.site = a_site)
        THEN (SELECT count(*) FROM beacons.beacon_stranger s WHERE s.site = a_site AND s.last_heard_at > now() - interval '1 day') ELSE 0 END,
        clock_timestamp()
    FROM (
        SELECT count(*) FILTER (WHERE days_left = 0) AS low, count(*) FILTER (WHERE days_left > 0 AND days_left < 30) AS ending
        FROM (
            SELECT CASE WHEN battery_percent <= beacons.lowest_percent() OR battery_mv <= beacons.lowest_mv() THEN 0 ELSE days_left END AS days_left
            FROM beacons.beacon_battery WHERE site = a_site AND last_heard_at > now() - interval '30 days') lately) b
    ON CONFLICT (site) DO UPDATE SET
        silent = excluded.silent, low = excluded.low, ending = excluded.ending, strangers = excluded.strangers, counted_at = excluded.counted_at;
$$;

-- Collectors ask once a minute. One counts at a time, for 3 s at most, so counting takes a twentieth of a core. A store of 100 beacons takes
-- 30 ms, so 6,000 of these have their turn each hour. A store that takes too long by itself is left out until its next turn.
CREATE FUNCTION beacons.count_beacons_when_due() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    begun_at timestamptz := clock_timestamp();
    counted integer := 0;
    next_site text;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('beacons.count_beacons')) THEN
        RETURN 0;
    END IF;
    DELETE FROM beacons.beacon_figure f WHERE NOT EXISTS (SELECT FROM beacons.register r WHERE r.site = f.site)
    AND NOT EXISTS (SELECT FROM beacons.beacon_page p WHERE p.site = f.site);
    FOR next_site IN
        SELECT s.site FROM (SELECT site FROM beacons.register UNION SELECT site FROM beacons.beacon_page) s
        LEFT JOIN beacons.beacon_figure f USING (site)
        WHERE f.counted_at IS NULL OR f.counted_at < now() - interval '4 minutes' ORDER BY f.counted_at NULLS FIRST, s.site
    LOOP
        BEGIN
            PERFORM beacons.count_beacons_of(next_site);
        EXCEPTION WHEN query_canceled THEN
            -- statement_timeout has passed. Other stores must have their turn all the same.
            INSERT INTO beacons.beacon_figure (site, counted_at) VALUES (next_site, clock_timestamp())
            ON CONFLICT (site) DO UPDATE SET silent = NULL, low = NULL, ending = NULL, strangers = NULL, counted_at = excluded.counted_at;
            RETURN counted;
        END;
        counted := counted + 1;
        EXIT WHEN clock_timestamp() > begun_at + interval '3 s';
    END LOOP;
    RETURN counted;
END $$;
COMMENT ON FUNCTION beacons.count_beacons_when_due IS
    'Counts the beacons that need help, of the stores that were counted longest ago, and returns the number of these stores. Set a statement_timeout.';

-- The stores with the most beacons that need help. A chain has thousands of stores, and each would be four series for ever.
CREATE FUNCTION beacons.worst_beacon_figures(most integer)
RETURNS TABLE (site text, silent integer, low integer, ending integer, strangers integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.site, f.silent, f.low, f.ending, f.strangers FROM beacons.beacon_figure f
    WHERE f.silent + f.low + f.ending + f.strangers > 0
    ORDER BY f.silent + f.low + f.ending DESC, f.strangers DESC, f.site LIMIT most
$$;
