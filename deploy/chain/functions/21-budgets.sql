-- Budgets: what a store may cost, so that one store cannot fill the database of all. Messages beyond it are counted and not kept.

-- Everything that depends on the kind of a message. The place is the order in which the kinds of a batch are taken, so that two collectors never
-- wait for each other. A gap names a series by its word. `list` is a field with an element for each row that the message makes.
CREATE VIEW beacons.kind AS
SELECT * FROM (VALUES
    (1, 'event', 'told', 'take_events', 'seq', NULL, true),
    (2, 'gap', 'told', 'take_gaps', NULL, NULL, false),
    (3, 'coverage', 'told', 'take_spans', 'span', NULL, false),
    (4, 'track', 'told', 'take_tracks', 'batch', 'fixes', false),
    (5, 'surge', 'told', 'take_surges', 'surge', NULL, false),
    (6, 'status', 'told', 'take_statuses', NULL, NULL, false),
    (7, 'health', 'health', 'take_healths', NULL, NULL, false),
    (8, 'location', 'told', 'take_fixes', NULL, NULL, false),
    (9, 'state', 'told', 'take_states', NULL, NULL, true),
    (10, 'beacons', 'told', 'take_beacons', NULL, NULL, false),
    (11, 'heat', 'told', 'take_sheets', 'sheet', 'cells', false),
    (12, 'count', 'told', 'take_counts', 'count', NULL, false)) k (place, kind, budget, taker, series, list, names_region);
COMMENT ON VIEW beacons.kind IS 'The kinds of messages, with the budget that each is counted in and the function that takes it.';

CREATE FUNCTION beacons.today() RETURNS date LANGUAGE sql STABLE AS $$ SELECT (now() AT TIME ZONE 'UTC')::date $$;

-- Returns a store's own budget, or else that of each store.
CREATE FUNCTION beacons.budget_of(a_site text, a_kind text) RETURNS beacons.budget LANGUAGE sql STABLE
SET enable_seqscan = off AS
$$ SELECT b FROM beacons.budget b WHERE b.kind = a_kind AND b.site IN (a_site, '') ORDER BY b.site DESC LIMIT 1 $$;

-- Returns how many rows a store may have in all.
CREATE FUNCTION beacons.most_rows(a_site text, a_kind text) RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT coalesce((beacons.budget_of(a_site, a_kind)).rows_in_all, 9223372036854775807) $$;

-- Returns whether a store has used up its budget of today.
CREATE FUNCTION beacons.is_used_up(a_site text, a_kind text) RETURNS boolean LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT coalesce(u.messages >= b.messages_a_day, false) OR coalesce(u.octets >= b.octets_a_day, false) OR coalesce(u.rows >= b.rows_a_day, false)
    FROM beacons.budget_of(a_site, a_kind) b
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.messages), 0) AS messages, coalesce(sum(u.octets), 0) AS octets, coalesce(sum(u.rows), 0) AS rows
        FROM beacons.used u WHERE u.site = a_site AND u.day = beacons.today() AND u.kind = a_kind) u
$$;

-- The cost that a store need not earn with messages: the late hours of a month.
CREATE FUNCTION beacons.free_cost() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 150000::bigint $$;

-- Returns how many rows of its budget of today a store has left. A backlog has many messages, and a made-up span of a year is one.
CREATE FUNCTION beacons.rows_left(a_site text, a_kind text) RETURNS bigint LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT greatest(0, coalesce(least(b.rows_a_day, beacons.free_cost() + b.rows_a_message * u.messages), 9223372036854775807) - u.rows)::bigint
    FROM beacons.budget_of(a_site, a_kind) b
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.rows) FILTER (WHERE u.kind = a_kind), 0) AS rows, coalesce(sum(u.messages) FILTER (WHERE u.kind = 'told'), 0) AS messages
        FROM beacons.used u WHERE u.site = a_site AND u.day = beacons.today()) u
$$;

