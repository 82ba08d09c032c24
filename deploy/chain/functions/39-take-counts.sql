-- Taking counts of people, and their figures by the store's own day.

-- Stores the counts that are new. One that cannot be true is rejected, and its number stays free.
CREATE FUNCTION beacons.take_counts(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*,
            CASE WHEN p.to_at <= p.from_at OR p.to_at > p.from_at + interval '400 days' THEN 'to_at: not after from_at, or more than 400 days after it'
                WHEN p.to_at > m.received_at + interval '1 day' OR p.to_at < m.received_at - interval '400 days'
                THEN 'to_at: more than a day after its arrival, or more than 400 days before'
                WHEN d.cells > 10 OR d.least < 1 OR p.entered < 0 OR p."left" < 0 OR p.present < 0 THEN 'dwell: more than 10 cells, or a negative number' END AS fault
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, count bigint, at timestamptz, region text, from_at timestamptz, to_at timestamptz, minimum bigint, entered bigint, "left" bigint,
            present bigint, dwell_from_at timestamptz, dwell jsonb, partial boolean)
        CROSS JOIN LATERAL (
            SELECT count(*) AS cells, min(least(c.visits, c.from_s + 1)) AS least
            FROM jsonb_to_recordset(p.dwell) AS c (from_s integer, visits bigint)) d
    ), fit AS MATERIALIZED (
        SELECT t.*, row_number() OVER same = 1 AS is_first, first_value(beacons.contents(t.payload)) OVER same AS first_contents
        FROM message t WHERE t.fault IS NULL WINDOW same AS (PARTITION BY t.site, t.gateway, t.epoch, t.count ORDER BY t.i)
    ), added AS (
        INSERT INTO beacons.count (
            site, gateway, epoch, count, region, from_at, to_at, entered, "left", present, minimum, partial, dwell_from_at, dwell, received_at, payload)
        SELECT site, gateway, epoch, count, region, from_at, to_at, entered, "left", present, coalesce(minimum, 1), coalesce(partial, true), dwell_from_at,
            dwell, received_at, payload
        FROM fit WHERE is_first ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING RETURNING site, gateway, epoch, count
    )
    SELECT t.i, o.outcome, coalesce(t.fault, CASE WHEN o.outcome = 'conflict' THEN format('count: %s of epoch %s was another one before', t.count, t.epoch) END)
    FROM message t LEFT JOIN fit f ON f.i = t.i LEFT JOIN added a ON (a.site, a.gateway, a.epoch, a.count) = (t.site, t.gateway, t.epoch, t.count)
    CROSS JOIN LATERAL (SELECT CASE WHEN t.fault IS NOT NULL THEN 'rejected' ELSE beacons.outcome(
        a.site IS NOT NULL AND f.is_first,
        coalesce((SELECT beacons.contents(s.payload) = beacons.contents(t.payload) FROM beacons.count s
            WHERE s.site = t.site AND s.gateway = t.gateway AND s.epoch = t.epoch AND s.count = t.count),
            f.first_contents = beacons.contents(t.payload))) END AS outcome) o
$$;

-- A count belongs to the day in which it ends. Counts join quarters of an hour until there are enough people, and never the two sides of a night.
CREATE VIEW beacons.count_daily AS
WITH counted AS (
    SELECT c.*, ((c.to_at - interval '1 second') AT TIME ZONE coalesce(s.time_zone, 'UTC'))::date AS day
    FROM beacons.count c LEFT JOIN beacons.store s ON s.site = c.site
)
SELECT c.site, c.gateway, c.region, c.day, coalesce(sum(c.entered), 0)::bigint AS entered, coalesce(sum(c."left"), 0)::bigint AS "left",
    max(c.present) AS peak_present, count(*) FILTER (WHERE c.entered IS NULL OR c."left" IS NULL)::integer AS left_out,
    count(*) FILTER (WHERE c.partial)::integer AS partial, min(c.from_at) AS from_at, max(c.to_at) AS to_at
