-- Which numbers have come. A number is one event for ever, across all days and after its day was dropped.

CREATE TABLE beacons.gateway (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site text NOT NULL,
    gateway text NOT NULL,
    -- The latest time of its events: what is later than that needs no look at what came out of order.
    newest_at timestamptz NOT NULL DEFAULT '-infinity',
    UNIQUE (site, gateway)
) WITH (fillfactor = 50);
COMMENT ON TABLE beacons.gateway IS
    'Every gateway that has told an event. Its row is the lock under which its events are counted and paired.';

-- Ranges instead of rows: a gateway that loses nothing has one range for 4096 events. A block has a limit, so that one that
-- tells every other number makes rows, and none of them large.
CREATE TABLE beacons.number (
    gateway_id integer NOT NULL REFERENCES beacons.gateway,
    epoch text NOT NULL,
    block bigint NOT NULL,
    seqs int8multirange NOT NULL,
    PRIMARY KEY (gateway_id, epoch, block)
) WITH (fillfactor = 70);
COMMENT ON TABLE beacons.number IS 'The numbers of events that have come, as ranges, in blocks of 4096 numbers.';

CREATE FUNCTION beacons.number_block(seq bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT seq >> 12 $$;

-- Locks gateways until the transaction ends, always in the same order. Those that are new get their row.
CREATE FUNCTION beacons.lock_gateways(sites text[], gateways text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO beacons.gateway (site, gateway)
    SELECT DISTINCT t.site, t.gateway FROM unnest(sites, gateways) t (site, gateway)
    WHERE NOT EXISTS (SELECT FROM beacons.gateway g WHERE g.site = t.site AND g.gateway = t.gateway)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
    PERFORM FROM beacons.gateway g
    WHERE (g.site, g.gateway) IN (SELECT t.site, t.gateway FROM unnest(sites, gateways) t (site, gateway))
    ORDER BY g.site, g.gateway FOR NO KEY UPDATE;
END $$;

-- Runs first of the triggers, by its name: those after it find the gateways locked. take() locks them before it looks.
CREATE FUNCTION beacons.note_numbers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('beacons.gateways_are_locked', true) IS DISTINCT FROM 'yes' THEN
        PERFORM beacons.lock_gateways(array_agg(t.site), array_agg(t.gateway)) FROM (SELECT DISTINCT site, gateway FROM added) t;
    END IF;
    INSERT INTO beacons.number (gateway_id, epoch, block, seqs)
    SELECT g.id, a.epoch, beacons.number_block(a.seq), range_agg(int8range(a.seq, a.seq, '[]'))
    FROM added a JOIN beacons.gateway g USING (site, gateway)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (gateway_id, epoch, block) DO UPDATE SET seqs = number.seqs + excluded.seqs;
    RETURN NULL;
END $$;
CREATE TRIGGER a_note_numbers AFTER INSERT ON beacons.event REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.note_numbers();

CREATE VIEW beacons.missing AS
SELECT g.site, g.gateway, n.epoch, lower(hole) AS from_seq, upper(hole) - 1 AS to_seq
FROM (SELECT gateway_id, epoch, range_agg(seqs) AS seqs FROM beacons.number GROUP BY gateway_id, epoch) n
JOIN beacons.gateway g ON g.id = n.gateway_id
CROSS JOIN LATERAL unnest(
    int8multirange(range_merge(n.seqs)) - n.seqs - coalesce(
        (SELECT range_agg(int8range(gap.from_seq, gap.to_seq, '[]')) FROM beacons.gap
         WHERE gap.site = g.site AND gap.gateway = g.gateway AND gap.epoch = n.epoch AND gap.counts = 'seq'), '{}')) hole;
COMMENT ON VIEW beacons.missing IS
    'Numbers of events that never came and that no gap explains: of each epoch, from the first number that this database saw to the last.';