CREATE FUNCTION beacons.record_used(a_site text, a_kind text, messages bigint, octets bigint, rows bigint, given_up bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO beacons.used AS u (site, day, kind, process, messages, octets, rows, given_up)
    VALUES (a_site, beacons.today(), a_kind, pg_backend_pid(), $3, $4, $5, $6)
    ON CONFLICT (site, day, kind, process) DO UPDATE
    SET messages = u.messages + excluded.messages, octets = u.octets + excluded.octets, rows = u.rows + excluded.rows, given_up = u.given_up + excluded.given_up
$$;

-- Returns the messages that are not kept, with the budget that is used up: of the day, or the room for gateways or regions.
CREATE FUNCTION beacons.beyond_budget(batch jsonb) RETURNS TABLE (i integer, site text, kind text) LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, k.budget, CASE WHEN k.names_region THEN m.payload->>'region' END AS region
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, payload jsonb) JOIN beacons.kind k USING (kind)
    ), used_up AS MATERIALIZED (
        -- OFFSET 0 keeps PostgreSQL from asking for each message.
        SELECT s.site, s.budget FROM (SELECT DISTINCT m.site, m.budget FROM message m OFFSET 0) s WHERE beacons.is_used_up(s.site, s.budget)
    ), new_row AS MATERIALIZED (
        SELECT 'gateways' AS kind, m.site, m.gateway, NULL::text AS region, min(m.i) AS first FROM message m GROUP BY m.site, m.gateway
        HAVING NOT EXISTS (SELECT FROM beacons.gateway g WHERE g.site = m.site AND g.gateway = m.gateway)
        UNION ALL
        SELECT 'regions', m.site, m.gateway, m.region, min(m.i) FROM message m WHERE m.region IS NOT NULL GROUP BY m.site, m.gateway, m.region
        HAVING NOT EXISTS (SELECT FROM beacons.region_gateway r WHERE r.site = m.site AND r.region = m.region AND r.gateway = m.gateway)
    ), room AS MATERIALIZED (
        SELECT n.kind, n.site, beacons.most_rows(n.site, n.kind) - CASE n.kind
            WHEN 'gateways' THEN (SELECT count(*) FROM beacons.gateway g WHERE g.site = n.site)
            ELSE (SELECT count(*) FROM beacons.region_gateway r WHERE r.site = n.site) END AS rows
        FROM (SELECT DISTINCT n.kind, n.site FROM new_row n) n
    ), without_room AS MATERIALIZED (
        SELECT p.* FROM (SELECT n.*, row_number() OVER (PARTITION BY n.kind, n.site ORDER BY n.first) AS place FROM new_row n) p
        JOIN room USING (kind, site) WHERE p.place > room.rows
    )
    SELECT m.i, m.site, coalesce(u.budget, g.kind, r.kind) FROM message m
    LEFT JOIN used_up u ON u.site = m.site AND u.budget = m.budget
    LEFT JOIN without_room g ON g.kind = 'gateways' AND g.site = m.site AND g.gateway = m.gateway
    LEFT JOIN without_room r ON r.kind = 'regions' AND r.site = m.site AND r.gateway = m.gateway AND r.region = m.region
    WHERE coalesce(u.budget, g.kind, r.kind) IS NOT NULL
$$;

CREATE VIEW beacons.budget_daily AS
SELECT u.site, u.day, u.kind, u.messages, u.octets, u.rows, u.given_up, b.messages_a_day, b.octets_a_day, b.rows_a_day,
    greatest(u.messages / nullif(b.messages_a_day, 0)::double precision, u.octets / nullif(b.octets_a_day, 0)::double precision,
        u.rows / nullif(b.rows_a_day, 0)::double precision) AS used_share
FROM (
    SELECT site, day, kind, sum(messages)::bigint AS messages, sum(octets)::bigint AS octets, sum(rows)::bigint AS rows, sum(given_up)::bigint AS given_up
    FROM beacons.used GROUP BY 1, 2, 3) u
CROSS JOIN LATERAL beacons.budget_of(u.site, u.kind) b;
COMMENT ON VIEW beacons.budget_daily IS
    'What each store cost in a UTC day, by the time of arrival, beside what it may cost. Beyond that its messages are counted and not kept.';
COMMENT ON COLUMN beacons.budget_daily.site IS 'the store; empty where a rejected topic names none';
COMMENT ON COLUMN beacons.budget_daily.day IS 'the UTC day in which it came';
COMMENT ON COLUMN beacons.budget_daily.kind IS 'told (events and all else that is kept), health, rejected, hours, gateways or regions: see the table budget';
COMMENT ON COLUMN beacons.budget_daily.messages IS 'messages that are kept';
COMMENT ON COLUMN beacons.budget_daily.octets IS 'their length';
COMMENT ON COLUMN beacons.budget_daily.rows IS 'rows that they made; of hours, what counting late hours cost, in units of about ten microseconds';
COMMENT ON COLUMN beacons.budget_daily.given_up IS 'messages that were not kept, because the budget was used up; of hours, late hours that were not counted anew';
COMMENT ON COLUMN beacons.budget_daily.messages_a_day IS 'how many messages are kept in a day';
COMMENT ON COLUMN beacons.budget_daily.octets_a_day IS 'how many octets of them';
COMMENT ON COLUMN beacons.budget_daily.rows_a_day IS 'how many rows';
COMMENT ON COLUMN beacons.budget_daily.used_share IS 'which part of the budget is used; slightly more than 1 where the last batch went beyond it';
