-- The heat map of stores: how long beacons were in each cell of the floor plan, by UTC hour. beacond site tells it, without identities, and
-- without cells that few beacons were in.

-- Sheets are numbered by a series of their own.
ALTER TABLE beacons.gap DROP CONSTRAINT gap_counts_check;
ALTER TABLE beacons.gap ADD CONSTRAINT gap_counts_check CHECK (counts IN ('seq', 'span', 'surge', 'batch', 'sheet'));

CREATE TABLE beacons.heat_sheet (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    sheet bigint NOT NULL,
    at timestamptz NOT NULL CHECK (at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'),
    from_at timestamptz NOT NULL CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00'),
    to_at timestamptz NOT NULL CHECK (to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'),
    page integer NOT NULL,
    pages integer NOT NULL,
    cell_m double precision NOT NULL,
    omitted_cells bigint NOT NULL,
    omitted_s bigint,
    unplaced_s bigint,
    received_at timestamptz NOT NULL DEFAULT now(),
    digest text NOT NULL,
    PRIMARY KEY (site, gateway, epoch, sheet),
    CHECK (to_at >= from_at AND to_at <= from_at + interval '1 hour'),
    CHECK (page >= 0 AND page < pages),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128)
);
CREATE INDEX heat_sheet_from_at ON beacons.heat_sheet (site, from_at);
COMMENT ON TABLE beacons.heat_sheet IS
    'The sheets of heat maps that came, each once. Where no sheet covers a time, the store did not add it up. The cells are in beacons.heat.';
COMMENT ON COLUMN beacons.heat_sheet.sheet IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.heat_sheet.from_at IS 'the beginning of the time that the sheet covers: an hour, or a part of it';
COMMENT ON COLUMN beacons.heat_sheet.page IS 'the number of the sheet among those of this time, from 0 on';
COMMENT ON COLUMN beacons.heat_sheet.omitted_cells IS 'cells that too few beacons were in; on page 0 for all pages';
COMMENT ON COLUMN beacons.heat_sheet.omitted_s IS 'the seconds in those cells, and beyond a limit of the store; on page 0 for all pages; NULL where too few beacons spent them';
COMMENT ON COLUMN beacons.heat_sheet.unplaced_s IS 'the seconds of beacons without a position; on page 0 for all pages; NULL where too few beacons spent them';

CREATE TABLE beacons.heat (
    site text NOT NULL,
    hour timestamptz NOT NULL,
    floor integer NOT NULL,
    x_m double precision NOT NULL,
    y_m double precision NOT NULL,
    cell_m double precision NOT NULL,
    seconds double precision NOT NULL,
    beacons integer NOT NULL,
    PRIMARY KEY (site, hour, floor, x_m, y_m, cell_m),
    CHECK (octet_length(site) <= 128)
);
COMMENT ON TABLE beacons.heat IS
    'How long beacons were in each cell of a store''s floor plan, by UTC hour. Cells that fewer than [site] heat_minimum beacons were in are left out.';
COMMENT ON COLUMN beacons.heat.site IS 'the store';
COMMENT ON COLUMN beacons.heat.hour IS 'the beginning of the UTC hour';
COMMENT ON COLUMN beacons.heat.floor IS 'the floor of the cell';
COMMENT ON COLUMN beacons.heat.x_m IS 'the middle of the cell, metres from the plan''s origin along x';
COMMENT ON COLUMN beacons.heat.y_m IS 'the middle of the cell, metres from the plan''s origin along y';
COMMENT ON COLUMN beacons.heat.cell_m IS 'the side of the cell, metres';
COMMENT ON COLUMN beacons.heat.seconds IS 'the seconds of all beacons together; those of several sheets of the hour are added up';
COMMENT ON COLUMN beacons.heat.beacons IS 'different beacons; where the hour has several sheets for the cell, those of the sheet with the most';

-- Stores the sheets that are news, with their cells. A sheet has a number, so its cells count once, whatever the order of the sheets is.
-- Only a store tells heat: a gateway's certificate must not add to it. A sheet that cannot be true is rejected, and its number stays free.
CREATE FUNCTION beacons.take_sheets(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
    WITH told AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, p.*, md5(beacons.contents(m.payload)::text) AS digest,
            CASE WHEN m.gateway <> 'site' THEN 'gateway: only a store tells heat'
                WHEN p.to_at < p.from_at OR p.to_at > p.from_at + interval '1 hour' THEN 'to_at: before from_at, or more than an hour after it'
                WHEN p.page NOT BETWEEN 0 AND p.pages - 1 THEN format('page: %s of %s', p.page, p.pages)
                WHEN p.from_at > m.received_at + interval '1 day' OR p.from_at < m.received_at - interval '400 days'
                THEN 'from_at: more than a day after its arrival, or more than 400 days before' END AS fault
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, sheet bigint, at timestamptz, from_at timestamptz, to_at timestamptz, page integer, pages integer, cell_m double precision,
            cells jsonb, omitted_cells bigint, omitted_s bigint, unplaced_s bigint)
        WHERE m.kind = 'heat'
    ), fit AS MATERIALIZED (
        SELECT t.*, row_number() OVER same = 1 AS is_first, first_value(t.digest) OVER same AS first_digest
        FROM told t WHERE t.fault IS NULL
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
    FROM told t LEFT JOIN fit f ON f.i = t.i LEFT JOIN added a ON (a.site, a.gateway, a.epoch, a.sheet) = (t.site, t.gateway, t.epoch, t.sheet)
    CROSS JOIN LATERAL (SELECT CASE WHEN t.fault IS NOT NULL THEN 'rejected' ELSE beacons.outcome(
        a.site IS NOT NULL AND f.is_first,
        coalesce((SELECT s.digest FROM beacons.heat_sheet s
            WHERE s.site = t.site AND s.gateway = t.gateway AND s.epoch = t.epoch AND s.sheet = t.sheet), f.first_digest) = t.digest) END AS outcome) o
$$;

-- Stores the gaps of sheets.
CREATE FUNCTION beacons.take_sheet_gaps(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.received_at, m.payload, p.*
        FROM jsonb_to_recordset(batch) AS m (i integer, kind text, site text, gateway text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (epoch text, at timestamptz, cause text, from_sheet bigint, to_sheet bigint)
        WHERE m.kind = 'gap'
    ), added AS (
        INSERT INTO beacons.gap (site, gateway, epoch, counts, from_seq, to_seq, at, received_at, cause, payload)
        SELECT site, gateway, epoch, 'sheet', from_sheet, to_sheet, at, received_at, cause, payload FROM message ORDER BY 1, 2, 3, 4, 5, 6
        ON CONFLICT DO NOTHING RETURNING payload
    )
    SELECT m.i, beacons.outcome(EXISTS (SELECT FROM added a WHERE a.payload = m.payload), true), NULL::text FROM message m
$$;

CREATE OR REPLACE FUNCTION beacons.take_within_budget(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[];
    others jsonb;
    sheets jsonb;
BEGIN
    SELECT array_agg(DISTINCT m.kind) INTO kinds FROM jsonb_to_recordset(batch) AS m (kind text);
    -- In this order always, so that two collectors never wait for each other.
    IF 'event' = ANY (kinds) THEN
        PERFORM beacons.lock_gateways(array_agg(told.site), array_agg(told.gateway))
        FROM (SELECT DISTINCT m.site, m.gateway FROM jsonb_to_recordset(batch) AS m (kind text, site text, gateway text) WHERE m.kind = 'event') told;
        PERFORM set_config('beacons.gateways_are_locked', 'yes', true);
        RETURN QUERY SELECT * FROM beacons.take_events(batch);
    END IF;
    IF kinds && ARRAY['gap', 'coverage', 'surge', 'track', 'status', 'health', 'location'] THEN
        SELECT jsonb_agg(m) FILTER (WHERE NOT m->'payload' ? 'from_sheet'), jsonb_agg(m) FILTER (WHERE m->'payload' ? 'from_sheet') INTO others, sheets
        FROM jsonb_array_elements(batch) m WHERE m->>'kind' NOT IN ('event', 'state', 'beacons', 'heat');
        RETURN QUERY SELECT * FROM beacons.take_numbered(others);
        RETURN QUERY SELECT * FROM beacons.take_sheet_gaps(sheets);
        RETURN QUERY SELECT * FROM beacons.take_retained(others);
    END IF;
    IF 'state' = ANY (kinds) THEN
        RETURN QUERY SELECT * FROM beacons.take_states(batch);
    END IF;
    IF 'beacons' = ANY (kinds) THEN
        SELECT jsonb_agg(m) INTO others FROM jsonb_array_elements(batch) m WHERE m->>'kind' = 'beacons';
        RETURN QUERY SELECT * FROM beacons.take_beacons(others);
    END IF;
    IF 'heat' = ANY (kinds) THEN
        SELECT jsonb_agg(m) INTO sheets FROM jsonb_array_elements(batch) m WHERE m->>'kind' = 'heat';
        RETURN QUERY SELECT * FROM beacons.take_sheets(sheets);
    END IF;
END $$;

INSERT INTO beacons.dated VALUES ('heat', 'hour'), ('heat_sheet', 'to_at');

REVOKE EXECUTE ON FUNCTION beacons.take_sheets(jsonb), beacons.take_sheet_gaps(jsonb) FROM PUBLIC;
GRANT SELECT ON beacons.heat, beacons.heat_sheet TO beacons_analyst;
