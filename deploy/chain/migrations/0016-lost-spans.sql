-- A span of coverage that comes while another one before it is lost begins later than what was open. The time between was counted as
-- heard, and is counted anew.

CREATE OR REPLACE FUNCTION beacons.note_coverage() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO beacons.changed (site, from_at, to_at)
    SELECT a.site, least(min(a.from_at), min(open.from_at)), max(a.to_at)
    FROM (SELECT site, gateway, min(from_at) AS from_at, max(to_at) AS to_at FROM added GROUP BY 1, 2) a
    LEFT JOIN LATERAL (
        -- Where the open span began before these came.
        SELECT greatest(s.at, (
            SELECT max(c.to_at) FROM beacons.coverage_span c WHERE c.site = a.site AND c.gateway = a.gateway
            AND NOT EXISTS (
                SELECT FROM added n WHERE n.site = c.site AND n.gateway = c.gateway AND n.epoch = c.epoch AND n.span = c.span))) AS from_at
        FROM beacons.status s WHERE s.site = a.site AND s.gateway = a.gateway
        ORDER BY s.received_at DESC, s.id DESC LIMIT 1) open ON true
    GROUP BY a.site;
    RETURN NULL;
END $$;
