-- Taking: stores a collector's batch, in one call and one transaction.

-- Returns what the schema offers to collectors: the version of its functions for them, and the kinds of messages that it takes.
CREATE FUNCTION beacons.offered(OUT version integer, OUT kinds text[]) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT 1, array_agg(k.kind ORDER BY k.place) FROM beacons.kind k $$;

-- Takes messages kind by kind. The kind alone decides which function takes a message.
CREATE FUNCTION beacons.take_within_budget(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT k.taker, m.messages FROM (SELECT m->>'kind' AS kind, jsonb_agg(m) AS messages FROM jsonb_array_elements(batch) m GROUP BY 1) m
        LEFT JOIN beacons.kind k USING (kind) ORDER BY k.place
    LOOP
        IF one.taker IS NULL THEN
            RETURN QUERY SELECT m.i, 'rejected', 'kind: not known' FROM jsonb_to_recordset(one.messages) AS m (i integer);
        ELSE
            RETURN QUERY EXECUTE format('SELECT * FROM beacons.%I($1)', one.taker) USING one.messages;
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    beyond integer[];
    within jsonb := batch;
BEGIN
    -- The command schema replaces these functions while no batch is being taken.
    PERFORM pg_advisory_xact_lock_shared(hashtext('beacons.take'));
    WITH given_up AS MATERIALIZED (
        SELECT * FROM beacons.beyond_budget(batch)
    ), recorded AS MATERIALIZED (
        SELECT beacons.record_used(g.site, g.kind, 0, 0, 0, g.messages) FROM (SELECT site, kind, count(*) AS messages FROM given_up GROUP BY 1, 2) g
    )
    SELECT array_agg(g.i) INTO beyond FROM given_up g, (SELECT count(*) FROM recorded) one;
    IF beyond IS NOT NULL THEN
        RETURN QUERY SELECT over, 'over_budget', NULL::text FROM unnest(beyond) over;
        SELECT coalesce(jsonb_agg(m), '[]') INTO within FROM jsonb_array_elements(batch) m WHERE (m->>'i')::integer <> ALL (beyond);
    END IF;
    -- What several kinds add is added here in one order. Otherwise two collectors could wait for each other.
    PERFORM beacons.add_gateways(array_agg(m.site), array_agg(m.gateway)) FROM jsonb_to_recordset(within) AS m (site text, gateway text);
    -- A gateway that reports a region can hear it. So hours without a visit differ from hours of which nothing is known.
    PERFORM beacons.add_regions(array_agg(m.site), array_agg(m.payload->>'region'), array_agg(m.gateway))
    FROM jsonb_to_recordset(within) AS m (kind text, site text, gateway text, payload jsonb) JOIN beacons.kind k USING (kind) WHERE k.names_region;
    RETURN QUERY
    WITH taken AS MATERIALIZED (
        SELECT t.* FROM beacons.take_within_budget(within) t
    ), recorded AS MATERIALIZED (
        SELECT beacons.record_used(new.site, new.budget, new.messages, new.octets, new.rows, 0) FROM (
            SELECT m.site, k.budget, count(*) AS messages, sum(pg_column_size(m.payload)) AS octets,
                sum(1 + CASE jsonb_typeof(m.payload->k.list) WHEN 'array' THEN jsonb_array_length(m.payload->k.list) ELSE 0 END) AS rows
            FROM taken t JOIN jsonb_to_recordset(within) AS m (i integer, site text, kind text, payload jsonb) USING (i) JOIN beacons.kind k USING (kind)
            WHERE t.outcome = 'new' GROUP BY 1, 2) new
    )
    SELECT t.i, t.outcome, t.reason FROM taken t, (SELECT count(*) FROM recorded) one;
END $$;
COMMENT ON FUNCTION beacons.take IS
    'Takes a batch of messages: [{"i", "kind", "site", "gateway", "zone", "received_at", "payload"}, …]. Says of each whether it is new, '
    'repeated (the same number and contents: nothing is done), a conflict (the same number, other contents: nothing is done), rejected (it cannot '
    'be true: nothing is done, and the reason is returned), unkept (a state) or over_budget (its store has used up its budget of today, or its room: it '
    'is counted and not kept). Several may give overlapping batches at the same time.';

CREATE FUNCTION beacons.reject(received timestamptz[], sites text[], topics text[], payloads bytea[], reasons text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    over text[];
    kept bigint;
BEGIN
    SELECT coalesce(array_agg(s.site), '{}') INTO over FROM (SELECT DISTINCT site FROM unnest(sites) site OFFSET 0) s WHERE beacons.is_used_up(s.site, 'rejected');
    PERFORM beacons.record_used(
        o.site, 'rejected', count(*) FILTER (WHERE o.site <> ALL (over)), coalesce(sum(o.octets) FILTER (WHERE o.site <> ALL (over)), 0)::bigint,
        count(*) FILTER (WHERE o.site <> ALL (over)), count(*) FILTER (WHERE o.site = ANY (over)))
    FROM (SELECT u.site, octet_length(u.topic) + octet_length(u.payload) + octet_length(u.reason) AS octets
        FROM unnest(sites, topics, payloads, reasons) u (site, topic, payload, reason)) o GROUP BY o.site;
    INSERT INTO beacons.rejected (received_at, topic, payload, reason)
    SELECT u.received_at, u.topic, u.payload, u.reason FROM unnest(received, sites, topics, payloads, reasons) u (received_at, site, topic, payload, reason)
    WHERE u.site <> ALL (over);
    GET DIAGNOSTICS kept = ROW_COUNT;
    RETURN kept;
END $$;
COMMENT ON FUNCTION beacons.reject IS 'Keeps messages that could not be read, within their stores'' budgets. Returns how many it kept.';
