-- Visits: an entry and its exit, paired as they come, in any order.
--
-- An exit carries its whole visit. So a visit is an exit, or an entry that no exit explains yet. An exit explains the entries
-- of the same instance (gateway, region, zone, beacon) from its `entered_at` to its own `at`.

-- Returns the beacon in one word. A circle has no beacon: all circles have the same word, and their regions differ.
CREATE FUNCTION beacons.beacon_of(uuid text, major integer, minor integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(uuid, '') || '/' || coalesce(major::text, '') || '/' || coalesce(minor::text, '') $$;

-- Returns when the visit of an exit began, from the fields that the exit has.
CREATE FUNCTION beacons.entry_time(
    entered_at timestamptz, last_heard_at timestamptz, last_inside_at timestamptz, dwell_s double precision, at timestamptz
) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(entered_at, coalesce(last_heard_at, last_inside_at, at) - make_interval(secs => coalesce(dwell_s, 0)))
$$;

-- Returns whether a visit that began at `entered_at`, with an exit at `exit_at`, is the visit of an entry at `at`. A gateway
-- publishes the entry into a circle some seconds after it began. A clock that was set in between may differ by a little.
CREATE FUNCTION beacons.explains(entered_at timestamptz, exit_at timestamptz, at timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT at >= entered_at - interval '1 second' AND (at < exit_at OR at <= entered_at) $$;

-- The most visits of a beacon that are looked at for one event, the newest first. An entry that is late lies within the newest of them.
CREATE FUNCTION beacons.most_visits_looked_at() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000 $$;

CREATE FUNCTION beacons.record_visits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    -- Of the entries that are no later than all that came of their gateway. Visits of other days are not opened.
    first_at timestamptz;
    last_at timestamptz;
BEGIN
    SELECT min(a.at), max(a.at) INTO first_at, last_at FROM added a JOIN beacons.gateway g USING (site, gateway) WHERE a.type = 'enter' AND a.at <= g.newest_at;
    first_at := first_at - interval '2 days';
    last_at := last_at + interval '1 second';
    PERFORM beacons.add_regions(array_agg(a.site), array_agg(a.region), array_agg(a.gateway)) FROM (SELECT DISTINCT site, region, gateway FROM added) a;

    -- Entries, unless their exit has come before them. What is later than all that came of its gateway needs no look. Entries
    -- of one moment are one visit, whether they come together or not.
    INSERT INTO beacons.visit_long (site, gateway, region, uuid, major, minor, zone, entered_at)
    SELECT DISTINCT a.site, a.gateway, a.region, a.uuid, a.major, a.minor, a.zone, a.at
    FROM added a JOIN beacons.gateway g USING (site, gateway)
    WHERE a.type = 'enter'
    AND (a.at > g.newest_at OR NOT (
        EXISTS (
            SELECT FROM (
                SELECT v.gateway, v.region, v.zone, v.entered_at, v.exit_at FROM beacons.visit_day v
                WHERE v.site = a.site AND v.beacon = beacons.beacon_of(a.uuid, a.major, a.minor)
                AND v.entered_at BETWEEN a.at - interval '2 days' AND a.at + interval '1 second' AND v.entered_at BETWEEN first_at AND last_at
                ORDER BY v.entered_at DESC LIMIT beacons.most_visits_looked_at()) v
            WHERE v.gateway = a.gateway AND v.region = a.region AND v.zone IS NOT DISTINCT FROM a.zone AND beacons.explains(v.entered_at, v.exit_at, a.at))
        OR EXISTS (
            SELECT FROM (
                SELECT v.entered_at, v.exit_at FROM beacons.visit_long v
                WHERE v.site = a.site AND v.beacon = beacons.beacon_of(a.uuid, a.major, a.minor) AND v.gateway = a.gateway AND v.region = a.region
                AND coalesce(v.zone, '') = coalesce(a.zone, '') AND v.entered_at <= a.at + interval '1 second'
                ORDER BY v.entered_at DESC LIMIT beacons.most_visits_looked_at()) v
            WHERE beacons.explains(v.entered_at, v.exit_at, a.at))));

    -- Exits. The entries that they explain are no visits of their own any more.
    DELETE FROM beacons.visit_long o WHERE o.ctid = ANY (ARRAY(
        SELECT v.ctid
        FROM (SELECT *, beacons.entry_time(entered_at, last_heard_at, last_inside_at, dwell_s, at) AS entry_at FROM added WHERE type = 'exit') a
        CROSS JOIN LATERAL (
            SELECT v.ctid, v.entered_at, v.left_at FROM beacons.visit_long v
            WHERE v.site = a.site AND v.beacon = beacons.beacon_of(a.uuid, a.major, a.minor) AND v.gateway = a.gateway AND v.region = a.region
            AND coalesce(v.zone, '') = coalesce(a.zone, '') AND v.entered_at BETWEEN a.entry_at - interval '1 second' AND greatest(a.at, a.entry_at + interval '1 second')
            ORDER BY v.entered_at DESC LIMIT beacons.most_visits_looked_at()) v
        WHERE v.left_at IS NULL AND beacons.explains(a.entry_at, a.at, v.entered_at)));

    WITH stay AS (
        SELECT entry.*, greatest(entry_at, coalesce(last_heard_at, last_inside_at, at)) AS left_at
        FROM (SELECT *, beacons.entry_time(entered_at, last_heard_at, last_inside_at, dwell_s, at) AS entry_at FROM added WHERE type = 'exit') entry
    ), short AS (
        INSERT INTO beacons.visit_day
            (site, gateway, region, uuid, major, minor, zone, entered_at, left_at, dwell_s, partial, inferred, exit_at)
        SELECT site, gateway, region, uuid, major, minor, zone, entry_at, left_at,
            coalesce(dwell_s, extract(epoch FROM left_at - entry_at)), coalesce(partial, false), coalesce(inferred, false), at
        FROM stay WHERE left_at <= entry_at + interval '1 day'
    )
    INSERT INTO beacons.visit_long
        (site, gateway, region, uuid, major, minor, zone, entered_at, left_at, dwell_s, partial, inferred, exit_at)
    SELECT site, gateway, region, uuid, major, minor, zone, entry_at, left_at,
        coalesce(dwell_s, extract(epoch FROM left_at - entry_at)), coalesce(partial, false), coalesce(inferred, false), at
    FROM stay WHERE left_at > entry_at + interval '1 day';

    -- An instance is in one visit at a time: an entry before a later visit has lost its exit. Each instance is looked up once, so
    -- that thousands of entries of one beacon cost no more than those of thousands. Later visits that were there before matter
    -- only to what is late.
    WITH touched AS (
        SELECT a.site, a.gateway, a.region, a.zone, beacons.beacon_of(a.uuid, a.major, a.minor) AS beacon,
            max(beacons.entry_time(a.entered_at, a.last_heard_at, a.last_inside_at, a.dwell_s, a.at)) AS newest,
            min(a.at) FILTER (WHERE a.type = 'enter' AND a.at <= g.newest_at) + interval '1 second' AS late_from
        FROM added a JOIN beacons.gateway g USING (site, gateway) GROUP BY 1, 2, 3, 4, 5
    ), known AS MATERIALIZED (
        SELECT t.*, greatest(
            t.newest,
            (SELECT max(v.entered_at) FROM beacons.visit_long v
             WHERE v.site = t.site AND v.beacon = t.beacon AND v.gateway = t.gateway AND v.region = t.region
             AND coalesce(v.zone, '') = coalesce(t.zone, '') AND v.entered_at > t.late_from),
            (SELECT max(v.entered_at) FROM (
                SELECT v.gateway, v.region, v.zone, v.entered_at FROM beacons.visit_day v
                WHERE v.site = t.site AND v.beacon = t.beacon AND v.entered_at > t.late_from AND v.entered_at >= first_at
                ORDER BY v.entered_at DESC LIMIT beacons.most_visits_looked_at()) v
             WHERE v.gateway = t.gateway AND v.region = t.region AND v.zone IS NOT DISTINCT FROM t.zone)) AS latest
        FROM touched t
    )
    UPDATE beacons.visit_long o SET superseded = true FROM known k
    WHERE o.site = k.site AND o.beacon = k.beacon AND o.gateway = k.gateway AND o.region = k.region
    AND coalesce(o.zone, '') = coalesce(k.zone, '') AND o.left_at IS NULL AND NOT o.superseded
    AND o.entered_at < k.latest - interval '1 second';

    -- Until now, because an entry counts as present until its exit comes.
    INSERT INTO beacons.changed (site, beacon, from_at, to_at)
    SELECT a.site, beacons.beacon_of(a.uuid, a.major, a.minor),
        min(least(a.at, beacons.entry_time(a.entered_at, a.last_heard_at, a.last_inside_at, a.dwell_s, a.at))),
        greatest(max(a.at), now())
    FROM added a GROUP BY 1, 2;

    UPDATE beacons.gateway g SET newest_at = a.newest_at
    FROM (SELECT site, gateway, max(at) AS newest_at FROM added GROUP BY 1, 2) a
    WHERE g.site = a.site AND g.gateway = a.gateway AND g.newest_at < a.newest_at;
    RETURN NULL;
END $$;
CREATE TRIGGER b_record_visits AFTER INSERT ON beacons.event REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_visits();

-- An entry counts as present in every hour until its exit. When its exit turns out to be lost, those hours, and the ways from its zone, are
-- counted anew. Updates change nothing else of such a visit.
CREATE FUNCTION beacons.record_superseded() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO beacons.changed (site, beacon, from_at, to_at)
    SELECT site, beacon, min(entered_at), greatest(max(entered_at), now()) FROM superseded WHERE superseded.superseded GROUP BY site, beacon;
    RETURN NULL;
END $$;
CREATE TRIGGER record_superseded AFTER UPDATE ON beacons.visit_long REFERENCING NEW TABLE AS superseded
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_superseded();

CREATE VIEW beacons.visit AS
SELECT site, gateway, region, uuid, major, minor, zone, entered_at, left_at, dwell_s, partial, inferred FROM beacons.visit_day
UNION ALL
SELECT site, gateway, region, uuid, major, minor, zone, entered_at,
    CASE WHEN superseded THEN entered_at ELSE left_at END, CASE WHEN superseded THEN 0 ELSE dwell_s END, partial OR superseded, inferred
FROM beacons.visit_long;
COMMENT ON VIEW beacons.visit IS
    'One stay in a region (or zone) as one gateway saw it: an exit with its entry. It is no visit of the store: a beacon that four gateways hear has '
    'four rows here, and with beacond site more. Count store_visit. left_at is when it was last heard, null while it is inside. '
    'partial: it lasted longer than known, because it was there before, or because its exit never came (dwell_s is 0 then).';
COMMENT ON COLUMN beacons.visit.site IS 'the store';
COMMENT ON COLUMN beacons.visit.gateway IS 'who saw it; ''site'' for what beacond site says of the whole store';
COMMENT ON COLUMN beacons.visit.region IS 'the region''s id, as its gateways call it';
COMMENT ON COLUMN beacons.visit.uuid IS 'the beacon''s identity, with major and minor; null for a circle';
COMMENT ON COLUMN beacons.visit.major IS 'the second part of the identity';
COMMENT ON COLUMN beacons.visit.minor IS 'the third part of the identity';
COMMENT ON COLUMN beacons.visit.zone IS 'null for a visit to the region';
COMMENT ON COLUMN beacons.visit.entered_at IS 'when it came, by the gateway''s clock';
COMMENT ON COLUMN beacons.visit.left_at IS 'when it was last heard; null while it is inside';
COMMENT ON COLUMN beacons.visit.dwell_s IS 'seconds from entered_at to left_at, as the gateway published them';
COMMENT ON COLUMN beacons.visit.partial IS 'it lasted longer than is known';
COMMENT ON COLUMN beacons.visit.inferred IS 'it left while the agent was not running';
