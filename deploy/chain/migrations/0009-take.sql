-- The way in: what a collector has, in one call and one transaction.

-- The contents of a message, for telling a repetition: agents of earlier versions do not say where they are.
CREATE FUNCTION beacons.contents(payload jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT payload - 'site' - 'gateway' $$;

-- How a number that has come before compares: the same contents are a repetition.
CREATE FUNCTION beacons.outcome(is_new boolean, is_same boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN is_new THEN 'new' WHEN is_same THEN 'repeated' ELSE 'conflict' END $$;

CREATE FUNCTION beacons.take_events(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    days date[];
BEGIN
    SELECT array_agg(DISTINCT (at AT TIME ZONE 'UTC')::date) FILTER (WHERE isfinite(at)) INTO days
    FROM jsonb_to_recordset(batch) AS m (kind text, payload jsonb),
        LATERAL (VALUES ((payload->>'at')::timestamptz), ((payload->>'entered_at')::timestamptz)) told (at)
    WHERE kind = 'event';
    PERFORM beacons.make_days('event', days), beacons.make_days('visit_day', days);
    -- From here on nobody else adds a number of these gateways.
    PERFORM beacons.lock_gateways(array_agg(site), array_agg(gateway))
    FROM (SELECT DISTINCT site, gateway FROM jsonb_to_recordset(batch) AS m (kind text, site text, gateway text) WHERE kind = 'event') told;
    PERFORM set_config('beacons.gateways_are_locked', 'yes', true);

    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.zone, m.received_at, m.payload, p.*,
            row_number() OVER told = 1 AS is_first, first_value(beacons.contents(m.payload)) OVER told AS first_contents,
            EXISTS (
                SELECT FROM beacons.gateway g JOIN beacons.number n ON n.gateway_id = g.id
                WHERE g.site = m.site AND g.gateway = m.gateway AND n.epoch = p.epoch
                AND n.block = beacons.number_block(p.seq) AND n.seqs @> p.seq) AS has_come
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, zone text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, seq bigint, at timestamptz, type text, region text, uuid text, major integer, minor integer,
            rssi_dbm double precision, accuracy_m double precision, proximity text, entered_at timestamptz, last_heard_at timestamptz,
            last_inside_at timestamptz, dwell_s double precision, partial boolean, inferred boolean, location jsonb)
        WHERE m.kind = 'event'
        WINDOW told AS (PARTITION BY m.site, m.gateway, p.epoch, p.seq ORDER BY m.i)
    ), added AS (
        INSERT INTO beacons.event (
            site, gateway, epoch, seq, at, received_at, type, region, uuid, major, minor, zone, rssi_dbm, accuracy_m, proximity,
            entered_at, last_heard_at, last_inside_at, dwell_s, partial, inferred, latitude, longitude, payload)
        SELECT site, gateway, epoch, seq, at, received_at, type, region, upper(uuid), major, minor, zone, rssi_dbm, accuracy_m, proximity,
            entered_at, last_heard_at, last_inside_at, dwell_s, coalesce(partial, false), coalesce(inferred, false),
            (location->>'latitude')::double precision, (location->>'longitude')::double precision, payload
        FROM message WHERE is_first AND NOT has_come
    )
    SELECT m.i, o.outcome, CASE WHEN o.outcome = 'conflict' THEN format('seq: %s of epoch %s was another event before', m.seq, m.epoch) END
    FROM message m
    CROSS JOIN LATERAL (SELECT beacons.outcome(
        m.is_first AND NOT m.has_come,
        CASE WHEN NOT m.has_come THEN m.first_contents = beacons.contents(m.payload)
        -- Another time is another event; of a day that was dropped nobody knows any more.
        ELSE coalesce((
            SELECT coalesce(beacons.contents(e.payload) = beacons.contents(m.payload), true) FROM beacons.event e
            WHERE e.site = m.site AND e.gateway = m.gateway AND e.epoch = m.epoch AND e.seq = m.seq AND e.at = m.at),
            m.at < (SELECT kept_since FROM beacons.progress)) END) AS outcome) o;
    PERFORM set_config('beacons.gateways_are_locked', '', true);
END $$;

-- A span of coverage and a batch of fixes have numbers too; a gap is its own.
CREATE FUNCTION beacons.take_numbered(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*,
            CASE WHEN p.from_seq IS NOT NULL THEN 'seq' WHEN p.from_span IS NOT NULL THEN 'span' ELSE 'batch' END AS counts
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, at timestamptz, cause text, from_seq bigint, to_seq bigint, from_span bigint, to_span bigint, from_batch bigint, to_batch bigint)
        WHERE m.kind = 'gap'
    ), added AS (
        INSERT INTO beacons.gap (site, gateway, epoch, counts, from_seq, to_seq, at, received_at, cause, payload)
        SELECT site, gateway, epoch, counts, coalesce(from_seq, from_span, from_batch), coalesce(to_seq, to_span, to_batch),
            at, received_at, cause, payload
        FROM message ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT DO NOTHING RETURNING payload
    )
    SELECT m.i, beacons.outcome(EXISTS (SELECT FROM added a WHERE a.payload = m.payload), true), NULL::text FROM message m;

    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*, row_number() OVER told = 1 AS is_first,
            first_value(beacons.contents(m.payload)) OVER told AS first_contents
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (epoch text, span bigint, from_at timestamptz, to_at timestamptz, radio text)
        WHERE m.kind = 'coverage'
        WINDOW told AS (PARTITION BY m.site, m.gateway, p.epoch, p.span ORDER BY m.i)
    ), added AS (
        INSERT INTO beacons.coverage_span (site, gateway, epoch, span, from_at, to_at, radio, received_at, payload)
        SELECT site, gateway, epoch, span, from_at, to_at, radio, received_at, payload FROM message WHERE is_first ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING RETURNING site, gateway, epoch, span
    )
    SELECT m.i, o.outcome, CASE WHEN o.outcome = 'conflict' THEN format('span: %s of epoch %s was another one before', m.span, m.epoch) END
    FROM message m LEFT JOIN added a USING (site, gateway, epoch, span)
    CROSS JOIN LATERAL (SELECT beacons.outcome(
        a.site IS NOT NULL AND m.is_first,
        coalesce((SELECT c.from_at = m.from_at AND c.to_at = m.to_at AND c.radio = m.radio FROM beacons.coverage_span c
            WHERE c.site = m.site AND c.gateway = m.gateway AND c.epoch = m.epoch AND c.span = m.span),
            m.first_contents = beacons.contents(m.payload))) AS outcome) o;

    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, p.*, md5(beacons.contents(m.payload)::text) AS digest,
            row_number() OVER told = 1 AS is_first, first_value(md5(beacons.contents(m.payload)::text)) OVER told AS first_digest
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (epoch text, batch bigint, at timestamptz, finished text, fixes jsonb)
        WHERE m.kind = 'track'
        WINDOW told AS (PARTITION BY m.site, m.gateway, p.epoch, p.batch ORDER BY m.i)
    ), added AS (
        INSERT INTO beacons.track (site, gateway, epoch, batch, at, received_at, finished, fixes, digest)
        SELECT site, gateway, epoch, batch, at, received_at, finished, jsonb_array_length(fixes), digest
        FROM message WHERE is_first ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING RETURNING site, gateway, epoch, batch
    )
    SELECT m.i, o.outcome, CASE WHEN o.outcome = 'conflict' THEN format('batch: %s of epoch %s was another one before', m.batch, m.epoch) END
    FROM message m LEFT JOIN added a USING (site, gateway, epoch, batch)
    CROSS JOIN LATERAL (SELECT beacons.outcome(
        a.site IS NOT NULL AND m.is_first,
        coalesce((SELECT t.digest FROM beacons.track t
            WHERE t.site = m.site AND t.gateway = m.gateway AND t.epoch = m.epoch AND t.batch = m.batch), m.first_digest) = m.digest) AS outcome) o;
