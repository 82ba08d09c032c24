-- Taking: stores a collector's batch, in one call and one transaction.

-- Gateways come first, then days. A collector that makes a day's partition holds the table. If it waited for a gateway of another collector
-- then, that one could be waiting for the table.
CREATE FUNCTION beacons.take_within_budget(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[];
    others jsonb;
    sheets jsonb;
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
        SELECT jsonb_agg(m) FILTER (WHERE NOT m->'payload' ? 'from_sheet'), jsonb_agg(m) FILTER (WHERE m->'payload' ? 'from_sheet') INTO others, sheets
        FROM jsonb_array_elements(batch) m WHERE m->>'kind' NOT IN ('event', 'state', 'beacons', 'heat');
        RETURN QUERY SELECT * FROM beacons.take_numbered(others);
        RETURN QUERY SELECT * FROM beacons.take_sheet_gaps(sheets);
        RETURN QUERY SELECT * FROM beacons.take_retained(others);
    END IF;
    IF 'state' = ANY (kinds) THEN
        RETURN QUERY SELECT * FROM beacons.take_states(batch);
    END IF;
    IF 'beacons' = ANY (kinds) THEN
        SELECT jsonb_agg(m) INTO others FROM jsonb_array_elements(batch) m WHERE m->>'kind' = 'beacons';
        RETURN QUERY SELECT * FROM beacons.take_beacons(others);
    END IF;
    IF 'heat' = ANY (kinds) THEN
        SELECT jsonb_agg(m) INTO sheets FROM jsonb_array_elements(batch) m WHERE m->>'kind' = 'heat';
        RETURN QUERY SELECT * FROM beacons.take_sheets(sheets);
    END IF;
END $$;

CREATE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    over_told text[];
    over_health text[];
    within jsonb := batch;
BEGIN
    -- The command schema replaces these functions while no batch is being taken.
    PERFORM pg_advisory_xact_lock_shared(hashtext('beacons.take'));
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
    'repeated (the same number and contents: nothing is done), a conflict (the same number, other contents: nothing is done), rejected (it cannot '
    'be true: nothing is done, and the reason is told), unkept (a state) or over_budget (its store has used up its budget of today: it is counted '
    'and not kept). Several may give overlapping batches at the same time.';

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
