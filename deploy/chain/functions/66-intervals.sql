-- Intervals: between which numbers the true visits of a day lie. visits_between() adds to the visits that were counted what was missed, and takes
-- away what was counted twice. Each part has a function of its own, which returns its mean and its variance.

-- Returns the visits of a day as they were heard, and what the short silences between them make uncertain: some are those of one visit, some of a
-- beacon that is used again at once. Later silences show how often a beacon is used again.
CREATE FUNCTION beacons.stays_counted(a_day tstzrange, deaf beacons.deaf_time[], pieces beacons.visit_piece[], stays beacons.region_stay[])
RETURNS TABLE (region text, visits double precision, variance double precision, beacons integer)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH partly AS MATERIALIZED (
        SELECT d.region, range_agg(d.during) AS during FROM unnest(deaf) d GROUP BY 1
    ), silence AS (
        SELECT p.region, p.silence - p.exit_after AS beyond, coalesce(d.during @> p.silent_from AND p.silence < interval '10 minutes', false) AS is_doubtful
        FROM unnest(pieces) p LEFT JOIN partly d USING (region)
        WHERE p.silence IS NOT NULL AND NOT p.is_bridged AND p.during && a_day
    ), tally AS (
        SELECT s.region, count(*) FILTER (WHERE s.is_doubtful) AS doubtful, count(*) FILTER (WHERE s.beyond < beacons.split_patience()) AS short,
            count(*) FILTER (WHERE s.beyond >= interval '15 seconds' AND s.beyond < beacons.split_patience()) AS late,
            count(*) FILTER (WHERE s.beyond >= beacons.split_patience() AND s.beyond < interval '65 seconds') AS later
        FROM silence s GROUP BY 1
    ), again AS (
        -- Of the silences of one visit, a fifth are late, and for a hundred short ones there are 6 later ones. Those of beacons that are used again
        -- are spread evenly. Both the late and the later ones show their number; the smaller one counts.
        SELECT t.region, t.short, t.doubtful, least(
            greatest(0, t.late - 0.2 * t.short) / (20.0 / 35 - 0.2), greatest(0, t.later - 0.06 * t.short) / (30.0 / 35 - 0.06), t.short) AS used_again
        FROM tally t
    ), counted AS (
        SELECT s.region, count(*) AS stays, count(DISTINCT s.beacon) AS beacons FROM unnest(stays) s WHERE s.during && a_day GROUP BY 1
    )
    SELECT c.region, c.stays + coalesce(a.used_again, 0)::double precision, (coalesce(a.used_again, 0) * 2 + 0.1 * coalesce(a.short, 0) + 0.06 * coalesce(a.doubtful, 0))::double precision,
        c.beacons::integer
    FROM counted c LEFT JOIN again a USING (region)
$$;