END $$;

-- What is retained says what is so now, and comes again after every subscription: it is new once.
CREATE FUNCTION beacons.take_retained(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (at timestamptz, epoch text, state text, radio text, version text)
        WHERE m.kind = 'status'
    ), added AS (
        INSERT INTO beacons.status (site, gateway, at, received_at, epoch, state, radio, version, payload)
        SELECT site, gateway, at, received_at, epoch, state, radio, version, payload FROM message ORDER BY site, gateway, at, received_at, i
        ON CONFLICT DO NOTHING RETURNING site, gateway, payload
    )
    SELECT m.i, beacons.outcome(EXISTS (
        SELECT FROM added a WHERE a.site = m.site AND a.gateway = m.gateway AND a.payload = m.payload), true), NULL::text
    FROM message m;

    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, (m.payload->>'at')::timestamptz AS at
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        WHERE m.kind = 'health'
    ), added AS (
        INSERT INTO beacons.health (site, gateway, at, received_at, payload)
        SELECT site, gateway, at, received_at, payload FROM message ORDER BY 1, 2, 3
        ON CONFLICT DO NOTHING RETURNING site, gateway, at
    )
    SELECT m.i, beacons.outcome(a.site IS NOT NULL, true), NULL::text FROM message m LEFT JOIN added a USING (site, gateway, at);

    RETURN QUERY
    WITH fix AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, f.*
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_array_elements(
            CASE WHEN m.kind = 'location' THEN jsonb_build_array(m.payload->'fix') ELSE m.payload->'fixes' END) fix
        CROSS JOIN LATERAL jsonb_to_record(fix) AS f (
            at timestamptz, latitude double precision, longitude double precision, horizontal_accuracy_m double precision,
            altitude_m double precision, speed_m_s double precision, course_deg double precision, heading_deg double precision)
        WHERE m.kind IN ('location', 'track')
    ), added AS (
        INSERT INTO beacons.location (
            site, gateway, at, received_at, latitude, longitude, horizontal_accuracy_m, altitude_m, speed_m_s, course_deg, heading_deg)
        SELECT site, gateway, at, received_at, latitude, longitude, horizontal_accuracy_m, altitude_m, speed_m_s, course_deg, heading_deg
        FROM fix ORDER BY 1, 2, 3
        ON CONFLICT DO NOTHING RETURNING site, gateway, at
    )
    SELECT (m->>'i')::integer, beacons.outcome(EXISTS (
        SELECT FROM fix f JOIN added a USING (site, gateway, at) WHERE f.i = (m->>'i')::integer), true), NULL::text
    FROM jsonb_array_elements(batch) m WHERE m->>'kind' = 'location';
