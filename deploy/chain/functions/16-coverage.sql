-- Coverage: when each gateway could hear.

CREATE FUNCTION beacons.hears(radio text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT radio IN ('scanning', 'replay') $$;

CREATE FUNCTION beacons.silence_patience() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '3 minutes' $$;

CREATE FUNCTION beacons.record_health() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- Who speaks again after a silence was not heard in between, until spans report otherwise.
    INSERT INTO beacons.changed (site, from_at, to_at)
    SELECT a.site, min(w.at), now() FROM added a JOIN beacons.last_word w USING (site, gateway)
    WHERE a.received_at > w.received_at + beacons.silence_patience() GROUP BY a.site;
    INSERT INTO beacons.last_word AS w (site, gateway, at, received_at)
    SELECT DISTINCT ON (site, gateway) site, gateway, at, received_at FROM added ORDER BY site, gateway, received_at DESC, at DESC
    ON CONFLICT (site, gateway) DO UPDATE SET at = excluded.at, received_at = excluded.received_at WHERE w.received_at < excluded.received_at;
    RETURN NULL;
END $$;
CREATE TRIGGER record_health AFTER INSERT ON beacons.health REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_health();

-- The open span: while the newest status says that the gateway is there and hears, the gateway has heard since that status, or since the
-- last span that it published, whichever is later. A will, a goodbye or silence ends the open span.
CREATE VIEW beacons.coverage_open AS
SELECT s.site, s.gateway, greatest(s.at, last.to_at) AS from_at,
    -- Null while the gateway speaks, and where it never published its health.
    CASE WHEN w.received_at >= s.received_at AND w.received_at < now() - beacons.silence_patience() THEN w.at END AS to_at
FROM beacons.gateway g
-- By the index: a gateway may have published its status a million times.
CROSS JOIN LATERAL (
    SELECT n.site, n.gateway, n.at, n.received_at, n.state, n.radio FROM beacons.status n
    WHERE n.site = g.site AND n.gateway = g.gateway ORDER BY n.received_at DESC, n.id DESC LIMIT 1) s
CROSS JOIN LATERAL (
    SELECT max(c.to_at) AS to_at FROM beacons.coverage_span c WHERE c.site = s.site AND c.gateway = s.gateway) last
LEFT JOIN beacons.last_word w ON w.site = s.site AND w.gateway = s.gateway
WHERE s.state = 'online' AND beacons.hears(s.radio)
AND (w.received_at IS NULL OR w.received_at < s.received_at OR w.received_at >= now() - beacons.silence_patience()
    OR w.at > greatest(s.at, last.to_at));
COMMENT ON VIEW beacons.coverage_open IS
    'Gateways that can hear as far as is known, and since when no span covers it yet. to_at: its last word, where it has been silent for '
    'more than three minutes.';

CREATE VIEW beacons.coverage AS
SELECT site, gateway, lower(span) AS from_at, CASE WHEN upper_inf(span) THEN NULL ELSE upper(span) END AS to_at
FROM (
    SELECT site, gateway, range_agg(span) AS spans
    FROM (
        SELECT site, gateway, tstzrange(from_at, to_at) AS span FROM beacons.coverage_span WHERE beacons.hears(radio)
        UNION ALL
        SELECT site, gateway, tstzrange(from_at, to_at) FROM beacons.coverage_open) heard
    GROUP BY site, gateway) joined
CROSS JOIN LATERAL unnest(spans) span;
COMMENT ON VIEW beacons.coverage IS
    'When a gateway could hear: the spans that it published with radio scanning or replay, those that touch joined. to_at is null while it lasts. '
    'A gateway that is silent, because its line is down, say, was heard until its last word. Where nothing is said, nothing is known: no '
    'visits there proves nothing.';
COMMENT ON COLUMN beacons.coverage.site IS 'the store';
COMMENT ON COLUMN beacons.coverage.gateway IS 'whose it is; ''site'' for beacond site';
COMMENT ON COLUMN beacons.coverage.from_at IS 'since when the gateway could hear';
COMMENT ON COLUMN beacons.coverage.to_at IS 'until when; null while it lasts';

-- A span that comes late changes figures that are counted already. A span that comes while another one before it is lost begins later than
-- the open span did. The time between was counted as heard, and is counted anew.
CREATE FUNCTION beacons.record_coverage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO beacons.changed (site, from_at, to_at)
    SELECT a.site, least(min(a.from_at), min(open.from_at)), max(a.to_at)
    FROM (SELECT site, gateway, min(from_at) AS from_at, max(to_at) AS to_at FROM added GROUP BY 1, 2) a
    LEFT JOIN LATERAL (
        -- Where the open span began before these came.
        SELECT greatest(s.at, (
            SELECT c.to_at FROM beacons.coverage_span c WHERE c.site = a.site AND c.gateway = a.gateway
            AND NOT EXISTS (
                SELECT FROM added n WHERE n.site = c.site AND n.gateway = c.gateway AND n.epoch = c.epoch AND n.span = c.span)
            ORDER BY c.to_at DESC LIMIT 1)) AS from_at
        FROM beacons.status s WHERE s.site = a.site AND s.gateway = a.gateway
        ORDER BY s.received_at DESC, s.id DESC LIMIT 1) open ON true
    GROUP BY a.site;
    RETURN NULL;
END $$;
CREATE TRIGGER record_coverage AFTER INSERT ON beacons.coverage_span REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_coverage();

CREATE FUNCTION beacons.record_status() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- From the status on that it replaces: what that one left open may be open no more.
    INSERT INTO beacons.changed (site, from_at, to_at)
    SELECT a.site, least(min(a.at), min(before.at)), greatest(max(a.at), now())
    FROM added a LEFT JOIN LATERAL (
        SELECT s.at FROM beacons.status s WHERE s.site = a.site AND s.gateway = a.gateway AND s.id < a.id
        ORDER BY s.received_at DESC, s.id DESC LIMIT 1) before ON true
    GROUP BY a.site;
    RETURN NULL;
END $$;
CREATE TRIGGER record_status AFTER INSERT ON beacons.status REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_status();

-- A gateway that reports a region can hear it, whether a beacon was in it or not. What the gateway heard before counts for the region from
-- the gateway's first word on.
CREATE FUNCTION beacons.record_region() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO beacons.changed (site, from_at, to_at)
    SELECT a.site, min(heard.from_at), now()
    FROM (SELECT DISTINCT site, gateway FROM added) a
    CROSS JOIN LATERAL (
        SELECT c.from_at FROM beacons.coverage_span c WHERE c.site = a.site AND c.gateway = a.gateway
        UNION ALL
        SELECT o.from_at FROM beacons.coverage_open o WHERE o.site = a.site AND o.gateway = a.gateway) heard
    GROUP BY a.site;
    RETURN NULL;
END $$;
CREATE TRIGGER record_region AFTER INSERT ON beacons.region_gateway REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_region();
