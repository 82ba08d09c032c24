-- Intervals: between which numbers the true visits of a day lie. visits_between() adds to the visits that were counted what was missed, and takes
-- away what was counted twice. Each part has a function of its own, which returns its mean and its variance.

CREATE TYPE beacons.told_stay AS (
    region text,
    beacon text,
    during tstzrange,
    gateways text[],
    dwell_s double precision,
    -- Neither its beginning nor its end lies at the edge of a deafness.
    is_whole boolean
);
COMMENT ON TYPE beacons.told_stay IS 'One beacon''s presence in a region: its pieces, joined over short and bridged silences.';

CREATE FUNCTION beacons.stays_in(pieces beacons.told_piece[], deaf beacons.deaf_time[]) RETURNS SETOF beacons.told_stay
LANGUAGE sql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH stay AS MATERIALIZED (
        SELECT p.region, p.beacon, p.stay, tstzrange(min(lower(p.during)), max(upper(p.during)), '[]') AS during
        FROM unnest(pieces) p GROUP BY 1, 2, 3
    ), heard AS (
        SELECT p.region, p.beacon, p.stay, array_agg(DISTINCT g.gateway ORDER BY g.gateway) AS gateways
        FROM unnest(pieces) p CROSS JOIN LATERAL unnest(p.gateways) g (gateway) GROUP BY 1, 2, 3
    ), edge AS MATERIALIZED (
        -- A beacon that was there already is heard some seconds after a deafness, and was last heard some seconds before the next.
        SELECT d.region, g.gateway, range_agg(tstzrange(upper(d.during), upper(d.during) + interval '30 seconds')) AS after,
            range_agg(tstzrange(lower(d.during) - interval '30 seconds', lower(d.during) + interval '1 second')) AS before
        FROM unnest(deaf) d CROSS JOIN LATERAL unnest(d.gateways) g (gateway) GROUP BY 1, 2
    )
    SELECT s.region, s.beacon, s.during, h.gateways, extract(epoch FROM upper(s.during) - lower(s.during))::double precision,
        NOT EXISTS (SELECT FROM edge e WHERE e.region = s.region AND e.gateway = ANY (h.gateways)
            AND (e.after @> lower(s.during) OR e.before @> upper(s.during)))
    FROM stay s JOIN heard h USING (region, beacon, stay)
$$;

-- Returns the visits of a day as they were heard, and what the short silences between them make uncertain: some are those of one visit, some of a
-- beacon that is used again at once. Later silences tell how often a beacon is used again.
CREATE FUNCTION beacons.stays_counted(a_day tstzrange, deaf beacons.deaf_time[], pieces beacons.told_piece[], stays beacons.told_stay[])
RETURNS TABLE (region text, visits double precision, variance double precision, beacons integer)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH partly AS MATERIALIZED (
        SELECT d.region, range_agg(d.during) AS during FROM unnest(deaf) d GROUP BY 1
    ), silence AS (
        SELECT p.region, p.silence - p.exit_after AS beyond, coalesce(d.during @> p.silent_from AND p.silence < interval '10 minutes', false) AS is_doubtful
        FROM unnest(pieces) p LEFT JOIN partly d USING (region)
        WHERE p.silence IS NOT NULL AND NOT p.is_bridged AND p.during && a_day
    ), told AS (
        SELECT s.region, count(*) FILTER (WHERE s.is_doubtful) AS doubtful, count(*) FILTER (WHERE s.beyond < beacons.split_patience()) AS short,
            count(*) FILTER (WHERE s.beyond >= interval '15 seconds' AND s.beyond < beacons.split_patience()) AS late,
            count(*) FILTER (WHERE s.beyond >= beacons.split_patience() AND s.beyond < interval '65 seconds') AS later
        FROM silence s GROUP BY 1
    ), again AS (
        -- Of the silences of one visit, a fifth are late, and for a hundred short ones there are 6 later ones. Those of beacons that are used again
        -- are spread evenly. Both the late and the later ones tell their number; the smaller one counts.
        SELECT t.region, t.short, t.doubtful, least(
            greatest(0, t.late - 0.2 * t.short) / (20.0 / 35 - 0.2), greatest(0, t.later - 0.06 * t.short) / (30.0 / 35 - 0.06), t.short) AS used_again
        FROM told t
    ), counted AS (
        SELECT s.region, count(*) AS stays, count(DISTINCT s.beacon) AS beacons FROM unnest(stays) s WHERE s.during && a_day GROUP BY 1
    )
    SELECT c.region, c.stays + coalesce(a.used_again, 0)::double precision, (coalesce(a.used_again, 0) * 2 + 0.1 * coalesce(a.short, 0) + 0.06 * coalesce(a.doubtful, 0))::double precision,
        c.beacons::integer
    FROM counted c LEFT JOIN again a USING (region)