END $$;

CREATE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[];
    others jsonb;
BEGIN
    SELECT array_agg(DISTINCT m.kind) INTO kinds FROM jsonb_to_recordset(batch) AS m (kind text);
    -- In this order always, so that two collectors never wait for each other.
    IF 'event' = ANY (kinds) THEN
        RETURN QUERY SELECT * FROM beacons.take_events(batch);
    END IF;
    IF kinds && ARRAY['gap', 'coverage', 'track', 'status', 'health', 'location'] THEN
        SELECT jsonb_agg(m) INTO others FROM jsonb_array_elements(batch) m WHERE m->>'kind' NOT IN ('event', 'state');
        RETURN QUERY SELECT * FROM beacons.take_numbered(others);
        RETURN QUERY SELECT * FROM beacons.take_retained(others);
    END IF;
    -- States repeat what events say; the views count events.
    IF 'state' = ANY (kinds) THEN
        RETURN QUERY SELECT m.i, 'unkept', NULL::text FROM jsonb_to_recordset(batch) AS m (i integer, kind text) WHERE m.kind = 'state';
    END IF;
END $$;
COMMENT ON FUNCTION beacons.take IS
    'Takes a batch of messages: [{"i", "kind", "site", "gateway", "zone", "received_at", "payload"}, …]. Says of each whether it is new, '
    'repeated (the same number and contents: nothing is done) or a conflict (the same number, other contents: nothing is done). '
    'Several may give overlapping batches at the same time.';