FROM counted c GROUP BY 1, 2, 3, 4;
COMMENT ON VIEW beacons.count_daily IS
    'The visits of a region of people at one gateway in a day of the store''s own time zone. Gateways count for themselves: add up only those that hear no visit together. The gateway site is a store that counts as a whole.';
COMMENT ON COLUMN beacons.count_daily.site IS 'the store';
COMMENT ON COLUMN beacons.count_daily.gateway IS 'the gateway';
COMMENT ON COLUMN beacons.count_daily.region IS 'the region of people';
COMMENT ON COLUMN beacons.count_daily.day IS 'the store''s day';
COMMENT ON COLUMN beacons.count_daily.entered IS 'visits that began';
COMMENT ON COLUMN beacons.count_daily."left" IS 'visits that ended';
COMMENT ON COLUMN beacons.count_daily.peak_present IS 'the most that were there at the end of a count';
COMMENT ON COLUMN beacons.count_daily.left_out IS 'counts whose numbers were too small to publish, or 0';
COMMENT ON COLUMN beacons.count_daily.partial IS 'counts in whose time the gateway did not hear all the time';
COMMENT ON COLUMN beacons.count_daily.from_at IS 'the beginning of the first count';
COMMENT ON COLUMN beacons.count_daily.to_at IS 'the end of the last count';

CREATE VIEW beacons.count_dwell_daily AS
SELECT c.site, c.gateway, c.region, ((c.to_at - interval '1 second') AT TIME ZONE coalesce(s.time_zone, 'UTC'))::date AS day, d.from_s,
    sum(d.visits)::bigint AS visits
FROM beacons.count c LEFT JOIN beacons.store s ON s.site = c.site
CROSS JOIN LATERAL jsonb_to_recordset(c.dwell) AS d (from_s integer, visits bigint)
GROUP BY 1, 2, 3, 4, 5;
COMMENT ON VIEW beacons.count_dwell_daily IS
    'The dwell of the visits of count_daily that ended: how many stayed from from_s to the next of 0, 30, 60, 120, 300, 600, 1200, 1800, 3600 and 7200 s.';
COMMENT ON COLUMN beacons.count_dwell_daily.site IS 'the store';
COMMENT ON COLUMN beacons.count_dwell_daily.gateway IS 'the gateway';
COMMENT ON COLUMN beacons.count_dwell_daily.region IS 'the region of people';
COMMENT ON COLUMN beacons.count_dwell_daily.day IS 'the store''s day, by the count that the dwell came with';
COMMENT ON COLUMN beacons.count_dwell_daily.from_s IS 'the shortest dwell, in seconds';
COMMENT ON COLUMN beacons.count_dwell_daily.visits IS 'the visits; those of a cell with too few are in the next longer one';

CREATE VIEW beacons.count_ways_daily AS
SELECT c.site, c.region, ((c.to_at - interval '1 second') AT TIME ZONE coalesce(s.time_zone, 'UTC'))::date AS day, w."from" AS from_zone, w."to" AS to_zone,
    sum(w.visits)::bigint AS visits
FROM beacons.count c LEFT JOIN beacons.store s ON s.site = c.site
CROSS JOIN LATERAL jsonb_to_recordset(c.payload -> 'ways') AS w ("from" text, "to" text, visits bigint)
WHERE c.gateway = 'site'
GROUP BY 1, 2, 3, 4, 5;
COMMENT ON VIEW beacons.count_ways_daily IS
    'The ways between zones in the visits of people that a store has counted as a whole. Ways with too few visits are left out.';
COMMENT ON COLUMN beacons.count_ways_daily.site IS 'the store';
COMMENT ON COLUMN beacons.count_ways_daily.region IS 'the region of people';
COMMENT ON COLUMN beacons.count_ways_daily.day IS 'the store''s day, by the count that the ways came with';
COMMENT ON COLUMN beacons.count_ways_daily.from_zone IS 'the zone that was left';
COMMENT ON COLUMN beacons.count_ways_daily.to_zone IS 'the next zone';
COMMENT ON COLUMN beacons.count_ways_daily.visits IS 'visits with that way, each once';
