-- A list of beacons that cannot be true is rejected. It is no conflict: a conflict says that two machines share a state folder, and alarms.

-- Stores the pages that are news, and returns the outcome of each message. A page may come from a clock that is ahead: its arrival counts then.
CREATE OR REPLACE FUNCTION beacons.take_pages(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off AS $$
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, p.page, p.pages, m.received_at, least(p.at, m.received_at) AS at, md5(beacons.contents(m.payload)::text) AS digest,
            p.at <= m.received_at + interval '1 day' AND p.at >= m.received_at - interval '400 days' AS is_plausible,
            p.page < p.pages AND p.pages <= beacons.most_pages() AS has_place
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (at timestamptz, page integer, pages integer)
        WHERE m.kind = 'beacons'
    ), newest AS MATERIALIZED (
        SELECT DISTINCT ON (m.site, m.gateway, m.page) m.*, b.at AS stored_at, b.digest AS stored_digest
        FROM message m LEFT JOIN LATERAL (
            SELECT p.at, p.digest FROM beacons.beacon_page p WHERE p.site = m.site AND p.gateway = m.gateway AND p.page = m.page OFFSET 0) b ON true
        WHERE m.is_plausible AND m.has_place AND (b.digest IS NULL OR b.digest <> m.digest)
        ORDER BY m.site, m.gateway, m.page, m.at DESC, m.i
    ), room AS MATERIALIZED (
        SELECT n.site, count(*) AS new_pages, (SELECT count(*) FROM beacons.beacon_page p WHERE p.site = n.site) AS pages
        FROM newest n WHERE n.stored_digest IS NULL GROUP BY n.site
    ), full_site AS MATERIALIZED (
        SELECT r.site FROM room r WHERE r.pages + r.new_pages > beacons.most_pages_of_store()
    ), unneeded AS (
        -- Pages that a newer, shorter list does not need. An old page would make the list look complete when the new one is not.
        DELETE FROM beacons.beacon_page p USING newest n
        WHERE p.site = n.site AND p.gateway = n.gateway AND p.page >= n.pages AND p.at < n.at
        AND NOT EXISTS (SELECT FROM newest o WHERE o.site = p.site AND o.gateway = p.gateway AND o.page = p.page)
    ), added AS (
        INSERT INTO beacons.beacon_page AS b (site, gateway, page, pages, at, received_at, first_at, digest)
        SELECT site, gateway, page, pages, at, received_at, at, digest FROM newest n
        WHERE n.stored_digest IS NOT NULL OR NOT EXISTS (SELECT FROM full_site f WHERE f.site = n.site) ORDER BY 1, 2, 3
        ON CONFLICT (site, gateway, page) DO UPDATE
        SET pages = excluded.pages, at = excluded.at, received_at = excluded.received_at, digest = excluded.digest WHERE b.at < excluded.at
        RETURNING site, gateway, page
    )
    SELECT m.i,
        CASE WHEN NOT (m.is_plausible AND m.has_place) THEN 'rejected' WHEN n.i = m.i AND a.site IS NOT NULL THEN 'new'
            WHEN n.i = m.i AND n.stored_digest IS NULL THEN 'over_budget'
            WHEN n.i = m.i AND n.stored_at = m.at THEN 'conflict' ELSE 'repeated' END,
        CASE WHEN NOT m.has_place THEN format('page: %s of %s, where a list has at most %s', m.page, m.pages, beacons.most_pages())
            WHEN NOT m.is_plausible THEN 'at: more than a day after its arrival, or more than 400 days before'
            WHEN n.i = m.i AND a.site IS NULL AND n.stored_at = m.at THEN format('at: page %s of that moment was another one before', m.page) END
    FROM message m LEFT JOIN newest n USING (site, gateway, page) LEFT JOIN added a USING (site, gateway, page)
$$;

COMMENT ON FUNCTION beacons.take IS
    'Takes a batch of messages: [{"i", "kind", "site", "gateway", "zone", "received_at", "payload"}, …]. Says of each whether it is new, '
    'repeated (the same number and contents: nothing is done), a conflict (the same number, other contents: nothing is done), rejected (it cannot '
    'be true: nothing is done, and the reason is told), unkept (a state) or over_budget (its store has used up its budget of today: it is counted '
    'and not kept). Several may give overlapping batches at the same time.';
