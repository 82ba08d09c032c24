-- Takes over a database that ends with one of the files 0028 to 0031, and makes of it what 0032 to 0048 make of an empty one.
--
-- The files 0001 to 0031 grew one after the other, and 0032 to 0048 replace them. The two make the same schema. So this file contains only
-- what 0029, 0030 and 0031 added to 0028. A statement that finds its work done changes nothing. Where a statement cannot see that by
-- itself, it looks into beacons.migration. The words that say why stand in 0032 to 0048.

-- This right was left to PUBLIC by mistake.
REVOKE EXECUTE ON FUNCTION beacons.silence_patience() FROM PUBLIC;

-- Surges, from 0029.

CREATE TABLE IF NOT EXISTS beacons.surge (
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
CREATE INDEX IF NOT EXISTS surge_to_at ON beacons.surge (site, to_at);
COMMENT ON TABLE beacons.surge IS
    'Times in which a gateway (or the store, ''site'') held back beacons that it did not know, because too many came in a minute, as told. '
    'Visits of those beacons are missing from all figures.';
COMMENT ON COLUMN beacons.surge.surge IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.surge.refused IS 'entries that were held back';
COMMENT ON COLUMN beacons.surge.identities IS 'about how many different beacons they were';
GRANT SELECT ON beacons.surge TO beacons_analyst;
GRANT INSERT ON beacons.surge TO beacons_collector;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM beacons.migration WHERE number = 29) THEN
        ALTER TABLE beacons.gap DROP CONSTRAINT gap_counts_check;
        ALTER TABLE beacons.gap ADD CONSTRAINT gap_counts_check CHECK (counts IN ('seq', 'span', 'surge', 'batch'));
    END IF;
END $$;

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

-- A few days at once, from 0030.

DROP FUNCTION IF EXISTS beacons.make_days(text, date[]);
CREATE OR REPLACE FUNCTION beacons.make_days(daily text, days date[], most integer DEFAULT 4) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    day date;
    made integer := 0;
BEGIN
    -- The nearest first: they are the ones that others need.
    FOR day IN
        SELECT d FROM (SELECT DISTINCT d FROM unnest(days) d) one
        WHERE to_regclass(format('beacons.%I', beacons.partition_name(daily, d))) IS NULL AND beacons.is_plausible_day(d)
        ORDER BY abs(d - (now() AT TIME ZONE 'UTC')::date), d DESC LIMIT most
    LOOP
        BEGIN
            made := made + beacons.make_partition(daily, day)::integer;
        EXCEPTION WHEN lock_not_available THEN
            RAISE NOTICE 'beacons: the partition of % for % and those after it are made later, because a query holds the table', daily, day;
            EXIT;
        END;
    END LOOP;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION beacons.make_partitions(ahead_days integer DEFAULT 1, back_days integer DEFAULT 0) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    daily text;
    days date[];
    made integer := 0;
BEGIN
    FOR daily IN SELECT d.name FROM beacons.daily d ORDER BY 1 LOOP
        EXECUTE format('SELECT array_agg(DISTINCT (%I AT TIME ZONE ''UTC'')::date) FROM beacons.%I WHERE isfinite(%1$I)',
            beacons.partition_column(daily), daily || '_default') INTO days;
        SELECT array_agg(today + ahead) || days INTO days FROM generate_series(-back_days, ahead_days) ahead;
        -- Today and tomorrow come first. Whoever asks for more days at once gets them.
        made := made + beacons.make_days(daily, days, 4 + back_days);
    END LOOP;
    RETURN made;
END $$;

-- Budgets, from 0031.

CREATE TABLE IF NOT EXISTS beacons.budget (
    site text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('told', 'health', 'rejected')),
    messages_a_day bigint NOT NULL CHECK (messages_a_day >= 0),
    octets_a_day bigint NOT NULL CHECK (octets_a_day >= 0),
    PRIMARY KEY (site, kind)
);
COMMENT ON TABLE beacons.budget IS
    'What a store may cost in a UTC day: told (events and all else that is kept), health, rejected. The site '''' is each store that has no row of its own.';
-- A database that has 0031 has budgets of its own choice.
INSERT INTO beacons.budget
SELECT * FROM (VALUES ('', 'told', 1000000, 1073741824), ('', 'health', 200000, 268435456), ('', 'rejected', 10000, 16777216)) preset
WHERE NOT EXISTS (SELECT FROM beacons.migration WHERE number = 31);

CREATE TABLE IF NOT EXISTS beacons.used (
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

CREATE OR REPLACE FUNCTION beacons.today() RETURNS date LANGUAGE sql STABLE AS $$ SELECT (now() AT TIME ZONE 'UTC')::date $$;

CREATE OR REPLACE FUNCTION beacons.over_budget(sites text[], a_kind text) RETURNS text[] LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT coalesce(array_agg(s.site), '{}') FROM (SELECT DISTINCT site FROM unnest(sites) site) s
    CROSS JOIN LATERAL (
        SELECT b.messages_a_day, b.octets_a_day FROM beacons.budget b WHERE b.kind = a_kind AND b.site IN (s.site, '') ORDER BY b.site DESC LIMIT 1) b
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.messages), 0) AS messages, coalesce(sum(u.octets), 0) AS octets
        FROM beacons.used u WHERE u.site = s.site AND u.day = beacons.today() AND u.kind = a_kind) u
    WHERE u.messages >= b.messages_a_day OR u.octets >= b.octets_a_day
$$;

CREATE OR REPLACE FUNCTION beacons.note_used(a_site text, a_kind text, messages bigint, octets bigint, given_up bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO beacons.used AS u VALUES (a_site, beacons.today(), a_kind, pg_backend_pid(), $3, $4, $5)
    ON CONFLICT (site, day, kind, process) DO UPDATE
    SET messages = u.messages + excluded.messages, octets = u.octets + excluded.octets, given_up = u.given_up + excluded.given_up
$$;

CREATE OR REPLACE FUNCTION beacons.budget_kind(kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE kind WHEN 'health' THEN 'health' ELSE 'told' END $$;

CREATE OR REPLACE FUNCTION beacons.take_within_budget(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
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

CREATE OR REPLACE FUNCTION beacons.reject(received timestamptz[], sites text[], topics text[], payloads bytea[], reasons text[]) RETURNS bigint
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

CREATE OR REPLACE VIEW beacons.budget_daily AS
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
    beacons.make_days(text, date[], integer), beacons.today(), beacons.over_budget(text[], text),
    beacons.note_used(text, text, bigint, bigint, bigint), beacons.budget_kind(text), beacons.take_within_budget(jsonb),
    beacons.reject(timestamptz[], text[], text[], bytea[], text[])
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.reject(timestamptz[], text[], text[], bytea[], text[]) TO beacons_collector;
GRANT SELECT ON beacons.budget, beacons.used, beacons.budget_daily TO beacons_analyst;
