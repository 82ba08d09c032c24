-- Taking numbered messages: gaps, spans of coverage, batches of fixes, surges. A gap has no number: it is itself one.
--
-- Each of these functions gets the messages of one kind, and answers each of them. Fields that its kind does not have are kept in the payload.

-- Stores gaps. The field `from_…` names the series of numbers.
CREATE FUNCTION beacons.take_gaps(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*, s.*
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (epoch text, at timestamptz, cause text)
        LEFT JOIN LATERAL (
            SELECT k.series AS counts, (m.payload->>('from_' || k.series))::bigint AS first, (m.payload->>('to_' || k.series))::bigint AS last
            FROM beacons.kind k WHERE m.payload ? ('from_' || k.series) ORDER BY 1 LIMIT 1) s ON true
    ), added AS (
        INSERT INTO beacons.gap (site, gateway, epoch, counts, from_seq, to_seq, at, received_at, cause, payload)
        SELECT site, gateway, epoch, counts, first, last, at, received_at, cause, payload
        FROM message WHERE counts IS NOT NULL ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT DO NOTHING RETURNING payload
    )
    SELECT m.i, CASE WHEN m.counts IS NULL THEN 'rejected' ELSE beacons.outcome(EXISTS (SELECT FROM added a WHERE a.payload = m.payload), true) END,
        CASE WHEN m.counts IS NULL THEN 'names no series of numbers' END
    FROM message m;
END $$;

CREATE FUNCTION beacons.take_spans(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*, row_number() OVER same = 1 AS is_first,
            first_value(beacons.contents(m.payload)) OVER same AS first_contents
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (epoch text, span bigint, from_at timestamptz, to_at timestamptz, radio text)
        WINDOW same AS (PARTITION BY m.site, m.gateway, p.epoch, p.span ORDER BY m.i)
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
END $$;

CREATE FUNCTION beacons.take_tracks(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM beacons.take_fixes(batch);
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, p.*, md5(beacons.contents(m.payload)::text) AS digest,
            row_number() OVER same = 1 AS is_first, first_value(md5(beacons.contents(m.payload)::text)) OVER same AS first_digest
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (epoch text, batch bigint, at timestamptz, finished text, fixes jsonb)
        WINDOW same AS (PARTITION BY m.site, m.gateway, p.epoch, p.batch ORDER BY m.i)
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

CREATE FUNCTION beacons.take_surges(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*, row_number() OVER same = 1 AS is_first,
            first_value(beacons.contents(m.payload)) OVER same AS first_contents
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, surge bigint, from_at timestamptz, to_at timestamptz, region text, refused bigint, identities bigint)
        WINDOW same AS (PARTITION BY m.site, m.gateway, p.epoch, p.surge ORDER BY m.i)
    ), added AS (
        INSERT INTO beacons.surge (site, gateway, epoch, surge, from_at, to_at, region, refused, identities, received_at, payload)
        SELECT site, gateway, epoch, surge, from_at, to_at, region, refused, identities, received_at, payload
        FROM message WHERE is_first ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING RETURNING site, gateway, epoch, surge
    )
    SELECT m.i, o.outcome, CASE WHEN o.outcome = 'conflict' THEN format('surge: %s of epoch %s was another one before', m.surge, m.epoch) END
    FROM message m LEFT JOIN added a USING (site, gateway, epoch, surge)
    CROSS JOIN LATERAL (SELECT beacons.outcome(
        a.site IS NOT NULL AND m.is_first,
        coalesce((SELECT coalesce(beacons.contents(s.payload) = beacons.contents(m.payload), true) FROM beacons.surge s
            WHERE s.site = m.site AND s.gateway = m.gateway AND s.epoch = m.epoch AND s.surge = m.surge),
            m.first_contents = beacons.contents(m.payload))) AS outcome) o;
END $$;
