-- Taking numbered messages: gaps, spans of coverage, batches of fixes, surges. A gap has no number: it is itself one.

CREATE FUNCTION beacons.take_numbered(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*,
            CASE WHEN p.from_seq IS NOT NULL THEN 'seq' WHEN p.from_span IS NOT NULL THEN 'span' WHEN p.from_surge IS NOT NULL THEN 'surge'
            ELSE 'batch' END AS counts
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, at timestamptz, cause text, from_seq bigint, to_seq bigint, from_span bigint, to_span bigint, from_batch bigint, to_batch bigint,
            from_surge bigint, to_surge bigint)
        WHERE m.kind = 'gap'
    ), added AS (
        INSERT INTO beacons.gap (site, gateway, epoch, counts, from_seq, to_seq, at, received_at, cause, payload)
        SELECT site, gateway, epoch, counts, coalesce(from_seq, from_span, from_surge, from_batch),
            coalesce(to_seq, to_span, to_surge, to_batch),
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

    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*, row_number() OVER told = 1 AS is_first,
            first_value(beacons.contents(m.payload)) OVER told AS first_contents
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, surge bigint, from_at timestamptz, to_at timestamptz, region text, refused bigint, identities bigint)
        WHERE m.kind = 'surge'
        WINDOW told AS (PARTITION BY m.site, m.gateway, p.epoch, p.surge ORDER BY m.i)
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