-- Returns how unevenly visits begin: the variance of their number in ten minutes over its mean. Ten-minute steps of a day show it, beside twelve
-- steps with the 1.2 of simulated crowds, where some people come with a trolley and a phone.
CREATE FUNCTION beacons.unevenness(a_day tstzrange, stays beacons.region_stay[]) RETURNS TABLE (region text, factor double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH step AS (
        SELECT s.region, (extract(epoch FROM lower(s.during) - lower(a_day)) / 600)::bigint AS step, count(*)::double precision AS visits
        FROM unnest(stays) s WHERE s.during && a_day GROUP BY 1, 2
    )
    SELECT a.region, (sum((a.visits - b.visits) ^ 2) + 12 * 1.2 * avg(a.visits + b.visits)) / (sum(a.visits + b.visits) + 12 * avg(a.visits + b.visits))
    FROM step a JOIN step b ON b.region = a.region AND b.step = a.step + 1 GROUP BY 1
$$;

-- Returns the visits that a deafness joined: a beacon that was used again while its gateways were deaf seems to have stayed. The longer the deafness
-- is beside the visits of the region, and the more the beacon is used, the more likely that is.
CREATE FUNCTION beacons.visits_joined(a_day tstzrange, open_s double precision, pieces beacons.visit_piece[], stays beacons.region_stay[])
RETURNS TABLE (region text, visits double precision, variance double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH dwell AS MATERIALIZED (
        SELECT s.region, percentile_cont(beacons.hundredths()) WITHIN GROUP (ORDER BY s.dwell_s) AS dwells_s
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

-- The most numbers that a gateway may miss in a day. Beyond it, they are no events: nothing is said of its regions.
CREATE FUNCTION beacons.most_missing() RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 100000::double precision $$;

-- Returns the visits of which neither the entry nor the exit came. Half of the numbers that are missing were entries. Where the exit came, it gives
-- the entry, and the visit is known. Where another gateway heard the beacon, it is known as well.
CREATE FUNCTION beacons.visits_lost(a_site text, a_day tstzrange, stays beacons.region_stay[])
RETURNS TABLE (region text, visits double precision, variance double precision)
LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
    WITH numbered AS MATERIALIZED (
        SELECT e.gateway, e.region, e.type, e.at, e.entered_at, e.seq - lag(e.seq) OVER numbers - 1 AS missing, lag(e.at) OVER numbers AS before
        FROM beacons.events_between(a_site, lower(a_day), upper(a_day)) e
        WINDOW numbers AS (PARTITION BY e.gateway, e.epoch ORDER BY e.seq)
    ), hole AS MATERIALIZED (
        SELECT t.gateway, sum(t.missing)::double precision AS events, range_agg(tstzrange(t.before, t.at, '()')) FILTER (WHERE t.before < t.at) AS during
        FROM numbered t WHERE t.missing > 0 GROUP BY 1
    ), part AS (
        SELECT t.gateway, t.region, h.events AS missing, h.events * count(*) / sum(count(*)) OVER (PARTITION BY t.gateway) AS events,
            count(*) FILTER (WHERE t.type = 'exit') AS exits, count(*) FILTER (WHERE t.type = 'exit' AND h.during @> t.entered_at) AS known
        FROM numbered t JOIN hole h USING (gateway) GROUP BY t.gateway, t.region, h.events
    ), lone AS (
        SELECT s.region, g.gateway, count(*) AS stays, avg((cardinality(s.gateways) = 1)::integer) AS share
        FROM unnest(stays) s CROSS JOIN LATERAL unnest(s.gateways) g (gateway) WHERE s.during && a_day GROUP BY 1, 2
    )
    SELECT p.region, CASE WHEN max(p.missing) <= beacons.most_missing() THEN
            sum(l.share * greatest(0, p.events / 2 - p.known) * least(1, l.stays::double precision / greatest(1, p.exits)))::double precision END,
        sum(l.share * p.events / 4)::double precision
    FROM part p JOIN lone l USING (region, gateway) GROUP BY 1
$$;

-- The half width of the intervals in standard deviations. A normal distribution would want 1.645. The variances are a little too large where
-- visitors come evenly.
CREATE FUNCTION beacons.interval_width() RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1.5::double precision $$;

-- Returns the numbers between which the true visits of a store's day lie, for the regions of which something can be said: those that were heard in a
-- tenth of the opening time.
CREATE FUNCTION beacons.visits_between(a_site text, a_day date) RETURNS TABLE (region text, low integer, high integer)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    day tstzrange;
    from_at timestamptz;
    to_at timestamptz;
    open tstzmultirange;
    deaf beacons.deaf_time[];
    lone beacons.lone_part[];
    hidden beacons.hidden_piece[];
    usual beacons.usual_hour[];
    all_pieces beacons.visit_piece[];
    all_stays beacons.region_stay[];
BEGIN
    SELECT tstzrange(lower(d.during), greatest(lower(d.during), least(upper(d.during), now()))) INTO day FROM beacons.days_of(a_site, a_day, a_day + 1) d;
    from_at := lower(day) - interval '1 day';
    -- What comes after the day changes nothing, so a day that was counted stays as it is.
    to_at := upper(day);
    SELECT coalesce(range_agg(o.during), '{}') * tstzmultirange(tstzrange(from_at, to_at)) INTO open FROM beacons.opening_of(a_site, a_day - 1, a_day + 1) o;
    IF (SELECT count(*) > beacons.most_visits() FROM (SELECT FROM beacons.visits_touching(a_site, from_at, to_at) LIMIT beacons.most_visits() + 1) v) THEN
        RETURN;
    END IF;
    deaf := ARRAY(SELECT d FROM beacons.deaf_of(a_site, from_at, to_at) d);
    all_pieces := ARRAY(SELECT p FROM beacons.pieces_of(a_site, from_at, to_at, deaf) p);
    all_stays := ARRAY(SELECT s FROM beacons.stays_in(all_pieces, deaf) s);
    IF cardinality(deaf) > 0 THEN
        lone := ARRAY(SELECT p FROM beacons.lone_visits(deaf, all_stays, open) p);
        hidden := ARRAY(SELECT p FROM beacons.hidden_pieces(day, deaf, lone, open) p);
        usual := CASE WHEN cardinality(hidden) > 0 THEN ARRAY(SELECT u FROM beacons.usual_hours(a_site, a_day) u) END;
    END IF;
    RETURN QUERY
    WITH heard AS (
        SELECT r.region, range_agg(h.heard) AS during FROM beacons.heard_by_gateway(a_site, from_at, to_at) h
        JOIN beacons.region_gateway r ON r.site = a_site AND r.gateway = h.gateway WHERE h.heard IS NOT NULL GROUP BY 1
    )
    SELECT e.region, greatest(e.beacons, round(e.visits - e.error))::integer, greatest(e.beacons, round(e.visits + e.error))::integer
    FROM (
        SELECT h.region, coalesce(c.beacons, 0) AS beacons, coalesce(c.visits, 0) + coalesce(j.visits, 0)
                + CASE WHEN m.region IS NULL THEN 0 ELSE m.visits END + CASE WHEN l.region IS NULL THEN 0 ELSE l.visits END AS visits,
            beacons.interval_width() * sqrt(0.25 + coalesce(c.variance, 0) + coalesce(u.factor, 1.2) * coalesce(m.chance, 0) + coalesce(m.drift, 0)
                + coalesce(j.variance, 0) + coalesce(l.variance, 0)) AS error
        FROM heard h
        LEFT JOIN beacons.stays_counted(day, deaf, all_pieces, all_stays) c USING (region)
        LEFT JOIN beacons.unevenness(day, all_stays) u USING (region)
        LEFT JOIN beacons.visits_missed(day, hidden, lone, usual, beacons.time_zone_of(a_site)) m USING (region)
        LEFT JOIN beacons.visits_joined(day, (SELECT max(beacons.seconds(x.during * open)) FROM heard x), all_pieces, all_stays) j USING (region)
        LEFT JOIN beacons.visits_lost(a_site, day, all_stays) l USING (region)
        WHERE beacons.seconds(h.during * open * tstzmultirange(day)) >= 0.1 * beacons.seconds(open * tstzmultirange(day))
        -- pieces_of() leaves regions out. Asked once for all regions, not for each.
        AND (h.region IN (SELECT s.region FROM unnest(all_stays) s)
            OR h.region NOT IN (SELECT v.region FROM beacons.visits_touching(a_site, from_at, to_at) v WHERE v.gateway <> 'site'))) e
    -- GREATEST would pass over a null.
    WHERE e.visits IS NOT NULL;
END $$;
