-- When each gateway could hear.

CREATE FUNCTION beacons.hears(radio text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT radio IN ('scanning', 'replay') $$;

-- The span that lasts: while the newest status says that the gateway is there and hears, it has heard since that was said or
-- since the last span that was told, whichever is later. A will or a goodbye ends it.
CREATE VIEW beacons.coverage_open AS
SELECT s.site, s.gateway, greatest(s.at, last.to_at) AS from_at
FROM (
    SELECT DISTINCT ON (site, gateway) site, gateway, at, state, radio
    FROM beacons.status ORDER BY site, gateway, received_at DESC, id DESC) s
CROSS JOIN LATERAL (
    SELECT max(c.to_at) AS to_at FROM beacons.coverage_span c WHERE c.site = s.site AND c.gateway = s.gateway) last
WHERE s.state = 'online' AND beacons.hears(s.radio);
COMMENT ON VIEW beacons.coverage_open IS 'Gateways that can hear as far as is known, and since when no span has told of it yet.';

CREATE VIEW beacons.coverage AS
SELECT site, gateway, lower(span) AS from_at, CASE WHEN upper_inf(span) THEN NULL ELSE upper(span) END AS to_at
FROM (
    SELECT site, gateway, range_agg(span) AS spans
    FROM (
        SELECT site, gateway, tstzrange(from_at, to_at) AS span FROM beacons.coverage_span WHERE beacons.hears(radio)
        UNION ALL
        SELECT site, gateway, tstzrange(from_at, NULL) FROM beacons.coverage_open) told
    GROUP BY site, gateway) joined
CROSS JOIN LATERAL unnest(spans) span;
COMMENT ON VIEW beacons.coverage IS
    'When a gateway could hear: the spans that it told with radio scanning or replay, those that touch joined. to_at is null while it lasts. '
    'Where nothing is said, nothing is known: no visits there proves nothing.';

-- What comes late changes figures that were counted already.
CREATE FUNCTION beacons.note_coverage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO beacons.changed (site, from_at, to_at) SELECT site, min(from_at), max(to_at) FROM added GROUP BY site;
    RETURN NULL;
END $$;
CREATE TRIGGER note_coverage AFTER INSERT ON beacons.coverage_span REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.note_coverage();

CREATE FUNCTION beacons.note_status() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER note_status AFTER INSERT ON beacons.status REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.note_status();
