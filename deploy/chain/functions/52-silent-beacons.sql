-- Silent and strange beacons. A beacon is silent after a day of silence in which its store could hear it, and said so.

-- The most pieces of a day. A gateway whose radio fails each minute has fewer. Further pieces are not counted as heard.
CREATE FUNCTION beacons.most_pieces() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000 $$;

CREATE FUNCTION beacons.record_covered_days() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- Days have the same length in UTC alone.
    INSERT INTO beacons.covered_day AS d (site, gateway, day, during)
    SELECT a.site, a.gateway, w.at::date, range_agg(tstzrange(a.from_at, a.to_at) * tstzrange(w.at, w.at + interval '1 day'))
    FROM added a
    -- A span lasts an hour. A longer one is of a machine that slept, or of a clock that was set: its end counts.
    CROSS JOIN LATERAL generate_series(
        date_trunc('day', greatest(a.from_at, a.to_at - interval '2 days')), a.to_at, interval '1 day') w (at)
    WHERE beacons.hears(a.radio) AND a.to_at > a.from_at AND a.gateway <> 'site'
    AND a.to_at > a.received_at - interval '400 days' AND a.from_at < a.received_at + interval '1 day'
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (site, gateway, day) DO UPDATE SET during = d.during + excluded.during
    WHERE (SELECT count(*) FROM unnest(d.during)) < beacons.most_pieces() AND NOT d.during @> excluded.during;
    RETURN NULL;
END $$;
CREATE TRIGGER record_covered_days AFTER INSERT ON beacons.coverage_span REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_covered_days();

-- The covered silence after which a beacon is silent.
CREATE FUNCTION beacons.silent_after() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '1 day' $$;

-- A gateway without a list for this time, while others of its store publish theirs, counts as gone. The others decide then.
CREATE FUNCTION beacons.gone_after() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '7 days' $$;

-- A gateway that has not heard a beacon for this time, while others have, says nothing about it.
CREATE FUNCTION beacons.hearer_for() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '30 days' $$;

