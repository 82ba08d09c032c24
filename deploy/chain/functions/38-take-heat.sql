-- Taking sheets of heat maps.

-- Stores the sheets that are new, with their cells. A sheet has a number, so its cells count once, whatever the order of the sheets is.
-- Only a store publishes heat: a gateway's certificate must not add to it. A sheet that cannot be true is rejected, and its number stays free.
CREATE FUNCTION beacons.take_sheets(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, p.*, md5(beacons.contents(m.payload)::text) AS digest,
            CASE WHEN m.gateway <> 'site' THEN 'gateway: only a store publishes heat'
                WHEN p.to_at < p.from_at OR p.to_at > p.from_at + interval '1 hour' THEN 'to_at: before from_at, or more than an hour after it'
                WHEN p.page NOT BETWEEN 0 AND p.pages - 1 THEN format('page: %s of %s', p.page, p.pages)
                WHEN p.from_at > m.received_at + interval '1 day' OR p.from_at < m.received_at - interval '400 days'
                THEN 'from_at: more than a day after its arrival, or more than 400 days before' END AS fault
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, sheet bigint, at timestamptz, from_at timestamptz, to_at timestamptz, page integer, pages integer, cell_m double precision,
            cells jsonb, omitted_cells bigint, omitted_s bigint, unplaced_s bigint)
    ), fit AS MATERIALIZED (
        SELECT t.*, row_number() OVER same = 1 AS is_first, first_value(t.digest) OVER same AS first_digest
        FROM message t WHERE t.fault IS NULL
        WINDOW same AS (PARTITION BY t.site, t.gateway, t.epoch, t.sheet ORDER BY t.i)
    ), added AS (
        INSERT INTO beacons.heat_sheet (
            site, gateway, epoch, sheet, at, from_at, to_at, page, pages, cell_m, omitted_cells, omitted_s, unplaced_s, received_at, digest)
        SELECT site, gateway, epoch, sheet, at, from_at, to_at, page, pages, cell_m, omitted_cells, omitted_s, unplaced_s, received_at, digest
        FROM fit WHERE is_first ORDER BY 1, 2, 3, 4
        ON CONFLICT DO NOTHING RETURNING site, gateway, epoch, sheet
    ), summed AS (
        INSERT INTO beacons.heat AS h (site, hour, floor, x_m, y_m, cell_m, seconds, beacons)
        SELECT f.site, date_trunc('hour', f.from_at, 'UTC'), c.floor, c.x_m, c.y_m, f.cell_m, sum(c.seconds), max(c.beacons)
        FROM fit f JOIN added a USING (site, gateway, epoch, sheet)
        CROSS JOIN LATERAL jsonb_to_recordset(f.cells) AS c (
            floor integer, x_m double precision, y_m double precision, seconds double precision, beacons integer)
        WHERE f.is_first GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (site, hour, floor, x_m, y_m, cell_m) DO UPDATE
        SET seconds = h.seconds + excluded.seconds, beacons = greatest(h.beacons, excluded.beacons)
    )
    SELECT t.i, o.outcome, coalesce(t.fault, CASE WHEN o.outcome = 'conflict' THEN format('sheet: %s of epoch %s was another one before', t.sheet, t.epoch) END)
    FROM message t LEFT JOIN fit f ON f.i = t.i LEFT JOIN added a ON (a.site, a.gateway, a.epoch, a.sheet) = (t.site, t.gateway, t.epoch, t.sheet)
    CROSS JOIN LATERAL (SELECT CASE WHEN t.fault IS NOT NULL THEN 'rejected' ELSE beacons.outcome(
        a.site IS NOT NULL AND f.is_first,
        coalesce((SELECT s.digest FROM beacons.heat_sheet s
            WHERE s.site = t.site AND s.gateway = t.gateway AND s.epoch = t.epoch AND s.sheet = t.sheet), f.first_digest) = t.digest) END AS outcome) o
$$;