$$;

-- Returns how unevenly visits begin: the variance of their number in ten minutes over its mean. Ten-minute steps of a day tell it, beside twelve
-- steps with the 1.2 of simulated crowds, where some people come with a trolley and a phone.
CREATE FUNCTION beacons.unevenness(a_day tstzrange, stays beacons.told_stay[]) RETURNS TABLE (region text, factor double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH step AS (
        SELECT s.region, (extract(epoch FROM lower(s.during) - lower(a_day)) / 600)::bigint AS step, count(*)::double precision AS visits
        FROM unnest(stays) s WHERE s.during && a_day GROUP BY 1, 2
    )
    SELECT a.region, (sum((a.visits - b.visits) ^ 2) + 12 * 1.2 * avg(a.visits + b.visits)) / (sum(a.visits + b.visits) + 12 * avg(a.visits + b.visits))
    FROM step a JOIN step b ON b.region = a.region AND b.step = a.step + 1 GROUP BY 1
$$;

-- The parts of a region's gateways whose deafness is looked at, those with the longest deafness first.
CREATE FUNCTION beacons.most_deaf_parts() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 20 $$;

-- Returns how visits begin and how long they last that only these gateways of a region would hear, told by the time in which all of them heard:
-- all of the region's where that is ten minutes of three days, or else these. Times are seconds since 1970. dwells_s are a hundred percentiles.
CREATE FUNCTION beacons.lone_visits(deaf beacons.deaf_time[], stays beacons.told_stay[], open tstzmultirange)
RETURNS TABLE (region text, gateways text[], heard tstzmultirange, began double precision[], dwells_s double precision[])
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH part AS MATERIALIZED (
        SELECT p.region, p.gateways FROM (
            SELECT d.region, d.gateways, row_number() OVER (PARTITION BY d.region ORDER BY beacons.seconds(range_agg(d.during) * open) DESC, d.gateways) AS place
            FROM unnest(deaf) d GROUP BY 1, 2) p
        WHERE p.place <= beacons.most_deaf_parts()
    ), heard AS MATERIALIZED (
        SELECT p.region, p.gateways, CASE WHEN beacons.seconds(open - any_of.during) >= 600 THEN open - any_of.during ELSE open - own.during END AS during
        FROM part p
        CROSS JOIN LATERAL (
            SELECT range_agg(tstzrange(lower(d.during), upper(d.during) + interval '30 seconds')) AS during
            FROM unnest(deaf) d WHERE d.region = p.region) any_of
        CROSS JOIN LATERAL (
            SELECT range_agg(tstzrange(lower(d.during), upper(d.during) + interval '30 seconds')) AS during
            FROM unnest(deaf) d WHERE d.region = p.region AND d.gateways && p.gateways) own
    )
    SELECT h.region, h.gateways, h.during, came.began, came.dwells_s
    FROM heard h CROSS JOIN LATERAL (
        SELECT array_agg(extract(epoch FROM lower(s.during))::double precision ORDER BY lower(s.during)) AS began,
            percentile_cont(ARRAY(SELECT (i - 0.5) / 100 FROM generate_series(1, 100) i)) WITHIN GROUP (ORDER BY s.dwell_s) FILTER (WHERE s.is_whole) AS dwells_s
        FROM unnest(stays) s WHERE s.region = h.region AND s.gateways <@ h.gateways AND h.during @> lower(s.during)) came
$$;

-- Returns the visits that a deafness hid from beginning to end. Visits began in it as often as in the hours around, and those that were shorter than
-- what was left of it were not heard. chance is the variance of evenly spread visits, in the deafness and in the hours around; drift is that of a rate
-- that rises or falls from the one to the other.
CREATE FUNCTION beacons.visits_missed(a_day tstzmultirange, deaf beacons.deaf_time[], stays beacons.told_stay[], open tstzmultirange)
RETURNS TABLE (region text, visits double precision, chance double precision, drift double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH lone AS MATERIALIZED (
        SELECT * FROM beacons.lone_visits(deaf, stays, open)
    ), hidden AS MATERIALIZED (
        SELECT d.region, d.gateways, piece, extract(epoch FROM upper(piece) - lower(piece))::double precision AS length_s,
            greatest(interval '3 hours', least(2 * (upper(piece) - lower(piece)), interval '1 day')) AS reach
        FROM unnest(deaf) d CROSS JOIN LATERAL unnest(tstzmultirange(d.during) * open * a_day) piece
    ), side AS (
        SELECT h.region, h.gateways, h.piece, h.length_s, l.heard, l.began, l.dwells_s, s.is_left, beacons.seconds(l.heard * tstzmultirange(s.during)) AS heard_s,
            (width_bucket(extract(epoch FROM upper(s.during))::double precision, l.began)
                - width_bucket(extract(epoch FROM lower(s.during))::double precision, l.began))::double precision AS came
        FROM hidden h JOIN lone l USING (region, gateways)
        CROSS JOIN LATERAL (VALUES (true, tstzrange(lower(h.piece) - h.reach, lower(h.piece))), (false, tstzrange(upper(h.piece), upper(h.piece) + h.reach)))
            s (is_left, during)
    ), around AS (
        SELECT s.region, s.piece, s.length_s, s.dwells_s, coalesce(sum(s.came), 0) AS came, sum(s.heard_s) AS heard_s,
            max(s.came / s.heard_s) FILTER (WHERE s.is_left AND s.heard_s > 300) AS left_rate, max(s.heard_s) FILTER (WHERE s.is_left) AS left_s,
            max(s.came / s.heard_s) FILTER (WHERE NOT s.is_left AND s.heard_s > 300) AS right_rate, max(s.heard_s) FILTER (WHERE NOT s.is_left) AS right_s,
            cardinality(s.began) AS all_came, beacons.seconds(s.heard) AS all_heard_s
        FROM side s GROUP BY s.region, s.gateways, s.piece, s.length_s, s.dwells_s, s.began, s.heard
    ), rate AS (
        -- Where hardly anything was heard around, the whole of the three days tells the rate.
        SELECT a.*, coalesce((SELECT avg(greatest(0, a.length_s - d.dwell_s)) FROM unnest(a.dwells_s) d (dwell_s)), 0) AS hidden_s,
            CASE WHEN a.heard_s >= 600 THEN a.came ELSE coalesce(a.all_came, 0) END AS visits, CASE WHEN a.heard_s >= 600 THEN a.heard_s ELSE a.all_heard_s END AS told_s
        FROM around a
    )
    SELECT r.region, sum(r.hidden_s * r.visits / nullif(r.told_s, 0)),
        sum(r.hidden_s * r.visits / nullif(r.told_s, 0)) + sum(r.hidden_s ^ 2 * (r.visits + 1) / nullif(r.told_s, 0) ^ 2),
        coalesce(sum(r.hidden_s ^ 2 * greatest(0, (r.left_rate - r.right_rate) ^ 2 - r.left_rate / r.left_s - r.right_rate / r.right_s) / 12), 0)
    FROM rate r GROUP BY 1
$$;

-- Returns the visits that a deafness joined: a beacon that was used again while its gateways were deaf seems to have stayed. The longer the deafness
-- is beside the visits of the region, and the more the beacon is used, the more likely that is.
CREATE FUNCTION beacons.visits_joined(a_day tstzrange, open_s double precision, pieces beacons.told_piece[], stays beacons.told_stay[])
RETURNS TABLE (region text, visits double precision, variance double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH dwell AS MATERIALIZED (
        SELECT s.region, percentile_cont(ARRAY(SELECT (i - 0.5) / 100 FROM generate_series(1, 100) i)) WITHIN GROUP (ORDER BY s.dwell_s) AS dwells_s
        FROM unnest(stays) s WHERE s.is_whole GROUP BY 1
    ), piece AS MATERIALIZED (
        SELECT p.region, p.beacon, p.stay, p.during, p.silent_from, p.is_bridged, extract(epoch FROM p.silence)::double precision AS silence_s,
            extract(epoch FROM p.silent_from - min(lower(p.during)) OVER stay)::double precision AS age_s,
            sum(extract(epoch FROM upper(p.during) - lower(p.during))) OVER (PARTITION BY p.region, p.beacon)
                - sum(extract(epoch FROM upper(p.during) - lower(p.during))) OVER stay AS else_s
        FROM unnest(pieces) p WINDOW stay AS (PARTITION BY p.region, p.beacon, p.stay)
    ), chance AS (
        SELECT p.region, least(1, p.else_s / greatest(open_s, 3600)) AS used,
            (100 - width_bucket(p.age_s + p.silence_s, d.dwells_s)) / greatest(1, 100 - width_bucket(p.age_s, d.dwells_s))::double precision AS stayed
        FROM piece p JOIN dwell d USING (region) WHERE p.is_bridged AND p.during && a_day
    ), joined AS (
        SELECT c.region, (1 - c.stayed) * c.used / greatest(1e-9, c.stayed + (1 - c.stayed) * c.used) AS likely FROM chance c
    )
    SELECT j.region, sum(j.likely)::double precision, sum(j.likely * (1 - j.likely))::double precision FROM joined j GROUP BY 1
$$;

-- Returns the visits of which neither the entry nor the exit came. Half of the numbers that are missing were entries. Where the exit came, it tells
-- the entry, and the visit is known. Where another gateway heard the beacon, it is known as well.
CREATE FUNCTION beacons.visits_lost(a_site text, a_day tstzrange, stays beacons.told_stay[])
RETURNS TABLE (region text, visits double precision, variance double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH told AS MATERIALIZED (
        SELECT e.gateway, e.region, e.type, e.at, e.entered_at, e.seq - lag(e.seq) OVER numbers - 1 AS missing, lag(e.at) OVER numbers AS before
        FROM beacons.event e WHERE e.site = a_site AND e.at >= lower(a_day) AND e.at < upper(a_day) AND e.gateway <> 'site'
        WINDOW numbers AS (PARTITION BY e.gateway, e.epoch ORDER BY e.seq)
    ), hole AS MATERIALIZED (
        SELECT t.gateway, sum(t.missing)::double precision AS events, range_agg(tstzrange(t.before, t.at, '()')) FILTER (WHERE t.before < t.at) AS during
        FROM told t WHERE t.missing > 0 GROUP BY 1
    ), part AS (
        SELECT t.gateway, t.region, h.events * count(*) / sum(count(*)) OVER (PARTITION BY t.gateway) AS events,
            count(*) FILTER (WHERE t.type = 'exit') AS exits, count(*) FILTER (WHERE t.type = 'exit' AND h.during @> t.entered_at) AS known
        FROM told t JOIN hole h USING (gateway) GROUP BY t.gateway, t.region, h.events
    ), lone AS (
        SELECT s.region, g.gateway, count(*) AS stays, avg((cardinality(s.gateways) = 1)::integer) AS share
        FROM unnest(stays) s CROSS JOIN LATERAL unnest(s.gateways) g (gateway) WHERE s.during && a_day GROUP BY 1, 2
    )
    SELECT p.region, sum(l.share * greatest(0, p.events / 2 - p.known) * least(1, l.stays::double precision / greatest(1, p.exits)))::double precision,
        sum(l.share * p.events / 4)::double precision
    FROM part p JOIN lone l USING (region, gateway) GROUP BY 1
$$;

-- The half width of the intervals in standard deviations: that of nine tenths of a normal distribution.
CREATE FUNCTION beacons.interval_width() RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1.645::double precision $$;

-- Returns the numbers between which the true visits of a store's day lie, for the regions of which something can be said: those that were heard in a
-- tenth of the opening time.
CREATE FUNCTION beacons.visits_between(a_site text, a_day date) RETURNS TABLE (region text, low integer, high integer)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    day tstzrange;
    from_at timestamptz;
    to_at timestamptz;
    open tstzmultirange;
    open_s double precision;
    deaf beacons.deaf_time[];
    all_pieces beacons.told_piece[];
    all_stays beacons.told_stay[];
BEGIN
    SELECT tstzrange(lower(d.during), greatest(lower(d.during), least(upper(d.during), now()))) INTO day FROM beacons.days_of(a_site, a_day, a_day + 1) d;
    from_at := lower(day) - interval '1 day';
    to_at := greatest(upper(day), least(upper(day) + interval '1 day', now()));
    SELECT coalesce(range_agg(o.during), '{}') * tstzmultirange(tstzrange(from_at, to_at)) INTO open FROM beacons.opening_of(a_site, a_day - 1, a_day + 2) o;
    IF (SELECT count(*) > beacons.most_visits() FROM (SELECT FROM beacons.visits_touching(a_site, from_at, to_at) LIMIT beacons.most_visits() + 1) v) THEN
        RETURN;
    END IF;
    deaf := ARRAY(SELECT d FROM beacons.deaf_of(a_site, from_at, to_at) d);
    all_pieces := ARRAY(SELECT p FROM beacons.pieces_of(a_site, from_at, to_at, deaf) p);
    all_stays := ARRAY(SELECT s FROM beacons.stays_in(all_pieces, deaf) s);
    RETURN QUERY
    WITH heard AS (
        SELECT r.region, range_agg(h.told) AS during FROM beacons.hearing(a_site, from_at, to_at) h
        JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = h.gateway
        WHERE h.hears AND r.gateway <> 'site' AND NOT isempty(h.told) GROUP BY 1
    )
    SELECT e.region, greatest(e.beacons, round(e.visits - e.error))::integer, greatest(e.beacons, round(e.visits + e.error))::integer
    FROM (
        SELECT h.region, coalesce(c.beacons, 0) AS beacons, coalesce(c.visits, 0) + coalesce(m.visits, 0) + coalesce(j.visits, 0) + coalesce(l.visits, 0) AS visits,
            beacons.interval_width() * sqrt(0.25 + coalesce(c.variance, 0) + coalesce(u.factor, 1.2) * coalesce(m.chance, 0) + coalesce(m.drift, 0)
                + coalesce(j.variance, 0) + coalesce(l.variance, 0)) AS error
        FROM heard h
        LEFT JOIN beacons.stays_counted(day, deaf, all_pieces, all_stays) c USING (region)
        LEFT JOIN beacons.unevenness(day, all_stays) u USING (region)
        LEFT JOIN beacons.visits_missed(tstzmultirange(day), deaf, all_stays, open) m USING (region)
        LEFT JOIN beacons.visits_joined(day, (SELECT max(beacons.seconds(x.during * open)) FROM heard x), all_pieces, all_stays) j USING (region)
        LEFT JOIN beacons.visits_lost(a_site, day, all_stays) l USING (region)
        WHERE beacons.seconds(h.during * open * tstzmultirange(day)) >= 0.1 * beacons.seconds(open * tstzmultirange(day))
        -- pieces_of() leaves regions out.
        AND (EXISTS (SELECT FROM unnest(all_stays) s WHERE s.region = h.region) OR NOT EXISTS (
            SELECT FROM beacons.visits_touching(a_site, from_at, to_at) v WHERE v.region = h.region AND v.gateway <> 'site'))) e;
END $$;