-- Returns the silent beacons of a store. Time counts while a gateway could hear, from its first list to its newest complete one: a later
-- silence is not known yet. The gateways that heard the beacon count; for a beacon that none has heard, all of the store.
CREATE FUNCTION beacons.silent_of(a_site text)
RETURNS TABLE (uuid text, major integer, minor integer, asset text, since date, last_heard_at timestamptz, silent_days double precision, covered_share double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET enable_seqscan = off AS $$
    WITH list AS MATERIALIZED (
        SELECT l.gateway, l.first_at, l.complete_until, max(l.complete_until) OVER () AS store_until,
            l.complete_until < max(l.complete_until) OVER () - beacons.gone_after() AS is_gone
        FROM beacons.beacon_list l WHERE l.site = a_site
    ), heard AS MATERIALIZED (
        SELECT h.uuid, h.major, h.minor, h.gateway, h.last_heard_at, h.listed_at, max(h.last_heard_at) OVER (PARTITION BY h.uuid, h.major, h.minor) AS newest_at
        FROM beacons.beacon_heard h WHERE h.site = a_site
    ), last AS (
        SELECT h.uuid, h.major, h.minor, h.newest_at,
            -- A gateway whose list lacks a page still counts as one that hears the beacon. Nothing that it could hear counts until the page comes.
            array_agg(h.gateway) FILTER (WHERE h.last_heard_at >= h.newest_at - beacons.hearer_for()
                AND coalesce(NOT l.is_gone, h.listed_at >= (SELECT max(store_until) FROM list) - beacons.gone_after())) AS hearers
        FROM heard h LEFT JOIN list l USING (gateway) GROUP BY 1, 2, 3, 4
    ), quiet AS MATERIALIZED (
        SELECT r.uuid, r.major, r.minor, r.asset, r.since, l.newest_at, l.hearers, greatest(l.newest_at, r.since::timestamp AT TIME ZONE 'UTC') AS from_at
        FROM beacons.register r LEFT JOIN last l ON (l.uuid, l.major, l.minor) = (r.uuid, r.major, r.minor)
        WHERE r.site = a_site
        AND greatest(l.newest_at, r.since::timestamp AT TIME ZONE 'UTC') <= (SELECT max(store_until) FROM list) - beacons.silent_after()
    ), span AS (
        SELECT d.gateway, d.during FROM beacons.covered_day d
        WHERE d.site = a_site AND d.day >= ((SELECT min(from_at) FROM quiet) AT TIME ZONE 'UTC')::date
        UNION ALL
        SELECT o.gateway, tstzmultirange(tstzrange(o.from_at, coalesce(o.to_at, greatest(o.from_at, now()))))
        FROM beacons.coverage_open o WHERE o.site = a_site AND EXISTS (SELECT FROM quiet)
    ), covered AS MATERIALIZED (
        SELECT l.gateway, l.is_gone, t.during * tstzmultirange(tstzrange(l.first_at, greatest(l.first_at, l.complete_until))) AS during
        FROM list l JOIN (SELECT gateway, range_agg(during) AS during FROM span GROUP BY 1) t USING (gateway)
    ), counted AS MATERIALIZED (
        SELECT q.*, (
            SELECT beacons.seconds(range_agg(c.during) * tstzmultirange(tstzrange(q.from_at, NULL))) FROM covered c
            WHERE CASE WHEN q.hearers IS NULL THEN NOT c.is_gone ELSE c.gateway = ANY (q.hearers) END) AS covered_s
        FROM quiet q
    )
    SELECT c.uuid, c.major, c.minor, c.asset, c.since, c.newest_at, c.covered_s / 86400,
        least(1, c.covered_s / extract(epoch FROM greatest(now() - c.from_at, beacons.silent_after()))::double precision)
    FROM counted c WHERE c.covered_s >= extract(epoch FROM beacons.silent_after())
$$;

CREATE VIEW beacons.beacon_silent AS
SELECT r.site, s.uuid, s.major, s.minor, s.asset, s.since, s.last_heard_at, s.silent_days, s.covered_share,
    other.site AS heard_in, other.last_heard_at AS heard_there_at
FROM (SELECT DISTINCT site FROM beacons.register) r
CROSS JOIN LATERAL beacons.silent_of(r.site) s
LEFT JOIN LATERAL (
    SELECT h.site, h.last_heard_at FROM beacons.beacon_heard h
    WHERE h.uuid = s.uuid AND h.major = s.major AND h.minor = s.minor AND h.site <> r.site
    AND h.last_heard_at > coalesce(s.last_heard_at, s.since::timestamp AT TIME ZONE 'UTC')
    -- Stores may number their beacons alike. Such a store hears its own.
    AND NOT EXISTS (
        SELECT FROM beacons.register o WHERE o.site = h.site AND o.uuid = h.uuid AND o.major = h.major AND o.minor = h.minor)
    ORDER BY h.last_heard_at DESC LIMIT 1) other ON true;
COMMENT ON VIEW beacons.beacon_silent IS
    'Registered beacons that their store has not heard for a day or more, counting only time in which it could hear. '
    'A store that was deaf, or whose lists have not come, makes no beacon silent.';
COMMENT ON COLUMN beacons.beacon_silent.site IS 'the store that the beacon is registered in';
COMMENT ON COLUMN beacons.beacon_silent.uuid IS 'the proximity UUID, upper case';
COMMENT ON COLUMN beacons.beacon_silent.major IS 'the beacon''s major';
COMMENT ON COLUMN beacons.beacon_silent.minor IS 'the beacon''s minor';
COMMENT ON COLUMN beacons.beacon_silent.asset IS 'what carries it, by the register';
COMMENT ON COLUMN beacons.beacon_silent.since IS 'since when it is expected there, by the register';
COMMENT ON COLUMN beacons.beacon_silent.last_heard_at IS 'when the store last heard it; null where it never did';
COMMENT ON COLUMN beacons.beacon_silent.silent_days IS 'days since then (or since the day of registration) in which the store could hear it';
COMMENT ON COLUMN beacons.beacon_silent.covered_share IS 'which part of the time since then that is, 0 to 1';
COMMENT ON COLUMN beacons.beacon_silent.heard_in IS 'another store that has heard it since and has no such beacon in its register, the latest; null where none has';
COMMENT ON COLUMN beacons.beacon_silent.heard_there_at IS 'when that store last heard it';

CREATE VIEW beacons.beacon_stranger AS
SELECT b.site, b.uuid, b.major, b.minor, b.first_heard_at, b.last_heard_at, b.rssi_dbm, b.gateways, r.site AS registered_in, r.asset
FROM beacons.beacon b LEFT JOIN LATERAL (
    SELECT o.site, o.asset, o.since FROM beacons.register o WHERE o.uuid = b.uuid AND o.major = b.major AND o.minor = b.minor
    ORDER BY o.since DESC, o.site LIMIT 1) r ON true
WHERE NOT EXISTS (SELECT FROM beacons.register o WHERE o.site = b.site AND o.uuid = b.uuid AND o.major = b.major AND o.minor = b.minor)
-- A beacon that was here before it was registered there has only moved.
AND (r.site IS NULL OR b.last_heard_at >= r.since::timestamp AT TIME ZONE 'UTC');
COMMENT ON VIEW beacons.beacon_stranger IS
    'Beacons that a store hears and that are not registered in it: of another store, or of no store.';
COMMENT ON COLUMN beacons.beacon_stranger.site IS 'the store that hears it';
COMMENT ON COLUMN beacons.beacon_stranger.uuid IS 'the proximity UUID, upper case';
COMMENT ON COLUMN beacons.beacon_stranger.major IS 'the beacon''s major';
COMMENT ON COLUMN beacons.beacon_stranger.minor IS 'the beacon''s minor';
COMMENT ON COLUMN beacons.beacon_stranger.first_heard_at IS 'when the store first heard it';
COMMENT ON COLUMN beacons.beacon_stranger.last_heard_at IS 'when the store last heard it';
COMMENT ON COLUMN beacons.beacon_stranger.rssi_dbm IS 'the median of its signal strength at the gateway that hears it best';
COMMENT ON COLUMN beacons.beacon_stranger.gateways IS 'how many gateways heard it in the day before it was last heard';
COMMENT ON COLUMN beacons.beacon_stranger.registered_in IS 'the store that it is registered in, of several the latest by since; null where it is in none';
COMMENT ON COLUMN beacons.beacon_stranger.asset IS 'what carries it, by the register';
