-- Budgets: what a store may cost in a day, so that one store cannot fill the database of all. Messages beyond it are counted and not kept.

CREATE FUNCTION beacons.today() RETURNS date LANGUAGE sql STABLE AS $$ SELECT (now() AT TIME ZONE 'UTC')::date $$;

-- Returns the stores, of those named, that have used up their budget of today.
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

-- Returns which budget a kind of message is counted in.
CREATE FUNCTION beacons.budget_kind(kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE kind WHEN 'health' THEN 'health' ELSE 'told' END $$;

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
