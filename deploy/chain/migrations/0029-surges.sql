-- A surge: a time in which a gateway, or the store, held back beacons that it did not know, because more came than [regions]
-- max_newcomers_per_minute. Their visits are missing from all figures, and this says when and how many.

CREATE TABLE beacons.surge (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    surge bigint NOT NULL,
    from_at timestamptz NOT NULL CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00'),
    to_at timestamptz NOT NULL CHECK (to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'),
    region text NOT NULL,
    refused bigint NOT NULL CHECK (refused >= 1),
    identities bigint NOT NULL CHECK (identities >= 1),
    received_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, surge),
    CHECK (to_at >= from_at),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128)
);
CREATE INDEX surge_to_at ON beacons.surge (site, to_at);
COMMENT ON TABLE beacons.surge IS
    'Times in which a gateway (or the store, ''site'') held back beacons that it did not know, because too many came in a minute, as told. '
    'Visits of those beacons are missing from all figures.';
COMMENT ON COLUMN beacons.surge.surge IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.surge.refused IS 'entries that were held back';
COMMENT ON COLUMN beacons.surge.identities IS 'about how many different beacons they were';
GRANT SELECT ON beacons.surge TO beacons_analyst;
GRANT INSERT ON beacons.surge TO beacons_collector;

-- Surges are numbered, so some may be lost.
ALTER TABLE beacons.gap DROP CONSTRAINT gap_counts_check;
ALTER TABLE beacons.gap ADD CONSTRAINT gap_counts_check CHECK (counts IN ('seq', 'span', 'surge', 'batch'));

CREATE OR REPLACE FUNCTION beacons.take_numbered(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
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

CREATE OR REPLACE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
    -- The newest one says what is so now, however old it is.
    DELETE FROM beacons.status s WHERE received_at < before AND EXISTS (
        SELECT FROM beacons.status n WHERE n.site = s.site AND n.gateway = s.gateway AND (n.received_at, n.id) > (s.received_at, s.id));
END $$;
