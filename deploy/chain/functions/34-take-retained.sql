-- Taking status, health and location. The broker retains these messages, and sends them again after every subscription. They are new once.
--
-- A second health of a known moment with other contents is a conflict.

CREATE FUNCTION beacons.take_statuses(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (at timestamptz, epoch text, state text, radio text, version text)
    ), added AS (
        INSERT INTO beacons.status (site, gateway, at, received_at, epoch, state, radio, version, payload)
        SELECT site, gateway, at, received_at, epoch, state, radio, version, payload FROM message ORDER BY site, gateway, at, received_at, i
        ON CONFLICT DO NOTHING RETURNING site, gateway, payload
    )
    SELECT m.i, beacons.outcome(EXISTS (
        SELECT FROM added a WHERE a.site = m.site AND a.gateway = m.gateway AND a.payload = m.payload), true), NULL::text
    FROM message m;
END $$;

-- Returns whether the health of a moment has these contents; null for a moment without one. Planned for each moment, as is_same_event().
CREATE FUNCTION beacons.is_same_health(a_site text, a_gateway text, moment timestamptz, contents jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN (
        SELECT coalesce(beacons.contents(h.payload) = contents, true) FROM beacons.health h
        WHERE h.site = a_site AND h.gateway = a_gateway AND h.at = moment);
END $$;

CREATE FUNCTION beacons.take_healths(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.at, beacons.contents(m.payload) AS contents,
            row_number() OVER same = 1 AS is_first, first_value(beacons.contents(m.payload)) OVER same AS first_contents
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (at timestamptz)
        WINDOW same AS (PARTITION BY m.site, m.gateway, p.at ORDER BY m.i)
    ), added AS (
        INSERT INTO beacons.health (site, gateway, at, received_at, payload)
        SELECT site, gateway, at, received_at, payload FROM message WHERE is_first ORDER BY 1, 2, 3
        ON CONFLICT DO NOTHING RETURNING site, gateway, at
    )
    SELECT m.i, o.outcome, CASE WHEN o.outcome = 'conflict' THEN format('at: health of %s was another one before', m.payload->>'at') END
    FROM message m LEFT JOIN added a USING (site, gateway, at)
    CROSS JOIN LATERAL (SELECT beacons.outcome(
        a.site IS NOT NULL AND m.is_first,
        CASE WHEN a.site IS NOT NULL THEN m.first_contents = m.contents
        ELSE coalesce(beacons.is_same_health(m.site, m.gateway, m.at, m.contents), m.first_contents = m.contents) END) AS outcome) o;
END $$;

-- Stores the fixes of locations and tracks. A message is new where one of its fixes is.
CREATE FUNCTION beacons.take_fixes(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH fix AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, f.*
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_array_elements(
            CASE WHEN m.kind = 'location' THEN jsonb_build_array(m.payload->'fix') ELSE m.payload->'fixes' END) fix
        CROSS JOIN LATERAL jsonb_to_record(fix) AS f (
            at timestamptz, latitude double precision, longitude double precision, horizontal_accuracy_m double precision,
            altitude_m double precision, speed_m_s double precision, course_deg double precision, heading_deg double precision)
    ), added AS (
        INSERT INTO beacons.location (
            site, gateway, at, received_at, latitude, longitude, horizontal_accuracy_m, altitude_m, speed_m_s, course_deg, heading_deg)
        SELECT site, gateway, at, received_at, latitude, longitude, horizontal_accuracy_m, altitude_m, speed_m_s, course_deg, heading_deg
        FROM fix ORDER BY 1, 2, 3
        ON CONFLICT DO NOTHING RETURNING site, gateway, at
    )
    SELECT m.i, beacons.outcome(EXISTS (SELECT FROM fix f JOIN added a USING (site, gateway, at) WHERE f.i = m.i), true), NULL::text
    FROM jsonb_to_recordset(batch) AS m (i integer);
END $$;
