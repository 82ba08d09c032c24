-- Missed visits: those that came and went while gateways were deaf. They follow from the hours of other days, or else from the hours around.

-- A beacon that is there is heard within so long after a deafness, and was last heard within so long before one.
CREATE FUNCTION beacons.edge_of_deafness() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '30 seconds' $$;

-- The fractions of a hundred percentiles.
CREATE FUNCTION beacons.hundredths() RETURNS double precision[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_agg((i - 0.5) / 100 ORDER BY i)::double precision[] FROM generate_series(1, 100) i
$$;

CREATE FUNCTION beacons.stays_in(pieces beacons.visit_piece[], deaf beacons.deaf_time[]) RETURNS SETOF beacons.region_stay
LANGUAGE sql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH stay AS MATERIALIZED (
        SELECT p.region, p.beacon, p.stay, tstzrange(min(lower(p.during)), max(upper(p.during)), '[]') AS during
        FROM unnest(pieces) p GROUP BY 1, 2, 3
    ), heard AS (
        SELECT p.region, p.beacon, p.stay, array_agg(DISTINCT g.gateway ORDER BY g.gateway) AS gateways
        FROM unnest(pieces) p CROSS JOIN LATERAL unnest(p.gateways) g (gateway) GROUP BY 1, 2, 3
    ), edge AS MATERIALIZED (
        SELECT d.region, g.gateway, range_agg(tstzrange(upper(d.during), upper(d.during) + beacons.edge_of_deafness())) AS after,
            range_agg(tstzrange(lower(d.during) - beacons.edge_of_deafness(), lower(d.during) + interval '1 second')) AS before
        FROM unnest(deaf) d CROSS JOIN LATERAL unnest(d.gateways) g (gateway) GROUP BY 1, 2
    )
    SELECT s.region, s.beacon, s.during, h.gateways, extract(epoch FROM upper(s.during) - lower(s.during))::double precision,
        NOT EXISTS (SELECT FROM edge e WHERE e.region = s.region AND e.gateway = ANY (h.gateways)
            AND (e.after @> lower(s.during) OR e.before @> upper(s.during)))
    FROM stay s JOIN heard h USING (region, beacon, stay)
$$;

-- The most parts of gateways whose deafness is looked at, of all regions of a store, those with the longest deafness first.
CREATE FUNCTION beacons.most_deaf_parts() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 50 $$;

-- Returns how visits begin and how long they last that only these gateways of a region would hear, by the time in which all of them heard:
-- all of the region's where that is ten minutes of two days, or else these. Times are seconds since 1970. dwells_s are a hundred percentiles.
CREATE FUNCTION beacons.lone_visits(deaf beacons.deaf_time[], stays beacons.region_stay[], open tstzmultirange) RETURNS SETOF beacons.lone_part
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH part AS MATERIALIZED (
        SELECT p.region, p.gateways FROM (
            SELECT d.region, d.gateways, row_number() OVER (ORDER BY beacons.seconds(range_agg(d.during) * open) DESC, d.region, d.gateways) AS place
            FROM unnest(deaf) d GROUP BY 1, 2) p
        WHERE p.place <= beacons.most_deaf_parts()
    ), heard AS MATERIALIZED (
        SELECT p.region, p.gateways, CASE WHEN beacons.seconds(open - any_of.during) >= 600 THEN open - any_of.during ELSE open - own.during END AS during
        FROM part p
        CROSS JOIN LATERAL (
            SELECT range_agg(tstzrange(lower(d.during), upper(d.during) + beacons.edge_of_deafness())) AS during
            FROM unnest(deaf) d WHERE d.region = p.region) any_of
        CROSS JOIN LATERAL (
            SELECT range_agg(tstzrange(lower(d.during), upper(d.during) + beacons.edge_of_deafness())) AS during
            FROM unnest(deaf) d WHERE d.region = p.region AND d.gateways && p.gateways) own
    )
    SELECT h.region, h.gateways, h.during, came.began, came.dwells_s
    FROM heard h CROSS JOIN LATERAL (
        SELECT array_agg(extract(epoch FROM lower(s.during))::double precision ORDER BY lower(s.during)) AS began,
            percentile_cont(beacons.hundredths()) WITHIN GROUP (ORDER BY s.dwell_s) FILTER (WHERE s.is_whole) AS dwells_s
        FROM unnest(stays) s WHERE s.region = h.region AND s.gateways <@ h.gateways AND h.during @> lower(s.during)) came
$$;

-- Returns the deaf pieces of a day's opening time.
CREATE FUNCTION beacons.hidden_pieces(a_day tstzrange, deaf beacons.deaf_time[], lone beacons.lone_part[], open tstzmultirange) RETURNS SETOF beacons.hidden_piece
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.region, p.gateways, p.piece, p.length_s, coalesce((SELECT avg(greatest(0, p.length_s - d.dwell_s)) FROM unnest(l.dwells_s) d (dwell_s)), 0)
    FROM (
        SELECT d.region, d.gateways, piece, extract(epoch FROM upper(piece) - lower(piece))::double precision AS length_s
        FROM unnest(deaf) d CROSS JOIN LATERAL unnest(tstzmultirange(d.during * a_day) * open) piece) p
    JOIN unnest(lone) l USING (region, gateways)
$$;

-- The days before a day that show at which hours visitors come.
CREATE FUNCTION beacons.usual_days() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '28 days' $$;

-- Returns the usual hours of a store before a day, by the hours that were heard: those of the same weekday where there are two such days, or else of
-- all days.
CREATE FUNCTION beacons.usual_hours(a_site text, a_day date) RETURNS SETOF beacons.usual_hour
LANGUAGE sql STABLE ROWS 24 SET search_path = pg_catalog, pg_temp AS $$
    WITH past AS MATERIALIZED (
        SELECT o.region, o.visits, o.hour AT TIME ZONE z.name AS at, extract(isodow FROM o.hour AT TIME ZONE z.name) = extract(isodow FROM a_day) AS is_same
        FROM (SELECT beacons.time_zone_of(a_site) AS name) z CROSS JOIN beacons.occupancy_hourly o
        WHERE o.site = a_site AND o.hour >= a_day::timestamp AT TIME ZONE z.name - beacons.usual_days() AND o.hour < a_day::timestamp AT TIME ZONE z.name
        AND o.covered_share >= 0.9
    ), chosen AS (
        SELECT p.region, count(DISTINCT p.at::date) FILTER (WHERE p.is_same) >= 2 AS by_weekday FROM past p GROUP BY 1
    )
    SELECT p.region, p.at::time, avg(p.visits)::double precision, count(*), CASE WHEN c.by_weekday THEN 0.15 ELSE 0.25 END
    FROM past p JOIN chosen c USING (region) WHERE p.is_same OR NOT c.by_weekday GROUP BY p.region, p.at::time, c.by_weekday
$$;

-- Returns the number of visits of a part that began in a time.
CREATE FUNCTION beacons.began_in(began double precision[], during tstzrange) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (width_bucket(extract(epoch FROM upper(during))::double precision, began)
        - width_bucket(extract(epoch FROM lower(during))::double precision, began))::double precision
$$;

-- Returns the visits that began in each deafness as they begin on other days: in proportion to the usual hours, as many as the heard hours of this day
-- show. Without other days that were heard then, there is no row. chance is a share of the variance, and error of the standard deviation.
CREATE FUNCTION beacons.came_as_usual(a_day tstzrange, hidden beacons.hidden_piece[], lone beacons.lone_part[], usual beacons.usual_hour[], zone text)
RETURNS TABLE (region text, gateways text[], during tstzrange, came double precision, chance double precision, error double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH hour AS MATERIALIZED (
        SELECT u.region, h.during, u.visits, u.days, u.error
        FROM (SELECT tstzrange(t, t + interval '1 hour') AS during, (t AT TIME ZONE zone)::time AS clock
            FROM generate_series(beacons.hour_of(lower(a_day)), upper(a_day) - interval '1 microsecond', interval '1 hour') t) h
        JOIN unnest(usual) u USING (clock)
    ), heard AS (
        SELECT l.region, l.gateways, sum(h.visits * beacons.seconds(l.heard * tstzmultirange(h.during * a_day))) / 3600 AS usual, max(h.days) AS days,
            coalesce(beacons.began_in(l.began, a_day), 0) AS came
        FROM unnest(lone) l JOIN hour h USING (region) GROUP BY l.region, l.gateways, l.began
    ), deaf AS (
        SELECT p.region, p.gateways, p.during, p.length_s, min(h.days) AS days, max(h.error) AS error,
            sum(h.visits * extract(epoch FROM upper(h.during * p.during) - lower(h.during * p.during))::double precision) / 3600 AS usual,
            sum(extract(epoch FROM upper(h.during * p.during) - lower(h.during * p.during))) AS known_s
        FROM unnest(hidden) p JOIN hour h ON h.region = p.region AND h.during && p.during GROUP BY 1, 2, 3, 4
    )
    SELECT d.region, d.gateways, d.during, h.came * d.usual / h.usual,
        1 / greatest(1, h.came) + 1 / greatest(1, d.usual * d.days) + 1 / greatest(1, h.usual * h.days), d.error
    FROM deaf d JOIN heard h USING (region, gateways) WHERE h.usual >= 1 AND h.came >= 5 AND d.known_s >= 0.99 * d.length_s
$$;

-- Returns the visits that began in each deafness as they begin around it: in at least three hours before and after, or in twice its length. The
-- standard deviation has the share by which half hours of the day differ beyond chance, and the difference between before and after.
CREATE FUNCTION beacons.came_as_around(a_day tstzrange, hidden beacons.hidden_piece[], lone beacons.lone_part[])
RETURNS TABLE (region text, gateways text[], during tstzrange, came double precision, chance double precision, error double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH rhythm AS MATERIALIZED (
        SELECT s.region, s.gateways, greatest(0, (var_samp(s.came) - 1.4 * avg(s.came)) / nullif(avg(s.came), 0) ^ 2) AS spread
        FROM (
            SELECT l.region, l.gateways, coalesce(beacons.began_in(l.began, s.during), 0) AS came FROM unnest(lone) l
            CROSS JOIN LATERAL (SELECT tstzrange(t, t + interval '30 minutes') AS during
                FROM generate_series(lower(a_day), upper(a_day) - interval '30 minutes', interval '30 minutes') t) s
            WHERE l.heard @> s.during) s
        GROUP BY 1, 2
    ), side AS (
        SELECT p.region, p.gateways, p.during, p.length_s, s.is_left, beacons.seconds(l.heard * tstzmultirange(s.during)) AS heard_s,
            coalesce(beacons.began_in(l.began, s.during), 0) AS came, coalesce(cardinality(l.began), 0) AS all_came, beacons.seconds(l.heard) AS all_heard_s
        FROM (SELECT q.*, greatest(interval '3 hours', least(2 * (upper(q.during) - lower(q.during)), interval '1 day')) AS reach FROM unnest(hidden) q) p
        JOIN unnest(lone) l USING (region, gateways)
        CROSS JOIN LATERAL (VALUES (true, tstzrange(lower(p.during) - p.reach, lower(p.during))), (false, tstzrange(upper(p.during), upper(p.during) + p.reach)))
            s (is_left, during)
    ), around AS (
        SELECT s.region, s.gateways, s.during, s.length_s, sum(s.came) AS came, sum(s.heard_s) AS heard_s, min(s.all_came) AS all_came, min(s.all_heard_s) AS all_heard_s,
            max(s.came / s.heard_s) FILTER (WHERE s.is_left AND s.heard_s > 300) AS left_rate, max(s.heard_s) FILTER (WHERE s.is_left) AS left_s,
            max(s.came / s.heard_s) FILTER (WHERE NOT s.is_left AND s.heard_s > 300) AS right_rate, max(s.heard_s) FILTER (WHERE NOT s.is_left) AS right_s
        FROM side s GROUP BY 1, 2, 3, 4
    ), rate AS (
        -- Where hardly anything was heard around, the whole of the two days gives the rate.
        SELECT a.*, CASE WHEN a.heard_s >= 600 THEN a.came ELSE a.all_came END AS counted, nullif(CASE WHEN a.heard_s >= 600 THEN a.heard_s ELSE a.all_heard_s END, 0) AS counted_s
        FROM around a
    )
    SELECT r.region, r.gateways, r.during, r.length_s * r.counted / r.counted_s, (r.counted + 1) / greatest(1, r.counted) ^ 2,
        sqrt(greatest(
            coalesce(greatest(0, (r.left_rate - r.right_rate) ^ 2 - r.left_rate / r.left_s - r.right_rate / r.right_s) / 12 / nullif(r.counted / r.counted_s, 0) ^ 2, 0),
            coalesce(y.spread, 0) * CASE WHEN r.left_rate IS NULL OR r.right_rate IS NULL THEN 1 ELSE least(1, r.length_s / 5400) END))
    FROM rate r LEFT JOIN rhythm y USING (region, gateways)
$$;

-- Returns the visits that a deafness hid from beginning to end: those that began in it and were shorter than what was left of it. chance is the
-- variance of evenly spread visits, drift that of a rate that was different from that of the other times. visits is null where no time shows it.
CREATE FUNCTION beacons.visits_missed(a_day tstzrange, hidden beacons.hidden_piece[], lone beacons.lone_part[], usual beacons.usual_hour[], zone text)
RETURNS TABLE (region text, visits double precision, chance double precision, drift double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH piece AS (
        SELECT p.region, coalesce(u.came, a.came) * p.hidden_s / p.length_s AS visits,
            CASE WHEN u.came IS NULL THEN a.chance ELSE u.chance END AS chance, CASE WHEN u.came IS NULL THEN a.error ELSE u.error END AS error
        FROM unnest(hidden) p LEFT JOIN beacons.came_as_around(a_day, hidden, lone) a USING (region, gateways, during)
        LEFT JOIN beacons.came_as_usual(a_day, hidden, lone, usual, zone) u USING (region, gateways, during)
    )
    -- What is different on this day is so in all of its deaf pieces.
    SELECT p.region, CASE WHEN bool_and(p.visits IS NOT NULL) THEN sum(p.visits) END, sum(p.visits) + sum(p.visits ^ 2 * p.chance), sum(p.visits * p.error) ^ 2
    FROM piece p GROUP BY 1
$$;
