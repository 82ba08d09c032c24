-- A region that a gateway tells of is one that it can hear, whether somebody was in it or not. So its states register it, and hours in which
-- nobody came are told from hours of which nothing is known. What was heard before that counts from the gateway's first word on.

CREATE FUNCTION beacons.note_region() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
REVOKE EXECUTE ON FUNCTION beacons.note_region() FROM PUBLIC;
CREATE TRIGGER note_region AFTER INSERT ON beacons.region_gateway REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.note_region();

-- Of a state only this is kept: visits come from events.
CREATE FUNCTION beacons.take_states(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    INSERT INTO beacons.region_gateway (site, region, gateway)
    SELECT DISTINCT m.site, m.payload->>'region', m.gateway
    FROM jsonb_to_recordset(batch) AS m (kind text, site text, gateway text, payload jsonb)
    WHERE m.kind = 'state' AND NOT EXISTS (
        SELECT FROM beacons.region_gateway r WHERE r.site = m.site AND r.region = m.payload->>'region' AND r.gateway = m.gateway)
    ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT m.i, 'unkept', NULL::text FROM jsonb_to_recordset(batch) AS m (i integer, kind text) WHERE m.kind = 'state';
END $$;
REVOKE EXECUTE ON FUNCTION beacons.take_states(jsonb) FROM PUBLIC;
