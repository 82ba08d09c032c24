-- A gateway whose line is down says nothing, and the chain's broker has no will of it: its store's broker has. What the newest status says
-- then proves nothing any more. A gateway tells its health once a minute, so one that did, and has been silent for three minutes, is taken
-- to have been heard until its last word. Its spans of coverage tell the rest when the line is back.

CREATE TABLE beacons.last_word (
    site text NOT NULL,
    gateway text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (site, gateway)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.last_word IS 'When each gateway last told its health.';
GRANT SELECT ON beacons.last_word TO beacons_analyst;

CREATE FUNCTION beacons.silence_patience() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '3 minutes' $$;
GRANT EXECUTE ON FUNCTION beacons.silence_patience() TO beacons_analyst;

CREATE FUNCTION beacons.note_health() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Who speaks again after a silence was not heard in between, until spans tell otherwise.
    INSERT INTO beacons.changed (site, from_at, to_at)
    SELECT a.site, min(w.at), now() FROM added a JOIN beacons.last_word w USING (site, gateway)
    WHERE a.received_at > w.received_at + beacons.silence_patience() GROUP BY a.site;
    INSERT INTO beacons.last_word AS w (site, gateway, at, received_at)
    SELECT DISTINCT ON (site, gateway) site, gateway, at, received_at FROM added ORDER BY site, gateway, received_at DESC, at DESC
    ON CONFLICT (site, gateway) DO UPDATE SET at = excluded.at, received_at = excluded.received_at WHERE w.received_at < excluded.received_at;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION beacons.note_health() FROM PUBLIC;
ALTER FUNCTION beacons.note_health() SET enable_seqscan = off;
ALTER FUNCTION beacons.note_health() SET enable_hashjoin = off;
ALTER FUNCTION beacons.note_health() SET enable_mergejoin = off;
CREATE TRIGGER note_health AFTER INSERT ON beacons.health REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.note_health();
-- What was told before counts as well.
INSERT INTO beacons.last_word (site, gateway, at, received_at)
SELECT DISTINCT ON (site, gateway) site, gateway, at, received_at FROM beacons.health WHERE at > now() - interval '1 hour'
ORDER BY site, gateway, received_at DESC, at DESC
ON CONFLICT (site, gateway) DO UPDATE SET at = excluded.at, received_at = excluded.received_at
WHERE last_word.received_at < excluded.received_at;

CREATE OR REPLACE VIEW beacons.coverage_open AS
SELECT s.site, s.gateway, greatest(s.at, last.to_at) AS from_at,
    -- Null while it speaks, and where it never told health.
    CASE WHEN w.received_at >= s.received_at AND w.received_at < now() - beacons.silence_patience() THEN w.at END AS to_at
FROM (
    SELECT DISTINCT ON (site, gateway) site, gateway, at, received_at, state, radio
    FROM beacons.status ORDER BY site, gateway, received_at DESC, id DESC) s
CROSS JOIN LATERAL (
    SELECT max(c.to_at) AS to_at FROM beacons.coverage_span c WHERE c.site = s.site AND c.gateway = s.gateway) last
LEFT JOIN beacons.last_word w ON w.site = s.site AND w.gateway = s.gateway
WHERE s.state = 'online' AND beacons.hears(s.radio)
AND (w.received_at IS NULL OR w.received_at < s.received_at OR w.received_at >= now() - beacons.silence_patience()
    OR w.at > greatest(s.at, last.to_at));
COMMENT ON VIEW beacons.coverage_open IS
    'Gateways that can hear as far as is known, and since when no span has told of it yet. to_at: its last word, where it has been silent for '
    'more than three minutes.';

CREATE OR REPLACE VIEW beacons.coverage AS
SELECT site, gateway, lower(span) AS from_at, CASE WHEN upper_inf(span) THEN NULL ELSE upper(span) END AS to_at
FROM (
    SELECT site, gateway, range_agg(span) AS spans
    FROM (
        SELECT site, gateway, tstzrange(from_at, to_at) AS span FROM beacons.coverage_span WHERE beacons.hears(radio)
        UNION ALL
        SELECT site, gateway, tstzrange(from_at, to_at) FROM beacons.coverage_open) told
    GROUP BY site, gateway) joined
CROSS JOIN LATERAL unnest(spans) span;
COMMENT ON VIEW beacons.coverage IS
    'When a gateway could hear: the spans that it told with radio scanning or replay, those that touch joined. to_at is null while it lasts. '
    'A gateway that is silent, because its line is down, say, was heard until its last word. Where nothing is said, nothing is known: no '
    'visits there proves nothing.';

CREATE OR REPLACE FUNCTION beacons.hearing(a_site text, from_at timestamptz, to_at timestamptz)
RETURNS TABLE (gateway text, told tstzrange, hears boolean) LANGUAGE sql STABLE AS $$
    SELECT c.gateway, tstzrange(c.from_at, c.to_at) * tstzrange($2, $3), beacons.hears(c.radio)
    FROM beacons.coverage_span c WHERE c.site = a_site AND c.to_at > $2 AND c.from_at < $3
    UNION ALL
    SELECT o.gateway, tstzrange(o.from_at, coalesce(o.to_at, greatest(o.from_at, now()))) * tstzrange($2, $3), true
    FROM beacons.coverage_open o WHERE o.site = a_site
$$;

-- Silence is known three minutes after it began, and what has been counted since is counted anew. Partitions are made by a call of their own:
-- in this transaction they would ask for locks of tables that it has read.
CREATE OR REPLACE FUNCTION beacons.roll_up() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    counted bigint;
    until timestamptz := now();
    first timestamptz;
    last timestamptz;
BEGIN
    -- One at a time; whoever comes second has nothing to do.
    IF NOT pg_try_advisory_xact_lock(hashtext('beacons.roll_up')) THEN
        RETURN 0;
    END IF;
    TRUNCATE beacons.rolling_change, beacons.rolling_stay, beacons.rolling_hour;

    -- Each statement from here on sees at least what these rows tell of. What is committed later is still in `changed`.
    WITH taken AS (DELETE FROM beacons.changed RETURNING *)
    INSERT INTO beacons.rolling_change SELECT site, beacon, from_at, to_at FROM taken;
    GET DIAGNOSTICS counted = ROW_COUNT;
    -- Time has passed as well: who was inside still is, and who could hear still can.
    INSERT INTO beacons.rolling_change
    SELECT DISTINCT r.site, NULL::text, p.rolled_until - beacons.silence_patience() - interval '1 minute', until FROM beacons.region_gateway r, beacons.progress p
    WHERE isfinite(p.rolled_until) AND p.rolled_until < until;
    ANALYZE beacons.rolling_change;

    INSERT INTO beacons.rolling_stay
    SELECT site, beacon, beacons.stay_cut(site, beacon, min(from_at)) FROM beacons.rolling_change
    WHERE beacon <> '//' GROUP BY site, beacon;
    ANALYZE beacons.rolling_stay;
    SELECT min(cut) INTO first FROM beacons.rolling_stay;
    DELETE FROM beacons.stay_day s USING beacons.rolling_stay r
    WHERE s.site = r.site AND s.beacon = r.beacon AND s.entered_at >= r.cut AND s.entered_at >= first;
    DELETE FROM beacons.stay_long s USING beacons.rolling_stay r
    WHERE s.site = r.site AND s.beacon = r.beacon AND s.entered_at >= r.cut;
    WITH made AS MATERIALIZED (
        SELECT r.site, s.*, s.left_at IS NOT NULL AND s.left_at <= s.entered_at + interval '1 day' AS is_short
        FROM (SELECT site, array_agg(beacon) AS which, array_agg(cut) AS cuts FROM beacons.rolling_stay GROUP BY site) r
        CROSS JOIN LATERAL beacons.stays_since(r.site, r.which, r.cuts) s
    ), short AS (
        INSERT INTO beacons.stay_day (site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways)
        SELECT site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways FROM made WHERE is_short
    )
    INSERT INTO beacons.stay_long (site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways)
    SELECT site, beacon, uuid, major, minor, entered_at, left_at, dwell_s, gateways FROM made WHERE NOT is_short;

    INSERT INTO beacons.rolling_hour
    SELECT touched.site, lower(during), upper(during)
    FROM (SELECT c.site, range_agg(beacons.due_range(c.from_at, c.to_at)) AS hours FROM beacons.rolling_change c GROUP BY c.site) touched
    CROSS JOIN LATERAL unnest(touched.hours) during;
    ANALYZE beacons.rolling_hour;
    SELECT min(from_hour), max(to_hour) INTO first, last FROM beacons.rolling_hour;
    DELETE FROM beacons.occupancy_hour o USING beacons.rolling_hour r
    WHERE o.site = r.site AND o.hour >= r.from_hour AND o.hour < r.to_hour AND o.hour >= first AND o.hour < last;
    INSERT INTO beacons.occupancy_hour (site, region, hour, visits, beacons, mean_present, covered_share)
    SELECT r.site, o.region, o.hour, o.visits, o.beacons, o.mean_present, o.covered_share
    FROM beacons.rolling_hour r CROSS JOIN LATERAL beacons.occupancy_of(r.site, r.from_hour, r.to_hour) o;
    DELETE FROM beacons.flow_hour f USING beacons.rolling_hour r
    WHERE f.site = r.site AND f.hour >= r.from_hour AND f.hour < r.to_hour AND f.hour >= first AND f.hour < last;
    INSERT INTO beacons.flow_hour (site, region, hour, from_zone, to_zone, visits)
    SELECT r.site, f.region, f.hour, f.from_zone, f.to_zone, f.visits
    FROM beacons.rolling_hour r CROSS JOIN LATERAL beacons.flow_of(r.site, r.from_hour, r.to_hour) f;

    UPDATE beacons.progress SET rolled_until = until;
    RETURN counted;
END $$;
