-- Taking lists of beacons. The broker retains them, and sends them again after every subscription. A list that is not newer changes nothing.
--
-- These functions look up row by row, by index, whatever the tables held when PostgreSQL made the plan: OFFSET 0 keeps it from another one.

-- These functions look up row by row, by index, whatever the tables held when PostgreSQL made the plan: OFFSET 0 keeps it from another one.

-- The most pages of a list. A gateway's own limit is lower.
CREATE FUNCTION beacons.most_pages() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 100 $$;


-- Returns the mean of two means, each of so many readings.
CREATE FUNCTION beacons.mean_of(one double precision, ones bigint, other double precision, others bigint) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN one IS NULL THEN other WHEN other IS NULL THEN one ELSE (one * ones + other * others) / (ones + others) END $$;

-- Stores the pages that are new, each in its turn, and returns the outcome of each message. A page may come from a clock that is ahead: its
-- arrival counts then.
CREATE FUNCTION beacons.take_pages(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off AS $$
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, p.page, p.pages, m.received_at, least(p.at, m.received_at) AS at, md5(beacons.contents(m.payload)::text) AS digest,
            p.at <= m.received_at + interval '1 day' AND p.at >= m.received_at - interval '400 days' AS is_plausible,
            p.page < p.pages AND p.pages <= beacons.most_pages() AS has_place
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (at timestamptz, page integer, pages integer)
    ), stored AS MATERIALIZED (
        SELECT m.*, b.at AS stored_at, b.digest AS stored_digest
        FROM (SELECT DISTINCT site, gateway, page FROM message) m
        JOIN LATERAL (
            SELECT p.at, p.digest FROM beacons.beacon_page p WHERE p.site = m.site AND p.gateway = m.gateway AND p.page = m.page OFFSET 0) b ON true
    ), sorted AS MATERIALIZED (
        SELECT m.*, s.stored_at, s.stored_digest, m.digest IS NOT DISTINCT FROM s.stored_digest
            OR row_number() OVER (PARTITION BY m.site, m.gateway, m.page, m.digest ORDER BY m.i) > 1 AS is_known,
            greatest(s.stored_at, max(m.at) OVER (PARTITION BY m.site, m.gateway, m.page ORDER BY m.i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS before_at
        FROM message m LEFT JOIN stored s USING (site, gateway, page) WHERE m.is_plausible AND m.has_place
    ), fresh AS MATERIALIZED (
        SELECT s.* FROM sorted s WHERE NOT s.is_known AND (s.before_at IS NULL OR s.at > s.before_at)
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (n.site, n.gateway, n.page) n.*, min(n.at) OVER (PARTITION BY n.site, n.gateway, n.page) AS first_at
        FROM fresh n ORDER BY n.site, n.gateway, n.page, n.at DESC
    ), room AS MATERIALIZED (
        SELECT n.site, count(*) AS new_pages, (SELECT count(*) FROM beacons.beacon_page p WHERE p.site = n.site) AS pages
        FROM newest n WHERE n.stored_digest IS NULL GROUP BY n.site
    ), full_site AS MATERIALIZED (
        SELECT r.site FROM room r WHERE r.pages + r.new_pages > beacons.most_rows(r.site, 'pages')
    ), unneeded AS (
        -- Pages that a newer, shorter list does not need. An old page would make the list look complete when the new one is not.
        DELETE FROM beacons.beacon_page p USING newest n
        WHERE p.site = n.site AND p.gateway = n.gateway AND p.page >= n.pages AND p.at < n.at
        AND NOT EXISTS (SELECT FROM newest o WHERE o.site = p.site AND o.gateway = p.gateway AND o.page = p.page)
    ), added AS (
        INSERT INTO beacons.beacon_page AS b (site, gateway, page, pages, at, received_at, first_at, digest)
        SELECT site, gateway, page, pages, at, received_at, first_at, digest FROM newest n
        WHERE n.stored_digest IS NOT NULL OR NOT EXISTS (SELECT FROM full_site f WHERE f.site = n.site) ORDER BY 1, 2, 3
        ON CONFLICT (site, gateway, page) DO UPDATE
        SET pages = excluded.pages, at = excluded.at, received_at = excluded.received_at, digest = excluded.digest WHERE b.at < excluded.at
        RETURNING site, gateway, page
    )
    SELECT m.i,
        CASE WHEN NOT (m.is_plausible AND m.has_place) THEN 'rejected'
            WHEN n.i IS NOT NULL AND a.site IS NOT NULL THEN 'new'
            WHEN n.i IS NOT NULL AND n.stored_digest IS NULL THEN 'over_budget'
            WHEN NOT s.is_known AND s.at = s.before_at THEN 'conflict' ELSE 'repeated' END,
        CASE WHEN NOT m.has_place THEN format('page: %s of %s, where a list has at most %s', m.page, m.pages, beacons.most_pages())
            WHEN NOT m.is_plausible THEN 'at: more than a day after its arrival, or more than 400 days before'
            WHEN NOT s.is_known AND s.at = s.before_at THEN format('at: page %s of that moment was another one before', m.page) END
    FROM message m LEFT JOIN sorted s USING (i) LEFT JOIN fresh n USING (i)
    LEFT JOIN added a ON (a.site, a.gateway, a.page) = (m.site, m.gateway, m.page)
$$;

-- Returns the entries of pages. No time is later than its page.
CREATE FUNCTION beacons.entries_of(batch jsonb, fresh integer[])
RETURNS TABLE (site text, uuid text, major integer, minor integer, gateway text, listed_at timestamptz, last_heard_at timestamptz, first_heard_at timestamptz,
    interval_ms double precision, rssi_dbm double precision, battery_percent double precision, battery_mv double precision,
    temperature_c double precision, format text, telemetry_at timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.site, upper(e.uuid) AS uuid, e.major, e.minor, m.gateway, least(p.at, m.received_at) AS listed_at,
        least(e.last_heard_at, p.at, m.received_at) AS last_heard_at,
        -- A clock that began in 1970 would stay the beginning for ever.
        CASE WHEN e.first_heard_at >= p.at - interval '20 years' THEN least(e.first_heard_at, e.last_heard_at, m.received_at)
            ELSE least(e.last_heard_at, p.at, m.received_at) END AS first_heard_at,
        e.interval_ms, e.rssi_dbm, e.battery_percent, e.battery_mv,
        -- The column of the day has four octets, which hold no smaller number.
        CASE WHEN abs(e.temperature_c) < 1e-30 THEN 0 ELSE e.temperature_c END AS temperature_c, left(e.format, 40) AS format,
        CASE WHEN coalesce(e.battery_percent, e.battery_mv, e.temperature_c) IS NOT NULL
            THEN least(coalesce(e.telemetry_at, e.last_heard_at), p.at, m.received_at) END AS telemetry_at
    FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
    CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (at timestamptz, beacons jsonb)
    CROSS JOIN LATERAL jsonb_to_recordset(p.beacons) AS e (
        uuid text, major integer, minor integer, first_heard_at timestamptz, last_heard_at timestamptz, interval_ms double precision,
        rssi_dbm double precision, battery_percent double precision, battery_mv double precision, temperature_c double precision,
        telemetry_at timestamptz, format text)
    WHERE m.i = ANY (fresh)
$$;

-- Stores the entries of pages. Returns the sites that had no room for some of them.
CREATE FUNCTION beacons.take_entries(batch jsonb, fresh integer[]) RETURNS text[]
LANGUAGE sql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off AS $$
    WITH listed AS MATERIALIZED (
        SELECT * FROM beacons.entries_of(batch, fresh)
    ), newest AS MATERIALIZED (
        -- Each value is the newest one that is there.
        SELECT l.site, l.uuid, l.major, l.minor, l.gateway, max(l.listed_at) AS listed_at, max(l.last_heard_at) AS last_heard_at,
            min(l.first_heard_at) AS first_heard_at, max(l.telemetry_at) AS telemetry_at,
            (array_agg(l.interval_ms ORDER BY l.listed_at DESC) FILTER (WHERE l.interval_ms IS NOT NULL))[1] AS interval_ms,
            (array_agg(l.rssi_dbm ORDER BY l.listed_at DESC) FILTER (WHERE l.rssi_dbm IS NOT NULL))[1] AS rssi_dbm,
            (array_agg(l.battery_percent ORDER BY l.telemetry_at DESC) FILTER (WHERE l.battery_percent IS NOT NULL))[1] AS battery_percent,
            (array_agg(l.battery_mv ORDER BY l.telemetry_at DESC) FILTER (WHERE l.battery_mv IS NOT NULL))[1] AS battery_mv,
            (array_agg(l.temperature_c ORDER BY l.telemetry_at DESC) FILTER (WHERE l.temperature_c IS NOT NULL))[1] AS temperature_c,
            (array_agg(l.format ORDER BY l.telemetry_at DESC NULLS LAST, l.listed_at DESC))[1] AS format
        FROM listed l GROUP BY 1, 2, 3, 4, 5
    ), entry AS MATERIALIZED (
        SELECT t.*, h.site IS NULL AND r.site IS NULL AS is_guest,
            count(*) FILTER (WHERE h.site IS NULL) OVER (PARTITION BY t.site ORDER BY r.site IS NULL, t.uuid, t.major, t.minor, t.gateway) AS place,
            h.telemetry_at AS known_at, h.site IS NULL AS is_unknown
        FROM newest t
        LEFT JOIN LATERAL (
            SELECT b.site, b.telemetry_at FROM beacons.beacon_heard b
            WHERE b.site = t.site AND b.uuid = t.uuid AND b.major = t.major AND b.minor = t.minor AND b.gateway = t.gateway OFFSET 0) h ON true
        LEFT JOIN LATERAL (
            SELECT b.site FROM beacons.register b WHERE b.site = t.site AND b.uuid = t.uuid AND b.major = t.major AND b.minor = t.minor OFFSET 0) r ON true
    ), room AS MATERIALIZED (
        SELECT e.site, (SELECT count(*) FROM beacons.beacon_heard h WHERE h.site = e.site) AS rows, beacons.most_rows(e.site, 'heard') AS most
        FROM entry e WHERE e.is_unknown GROUP BY e.site
    ), fits AS MATERIALIZED (
        -- Registered beacons have as much room again, so that made-up beacons cannot displace them.
        SELECT e.*, NOT e.is_unknown OR room.rows + e.place <= CASE WHEN e.is_guest THEN 1 ELSE 2 END * room.most AS has_room
        FROM entry e LEFT JOIN room USING (site)
    ), kept AS (
        INSERT INTO beacons.beacon_heard AS h (
            site, uuid, major, minor, gateway, first_heard_at, last_heard_at, listed_at, interval_ms, rssi_dbm, battery_percent, battery_mv,
            temperature_c, telemetry_at, format)
        SELECT site, uuid, major, minor, gateway, first_heard_at, last_heard_at, listed_at, interval_ms, rssi_dbm, battery_percent, battery_mv,
            temperature_c, telemetry_at, format
        FROM fits WHERE has_room ORDER BY site, uuid, major, minor, gateway
        ON CONFLICT (site, uuid, major, minor, gateway) DO UPDATE SET
            first_heard_at = least(h.first_heard_at, excluded.first_heard_at), last_heard_at = greatest(h.last_heard_at, excluded.last_heard_at),
            listed_at = excluded.listed_at, interval_ms = coalesce(excluded.interval_ms, h.interval_ms),
            rssi_dbm = coalesce(excluded.rssi_dbm, h.rssi_dbm),
            (battery_percent, battery_mv, temperature_c, telemetry_at, format) = (
                -- Each value is the newest one that is there.
                SELECT (array_agg(t.percent ORDER BY t.at DESC NULLS LAST) FILTER (WHERE t.percent IS NOT NULL))[1],
                    (array_agg(t.mv ORDER BY t.at DESC NULLS LAST) FILTER (WHERE t.mv IS NOT NULL))[1],
                    (array_agg(t.celsius ORDER BY t.at DESC NULLS LAST) FILTER (WHERE t.celsius IS NOT NULL))[1],
                    max(t.at), (array_agg(t.format ORDER BY t.at DESC NULLS LAST))[1]
                FROM (VALUES
                    (excluded.battery_percent, excluded.battery_mv, excluded.temperature_c, excluded.telemetry_at, excluded.format),
                    (h.battery_percent, h.battery_mv, h.temperature_c, h.telemetry_at, h.format)) t (percent, mv, celsius, at, format))
        WHERE h.listed_at < excluded.listed_at
        RETURNING site, uuid, major, minor, gateway
    ), each_reading AS (
        -- Pages repeat a reading until there is another one.
        SELECT DISTINCT ON (l.site, l.uuid, l.major, l.minor, l.gateway, l.telemetry_at) l.*
        FROM listed l JOIN fits f USING (site, uuid, major, minor, gateway) JOIN kept USING (site, uuid, major, minor, gateway)
        WHERE l.telemetry_at > coalesce(f.known_at, '-infinity') AND l.telemetry_at > l.listed_at - interval '31 days'
        ORDER BY l.site, l.uuid, l.major, l.minor, l.gateway, l.telemetry_at, l.listed_at
    ), reading AS (
        SELECT f.site, f.uuid, f.major, f.minor, (f.telemetry_at AT TIME ZONE 'UTC')::date AS day, count(*) AS readings,
            count(f.battery_percent) AS percents, count(f.battery_mv) AS mvs, count(f.temperature_c) AS temperatures,
            avg(f.battery_percent) AS percent, min(f.battery_percent) AS percent_min, avg(f.battery_mv) AS mv, min(f.battery_mv) AS mv_min,
            avg(f.temperature_c) AS celsius
        FROM each_reading f GROUP BY 1, 2, 3, 4, 5
    ), recorded AS (
        INSERT INTO beacons.battery_daily AS d (
            site, uuid, major, minor, day, readings, percent_readings, mv_readings, temperature_readings, battery_percent, battery_percent_min, battery_mv,
            battery_mv_min, temperature_c)
        SELECT site, uuid, major, minor, day, readings, percents, mvs, temperatures, percent, percent_min, mv, mv_min, celsius FROM reading ORDER BY 1, 2, 3, 4, 5
        ON CONFLICT (site, uuid, major, minor, day) DO UPDATE SET
            readings = d.readings + excluded.readings, percent_readings = d.percent_readings + excluded.percent_readings,
            mv_readings = d.mv_readings + excluded.mv_readings, temperature_readings = d.temperature_readings + excluded.temperature_readings,
            battery_percent = beacons.mean_of(d.battery_percent, d.percent_readings, excluded.battery_percent, excluded.percent_readings),
            battery_percent_min = least(d.battery_percent_min, excluded.battery_percent_min),
            battery_mv = beacons.mean_of(d.battery_mv, d.mv_readings, excluded.battery_mv, excluded.mv_readings),
            battery_mv_min = least(d.battery_mv_min, excluded.battery_mv_min),
            temperature_c = beacons.mean_of(d.temperature_c, d.temperature_readings, excluded.temperature_c, excluded.temperature_readings)
    )
    SELECT coalesce(array_agg(DISTINCT site), '{}') FROM fits WHERE NOT has_room
$$;

CREATE FUNCTION beacons.take_beacons(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    answers jsonb;
    fresh integer[];
    lacking text[];
BEGIN
    SELECT jsonb_agg(p), array_agg(p.i) FILTER (WHERE p.outcome = 'new') INTO answers, fresh FROM beacons.take_pages(batch) p;
    lacking := beacons.take_entries(batch, fresh);
    -- The rest of such a list is stored, so the store pays for it.
    PERFORM beacons.record_used(m.site, 'told', count(*), sum(pg_column_size(m.payload))::bigint, count(*), count(*))
    FROM jsonb_to_recordset(batch) AS m (i integer, site text, payload jsonb)
    WHERE m.i = ANY (fresh) AND m.site = ANY (lacking) GROUP BY m.site;
    RETURN QUERY
    SELECT a.i, CASE WHEN a.outcome = 'new' AND m.site = ANY (lacking) THEN 'over_budget' ELSE a.outcome END, a.reason
    FROM jsonb_to_recordset(answers) AS a (i integer, outcome text, reason text)
    JOIN jsonb_to_recordset(batch) AS m (i integer, site text) USING (i);
END $$;
