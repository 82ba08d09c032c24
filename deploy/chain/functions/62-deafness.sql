-- What a day's visits rest on: when which gateways were deaf, and the silences within the visits. The intervals are counted from both.

-- The most times of deafness of a store, of each region and gateway one, the longest first; the others count as heard. Each may cut each visit into
-- pieces, so a store of many visits has fewer of them, at least 20: visits times deafnesses have a limit.
CREATE FUNCTION beacons.most_deaf_times() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000 $$;

CREATE FUNCTION beacons.most_deaf_times_beside(visits bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT least(beacons.most_deaf_times(), greatest(20, 200000 / greatest(1, visits))) $$;

-- The shortest one. A shorter deafness ends no visit.
CREATE FUNCTION beacons.least_deaf_time() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '5 seconds' $$;

-- The most visits of a store in two days, and of a beacon in a region, for which silences are looked at. More of them are no visitors.
CREATE FUNCTION beacons.most_visits() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 200000 $$;

CREATE FUNCTION beacons.most_visits_of_beacon() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1000 $$;

-- Returns when which gateways of each region were deaf. A gateway that did not hear at all is none of the region's. Before a gateway's first word
-- and after its goodbye, a store with opening hours was deaf; of another store, nothing is known to be missed then.
CREATE FUNCTION beacons.deaf_of(a_site text, from_at timestamptz, to_at timestamptz) RETURNS SETOF beacons.deaf_time
LANGUAGE sql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
    WITH gateway_time AS MATERIALIZED (
        SELECT h.gateway, h.heard, range_merge(h.reported) AS reported FROM beacons.heard_by_gateway(a_site, from_at, to_at) h
    ), deaf AS MATERIALIZED (
        SELECT r.region, t.gateway, piece, row_number() OVER (ORDER BY upper(piece) - lower(piece) DESC, r.region, t.gateway) AS place
        FROM gateway_time t JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = t.gateway
        CROSS JOIN LATERAL (
            SELECT CASE WHEN EXISTS (SELECT FROM beacons.store_opening o WHERE o.site = a_site) THEN tstzrange(from_at, to_at)
                WHEN (SELECT s.state FROM beacons.status s WHERE s.site = a_site AND s.gateway = t.gateway
                    ORDER BY s.received_at DESC, s.id DESC LIMIT 1) = 'online' THEN tstzrange(lower(t.reported), to_at)
                ELSE t.reported END AS during) life
        CROSS JOIN LATERAL unnest(tstzmultirange(life.during) - t.heard) piece
        WHERE t.heard IS NOT NULL AND upper(piece) - lower(piece) > beacons.least_deaf_time()
    ), longest AS MATERIALIZED (
        SELECT d.region, d.gateway, d.piece FROM deaf d
        CROSS JOIN (SELECT beacons.most_deaf_times_beside(count(*)) AS most FROM beacons.visits_touching(a_site, from_at, to_at)) m WHERE d.place <= m.most
    ), cut AS (
        SELECT c.region, c.at, lead(c.at) OVER (PARTITION BY c.region ORDER BY c.at) AS next
        FROM (SELECT l.region, lower(l.piece) AS at FROM longest l UNION SELECT l.region, upper(l.piece) FROM longest l) c
    )
    SELECT c.region, array_agg(l.gateway ORDER BY l.gateway), tstzrange(c.at, c.next)
    FROM cut c JOIN longest l ON l.region = c.region AND l.piece @> tstzrange(c.at, c.next)
    WHERE c.next - c.at > beacons.least_deaf_time() GROUP BY c.region, c.at, c.next
$$;

-- The longest silence of a beacon that came back within one visit is this much longer than the silence that ends a visit. In simulated and recorded
-- crowds, two thirds of such silences end within 6 s, and one of 50 is longer.
CREATE FUNCTION beacons.split_patience() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '35 seconds' $$;

-- Returns the silence after which each region's gateways end a visit: the median of what the exits say.
CREATE FUNCTION beacons.exit_after_of(a_site text, from_at timestamptz, to_at timestamptz) RETURNS TABLE (region text, exit_after interval)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT e.region, least(percentile_disc(0.5) WITHIN GROUP (ORDER BY e.at - e.last_heard_at), interval '10 minutes')
    FROM beacons.events_between(a_site, from_at, to_at) e WHERE e.type = 'exit' AND e.last_heard_at <= e.at GROUP BY e.region
$$;

-- Returns the pieces of a store's visits. A gateway hears nothing while it is deaf, whatever it reports of the visit. Short and bridged silences lie
-- within one stay, longer ones between two. Regions with a beacon of too many visits are left out.
CREATE FUNCTION beacons.pieces_of(a_site text, from_at timestamptz, to_at timestamptz, deaf beacons.deaf_time[]) RETURNS SETOF beacons.visit_piece
LANGUAGE sql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp SET enable_nestloop = off AS $$
    WITH unheard AS MATERIALIZED (
        SELECT d.region, g.gateway, range_agg(d.during) AS during FROM unnest(deaf) d CROSS JOIN LATERAL unnest(d.gateways) g (gateway) GROUP BY 1, 2
    ), patience AS MATERIALIZED (
        SELECT * FROM beacons.exit_after_of(a_site, from_at, to_at)
    ), unended AS MATERIALIZED (
        SELECT l.region, l.beacon, l.gateway, l.entered_at FROM beacons.visit_long l
        WHERE l.site = a_site AND l.superseded AND l.entered_at >= from_at AND l.entered_at < to_at
    ), visit AS MATERIALIZED (
        SELECT v.region, v.beacon, v.gateway, coalesce(u.during, '{}') AS deaf, coalesce(p.exit_after, interval '20 seconds') AS exit_after,
            -- A gateway that lost its state in a deafness never reports the end of the visit. It may go on with the next one.
            tstzrange(v.entered_at, CASE WHEN e.entered_at IS NOT NULL AND u.during && tstzrange(v.entered_at, v.next) THEN v.next
                ELSE coalesce(v.left_at, greatest(now(), v.entered_at)) END, '[]') AS during
        FROM (SELECT t.*, lead(t.entered_at) OVER (PARTITION BY t.region, t.beacon, t.gateway ORDER BY t.entered_at) AS next
            FROM beacons.visits_touching(a_site, from_at, to_at) t WHERE t.gateway <> 'site') v
        LEFT JOIN unheard u USING (region, gateway) LEFT JOIN patience p USING (region) LEFT JOIN unended e USING (region, beacon, gateway, entered_at)
    ), heard_by AS MATERIALIZED (
        SELECT v.region, v.beacon, v.gateway, range_agg(piece) AS during
        FROM visit v
        -- A visit that lies wholly in what counts as deaf was heard all the same.
        CROSS JOIN LATERAL unnest(CASE WHEN v.deaf @> v.during THEN tstzmultirange(v.during) ELSE tstzmultirange(v.during) - v.deaf END) piece GROUP BY 1, 2, 3
    ), beacon AS MATERIALIZED (
        SELECT v.region, v.beacon, range_agg(v.during) AS during, min(v.exit_after) AS exit_after, count(*) AS visits,
            -- When a gateway that heard it ended a visit.
            range_agg(tstzrange(upper(v.during), upper(v.during) + v.exit_after, '[]')) FILTER (WHERE NOT v.deaf @> upper(v.during)) AS ended
        FROM visit v GROUP BY 1, 2
    ), piece AS MATERIALIZED (
        SELECT h.region, h.beacon, p AS during, lag(upper(p)) OVER (PARTITION BY h.region, h.beacon ORDER BY p) AS silent_from
        FROM (SELECT h.region, h.beacon, range_agg(each) AS during FROM heard_by h CROSS JOIN LATERAL unnest(h.during) each GROUP BY 1, 2) h
        CROSS JOIN LATERAL unnest(h.during) p
    ), silent AS MATERIALIZED (
        SELECT p.*, b.exit_after, coalesce(
            b.during @> tstzrange(p.silent_from, lower(p.during), '[]') AND NOT coalesce(b.ended, '{}') @> p.silent_from, false) AS is_bridged
        FROM piece p JOIN beacon b USING (region, beacon)
        WHERE p.region NOT IN (SELECT c.region FROM beacon c WHERE c.visits > beacons.most_visits_of_beacon())
    ), hearing AS (
        SELECT p.region, p.beacon, p.during, array_agg(h.gateway ORDER BY h.gateway) AS gateways
        FROM piece p JOIN heard_by h ON h.region = p.region AND h.beacon = p.beacon AND h.during && p.during GROUP BY 1, 2, 3
    )
    SELECT s.region, s.beacon, s.during, h.gateways,
        count(*) FILTER (WHERE s.silent_from IS NULL OR NOT s.is_bridged AND lower(s.during) - s.silent_from >= s.exit_after + beacons.split_patience())
            OVER (PARTITION BY s.region, s.beacon ORDER BY s.during),
        s.silent_from, lower(s.during) - s.silent_from, s.is_bridged, s.exit_after
    FROM silent s JOIN hearing h ON h.region = s.region AND h.beacon = s.beacon AND h.during = s.during
$$;
