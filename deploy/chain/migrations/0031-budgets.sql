-- What a store may cost in a day, so that one store cannot fill the database of all. What comes beyond is counted and not kept.

CREATE TABLE beacons.budget (
    site text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('told', 'health', 'rejected')),
    messages_a_day bigint NOT NULL CHECK (messages_a_day >= 0),
    octets_a_day bigint NOT NULL CHECK (octets_a_day >= 0),
    PRIMARY KEY (site, kind)
);
COMMENT ON TABLE beacons.budget IS
    'What a store may cost in a UTC day: told (events and all else that is kept), health, rejected. The site '''' is each store that has no row of its own.';
-- A store with 64 gateways, each of which tells an event in ten seconds for twelve hours, has 276,000 of them.
INSERT INTO beacons.budget VALUES ('', 'told', 1000000, 1073741824), ('', 'health', 200000, 268435456), ('', 'rejected', 10000, 16777216);

-- Each collector's connection counts in a row of its own: none waits for another.
CREATE TABLE beacons.used (
    site text NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    process integer NOT NULL,
    messages bigint NOT NULL,
    octets bigint NOT NULL,
    given_up bigint NOT NULL,
    PRIMARY KEY (site, day, kind, process)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.used IS 'What each store has cost by UTC day of arrival, as each collector''s connection counted it. The view budget_daily adds it up.';

CREATE FUNCTION beacons.today() RETURNS date LANGUAGE sql STABLE AS $$ SELECT (now() AT TIME ZONE 'UTC')::date $$;

-- Those of the stores that have used up their budget of today.
CREATE FUNCTION beacons.over_budget(sites text[], a_kind text) RETURNS text[] LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT coalesce(array_agg(s.site), '{}') FROM (SELECT DISTINCT site FROM unnest(sites) site) s
    CROSS JOIN LATERAL (
        SELECT b.messages_a_day, b.octets_a_day FROM beacons.budget b WHERE b.kind = a_kind AND b.site IN (s.site, '') ORDER BY b.site DESC LIMIT 1) b
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.messages), 0) AS messages, coalesce(sum(u.octets), 0) AS octets
        FROM beacons.used u WHERE u.site = s.site AND u.day = beacons.today() AND u.kind = a_kind) u
    WHERE u.messages >= b.messages_a_day OR u.octets >= b.octets_a_day
$$;

CREATE FUNCTION beacons.note_used(a_site text, a_kind text, messages bigint, octets bigint, given_up bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO beacons.used AS u VALUES (a_site, beacons.today(), a_kind, pg_backend_pid(), $3, $4, $5)
    ON CONFLICT (site, day, kind, process) DO UPDATE
    SET messages = u.messages + excluded.messages, octets = u.octets + excluded.octets, given_up = u.given_up + excluded.given_up
$$;

CREATE FUNCTION beacons.budget_kind(kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE kind WHEN 'health' THEN 'health' ELSE 'told' END $$;

CREATE FUNCTION beacons.take_within_budget(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[];
    others jsonb;
BEGIN
    SELECT array_agg(DISTINCT m.kind) INTO kinds FROM jsonb_to_recordset(batch) AS m (kind text);
    -- In this order always, so that two collectors never wait for each other.
    IF 'event' = ANY (kinds) THEN
        PERFORM beacons.lock_gateways(array_agg(told.site), array_agg(told.gateway))
        FROM (SELECT DISTINCT m.site, m.gateway FROM jsonb_to_recordset(batch) AS m (kind text, site text, gateway text) WHERE m.kind = 'event') told;
        PERFORM set_config('beacons.gateways_are_locked', 'yes', true);
        RETURN QUERY SELECT * FROM beacons.take_events(batch);
    END IF;
    IF kinds && ARRAY['gap', 'coverage', 'surge', 'track', 'status', 'health', 'location'] THEN
        SELECT jsonb_agg(m) INTO others FROM jsonb_array_elements(batch) m WHERE m->>'kind' NOT IN ('event', 'state');
        RETURN QUERY SELECT * FROM beacons.take_numbered(others);
        RETURN QUERY SELECT * FROM beacons.take_retained(others);
    END IF;
    IF 'state' = ANY (kinds) THEN
        RETURN QUERY SELECT * FROM beacons.take_states(batch);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    over_told text[];
    over_health text[];
    within jsonb := batch;
BEGIN
    SELECT beacons.over_budget(array_agg(site) FILTER (WHERE kind <> 'health'), 'told'),
        beacons.over_budget(array_agg(site) FILTER (WHERE kind = 'health'), 'health') INTO over_told, over_health
    FROM (SELECT DISTINCT m.site, m.kind FROM jsonb_to_recordset(batch) AS m (site text, kind text)) told;
    IF over_told <> '{}' OR over_health <> '{}' THEN
        RETURN QUERY SELECT m.i, 'over_budget', NULL::text FROM jsonb_to_recordset(batch) AS m (i integer, site text, kind text)
        WHERE m.site = ANY (CASE m.kind WHEN 'health' THEN over_health ELSE over_told END);
        PERFORM beacons.note_used(site, kind, 0, 0, given_up) FROM (
            SELECT m.site, beacons.budget_kind(m.kind) AS kind, count(*) AS given_up FROM jsonb_to_recordset(batch) AS m (site text, kind text)
            WHERE m.site = ANY (CASE m.kind WHEN 'health' THEN over_health ELSE over_told END) GROUP BY 1, 2) beyond;
        SELECT coalesce(jsonb_agg(m), '[]') INTO within FROM jsonb_array_elements(batch) m
        WHERE m->>'site' <> ALL (CASE m->>'kind' WHEN 'health' THEN over_health ELSE over_told END);
    END IF;
    RETURN QUERY
    WITH taken AS MATERIALIZED (
        SELECT t.* FROM beacons.take_within_budget(within) t
    ), noted AS MATERIALIZED (
        SELECT beacons.note_used(site, kind, messages, octets, 0) FROM (
            SELECT m.site, beacons.budget_kind(m.kind) AS kind, count(*) AS messages, sum(pg_column_size(m.payload)) AS octets
            FROM taken t JOIN jsonb_to_recordset(within) AS m (i integer, site text, kind text, payload jsonb) USING (i)
            WHERE t.outcome = 'new' GROUP BY 1, 2) new
    )
    SELECT t.i, t.outcome, t.reason FROM taken t, (SELECT count(*) FROM noted) one;
END $$;
COMMENT ON FUNCTION beacons.take IS
    'Takes a batch of messages: [{"i", "kind", "site", "gateway", "zone", "received_at", "payload"}, …]. Says of each whether it is new, '
    'repeated (the same number and contents: nothing is done), a conflict (the same number, other contents: nothing is done), unkept (a state) or '
    'over_budget (its store has used up its budget of today: it is counted and not kept). Several may give overlapping batches at the same time.';

CREATE FUNCTION beacons.reject(received timestamptz[], sites text[], topics text[], payloads bytea[], reasons text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    over text[] := beacons.over_budget(sites, 'rejected');
    kept bigint;
BEGIN
    PERFORM beacons.note_used(
        o.site, 'rejected', count(*) FILTER (WHERE o.site <> ALL (over)), coalesce(sum(o.octets) FILTER (WHERE o.site <> ALL (over)), 0)::bigint,
        count(*) FILTER (WHERE o.site = ANY (over)))
    FROM (SELECT u.site, octet_length(u.topic) + octet_length(u.payload) + octet_length(u.reason) AS octets
        FROM unnest(sites, topics, payloads, reasons) u (site, topic, payload, reason)) o GROUP BY o.site;
    INSERT INTO beacons.rejected (received_at, topic, payload, reason)
    SELECT u.received_at, u.topic, u.payload, u.reason FROM unnest(received, sites, topics, payloads, reasons) u (received_at, site, topic, payload, reason)
    WHERE u.site <> ALL (over);
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END $$;
COMMENT ON FUNCTION beacons.reject IS 'Keeps messages that could not be read, within their stores'' budgets. Returns how many it kept.';

CREATE VIEW beacons.budget_daily AS
SELECT u.site, u.day, u.kind, u.messages, u.octets, u.given_up, b.messages_a_day, b.octets_a_day,
    greatest(u.messages / nullif(b.messages_a_day, 0)::double precision, u.octets / nullif(b.octets_a_day, 0)::double precision) AS used_share
FROM (
    SELECT site, day, kind, sum(messages)::bigint AS messages, sum(octets)::bigint AS octets, sum(given_up)::bigint AS given_up
    FROM beacons.used GROUP BY 1, 2, 3) u
CROSS JOIN LATERAL (
    SELECT b.messages_a_day, b.octets_a_day FROM beacons.budget b WHERE b.kind = u.kind AND b.site IN (u.site, '') ORDER BY b.site DESC LIMIT 1) b;
COMMENT ON VIEW beacons.budget_daily IS
    'What each store cost in a UTC day, by the time of arrival, beside what it may cost. Beyond that its messages are counted and not kept.';
COMMENT ON COLUMN beacons.budget_daily.site IS 'the store; empty where a rejected topic names none';
COMMENT ON COLUMN beacons.budget_daily.day IS 'the UTC day in which it came';
COMMENT ON COLUMN beacons.budget_daily.kind IS 'told (events and all else that is kept), health, or rejected';
COMMENT ON COLUMN beacons.budget_daily.messages IS 'messages that are kept';
COMMENT ON COLUMN beacons.budget_daily.octets IS 'their length';
COMMENT ON COLUMN beacons.budget_daily.given_up IS 'messages that were not kept, because the budget was used up';
COMMENT ON COLUMN beacons.budget_daily.messages_a_day IS 'how many messages are kept in a day';
COMMENT ON COLUMN beacons.budget_daily.octets_a_day IS 'how many octets of them';
COMMENT ON COLUMN beacons.budget_daily.used_share IS 'which part of the budget is used; slightly more than 1 where the last batch went beyond it';

CREATE OR REPLACE FUNCTION beacons.forget_before(day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    before timestamptz := day::timestamp AT TIME ZONE 'UTC';
    daily text;
BEGIN
    FOR daily IN SELECT name FROM beacons.daily LOOP
        EXECUTE format('DELETE FROM beacons.%I WHERE %I < $1', daily || '_default', beacons.partition_column(daily)) USING before;
    END LOOP;
    DELETE FROM beacons.visit_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.stay_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.occupancy_hour WHERE hour < before;
    DELETE FROM beacons.flow_hour WHERE hour < before;
    DELETE FROM beacons.coverage_span WHERE to_at < before;
    DELETE FROM beacons.surge WHERE to_at < before;
    DELETE FROM beacons.track WHERE at < before;
    DELETE FROM beacons.rejected WHERE received_at < before;
    DELETE FROM beacons.used u WHERE u.day < $1;
    -- The newest one says what is so now, however old it is.
    DELETE FROM beacons.status s WHERE received_at < before AND EXISTS (
        SELECT FROM beacons.status n WHERE n.site = s.site AND n.gateway = s.gateway AND (n.received_at, n.id) > (s.received_at, s.id));
END $$;

REVOKE EXECUTE ON FUNCTION
    beacons.today(), beacons.over_budget(text[], text), beacons.note_used(text, text, bigint, bigint, bigint), beacons.budget_kind(text),
    beacons.take_within_budget(jsonb), beacons.reject(timestamptz[], text[], text[], bytea[], text[])
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.reject(timestamptz[], text[], text[], bytea[], text[]) TO beacons_collector;
GRANT SELECT ON beacons.budget, beacons.used, beacons.budget_daily TO beacons_analyst;
