-- Gateways now, and the opening hours in which no gateway of a store could hear.

CREATE VIEW beacons.gateway_now AS
SELECT g.site, g.gateway,
    CASE WHEN s.state = 'online' AND w.received_at >= s.received_at AND w.received_at < now() - beacons.silence_patience()
        THEN 'silent' ELSE s.state END AS state,
    s.radio, s.version, greatest(s.at, w.at) AS told_at
FROM beacons.gateway g
-- By the index, as in coverage_open.
CROSS JOIN LATERAL (
    SELECT n.at, n.received_at, n.state, n.radio, n.version FROM beacons.status n
    WHERE n.site = g.site AND n.gateway = g.gateway ORDER BY n.received_at DESC, n.id DESC LIMIT 1) s
LEFT JOIN beacons.last_word w ON w.site = g.site AND w.gateway = g.gateway;
COMMENT ON VIEW beacons.gateway_now IS
    'Each gateway that ever published a status, as it is now. A gateway is down where state is not online. Its radio hears where radio is scanning or replay.';
COMMENT ON COLUMN beacons.gateway_now.site IS 'the store';
COMMENT ON COLUMN beacons.gateway_now.gateway IS 'the gateway; ''site'' for beacond site';
COMMENT ON COLUMN beacons.gateway_now.state IS
    'online, offline, or silent: its newest status is online, but no health has come for more than three minutes, after some had come';
COMMENT ON COLUMN beacons.gateway_now.radio IS 'the condition of its radio, from its newest status';
COMMENT ON COLUMN beacons.gateway_now.version IS 'the version of its agent, from its newest status';
COMMENT ON COLUMN beacons.gateway_now.told_at IS 'the time of its newest status or health, by its own clock';

-- Returns the first day of a store of which the database has anything, at most 400 days back. Where nothing has ever come, it is the day on which the
-- store was loaded; null where it was not.
CREATE FUNCTION beacons.first_day_of(a_site text) RETURNS date LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT greatest(first.day, (now() - interval '400 days')::date)
    FROM (SELECT coalesce(least(
        (SELECT min(o.day) FROM beacons.occupancy_day o WHERE o.site = a_site),
        (SELECT min(d.day) FROM beacons.open_day d WHERE d.site = a_site),
        (SELECT (c.from_at AT TIME ZONE beacons.time_zone_of(a_site))::date FROM beacons.coverage_span c
         WHERE c.site = a_site ORDER BY c.to_at LIMIT 1)), (SELECT s.since FROM beacons.store s WHERE s.site = a_site)) AS day) first
    WHERE first.day IS NOT NULL
$$;

-- Returns the rows of not_heard for a store's days, from `from_day` on and before `to_day`. This is the one definition of it. Days before the store's first
-- one have no row: a chain that asks for last month would take a store that was not there yet for a deaf one.
CREATE FUNCTION beacons.not_heard_of(a_site text, from_day date, to_day date) RETURNS TABLE (from_at timestamptz, to_at timestamptz)
LANGUAGE sql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH open AS (
        SELECT range_agg(o.during) * tstzmultirange(tstzrange(NULL, now())) AS during
        FROM beacons.first_day_of(a_site) f(day) CROSS JOIN LATERAL beacons.opening_of(a_site, greatest(from_day, f.day), to_day) o
        WHERE f.day IS NOT NULL
    ), heard AS (
        SELECT c.during FROM beacons.covered_day c WHERE c.site = a_site AND c.day BETWEEN from_day - 1 AND to_day + 1
        UNION ALL
        -- Of longer spans, covered_day has the end alone.
        SELECT tstzmultirange(tstzrange(c.from_at, c.to_at)) FROM beacons.coverage_span c
        WHERE c.site = a_site AND c.to_at - c.from_at > interval '2 days' AND c.to_at > (from_day - 1)::timestamp AT TIME ZONE 'UTC'
        AND beacons.hears(c.radio) AND c.gateway <> 'site'
        UNION ALL
        SELECT tstzmultirange(tstzrange(o.from_at, coalesce(o.to_at, greatest(o.from_at, now()))))
        FROM beacons.coverage_open o WHERE o.site = a_site AND o.gateway <> 'site'
    )
    SELECT lower(piece), upper(piece) FROM open o
    CROSS JOIN LATERAL unnest(o.during - coalesce((SELECT range_agg(h.during) FROM heard h), '{}')) piece
$$;
COMMENT ON FUNCTION beacons.not_heard_of IS
    'The rows of not_heard of a store, of its days from the first date on and before the second one. Quicker than the view for a part of the time of many stores.';

CREATE VIEW beacons.not_heard AS
SELECT s.site, n.from_at, n.to_at
FROM (SELECT g.site, beacons.first_day_of(g.site) AS day FROM (SELECT site FROM beacons.gateway UNION SELECT site FROM beacons.store) g OFFSET 0) s
CROSS JOIN LATERAL beacons.not_heard_of(s.site, s.day, (now() + interval '2 days')::date) n;
COMMENT ON VIEW beacons.not_heard IS
    'Times inside the opening hours of a store in which no gateway of it could hear, or none published that it could: nothing is known of visits then. '
    'From the store''s first day in this database until now; of a store of which nothing has come, from the day on which it was loaded. A store without opening hours in beacons.store is always open.';
COMMENT ON COLUMN beacons.not_heard.site IS 'the store';
COMMENT ON COLUMN beacons.not_heard.from_at IS 'since when no gateway could hear, or when the store opened';
COMMENT ON COLUMN beacons.not_heard.to_at IS 'until when, or when the store closed; now, while it lasts';
