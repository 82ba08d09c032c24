-- Numbers: which events have come. A number is one event for ever, across all days, and after its day was dropped.

CREATE FUNCTION beacons.number_block(seq bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT seq >> 12 $$;

-- Adds a row for each gateway that is new.
--
-- This function and the triggers look up row by row, by index, whatever the tables held when PostgreSQL made the plan. PostgreSQL plans a
-- statement without parameters once for each connection. On a new database, or after a quiet night, it plans for empty tables: it reads all
-- open visits for each event, and goes on doing so when there are ten thousand. Only ANALYZE ends that, a minute later or more.
CREATE FUNCTION beacons.add_gateways(sites text[], gateways text[]) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    INSERT INTO beacons.gateway (site, gateway)
    SELECT DISTINCT t.site, t.gateway FROM unnest(sites, gateways) t (site, gateway)
    WHERE NOT EXISTS (SELECT FROM beacons.gateway g WHERE g.site = t.site AND g.gateway = t.gateway)
    ORDER BY 1, 2 ON CONFLICT DO NOTHING
$$;

-- Adds a row for each region that a gateway reports for the first time.
CREATE FUNCTION beacons.add_regions(sites text[], regions text[], gateways text[]) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    INSERT INTO beacons.region_gateway (site, region, gateway)
    SELECT DISTINCT t.site, t.region, t.gateway FROM unnest(sites, regions, gateways) t (site, region, gateway)
    WHERE NOT EXISTS (SELECT FROM beacons.region_gateway r WHERE r.site = t.site AND r.region = t.region AND r.gateway = t.gateway)
    ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
$$;

-- Locks gateways until the transaction ends, always in the same order.
CREATE FUNCTION beacons.lock_gateways(sites text[], gateways text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- take() has locked all of its batch.
    IF current_setting('beacons.gateways_are_locked', true) = 'yes' THEN
        RETURN;
    END IF;
    PERFORM beacons.add_gateways(sites, gateways);
    PERFORM FROM beacons.gateway g
    WHERE (g.site, g.gateway) IN (SELECT t.site, t.gateway FROM unnest(sites, gateways) t (site, gateway))
    ORDER BY g.site, g.gateway FOR NO KEY UPDATE;
END $$;

-- Runs before the other triggers of the table, because triggers run in the order of their names. The others find the gateways locked.
-- take() locks them before it looks.
CREATE FUNCTION beacons.record_numbers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF current_setting('beacons.gateways_are_locked', true) IS DISTINCT FROM 'yes' THEN
        PERFORM beacons.lock_gateways(array_agg(t.site), array_agg(t.gateway)) FROM (SELECT DISTINCT site, gateway FROM added) t;
        -- take() counts its messages. Rows that were inserted without it count too: they earn late hours.
        PERFORM beacons.record_used(t.site, 'told', t.messages, t.octets, t.messages, 0)
        FROM (SELECT site, count(*) AS messages, coalesce(sum(pg_column_size(payload)), 0) AS octets FROM added GROUP BY 1) t;
    END IF;
    INSERT INTO beacons.number (gateway_id, epoch, block, seqs)
    SELECT g.id, a.epoch, beacons.number_block(a.seq), range_agg(int8range(a.seq, a.seq, '[]'))
    FROM added a JOIN beacons.gateway g USING (site, gateway)
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (gateway_id, epoch, block) DO UPDATE SET seqs = number.seqs + excluded.seqs;
    RETURN NULL;
END $$;
CREATE TRIGGER a_record_numbers AFTER INSERT ON beacons.event REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_numbers();

-- A range of numbers ends before the next number, and the largest number has no next one.
CREATE VIEW beacons.missing AS
SELECT g.site, g.gateway, n.epoch, lower(hole) AS from_seq, upper(hole) - 1 AS to_seq
FROM (SELECT gateway_id, epoch, range_agg(seqs) AS seqs FROM beacons.number GROUP BY gateway_id, epoch) n
JOIN beacons.gateway g ON g.id = n.gateway_id
CROSS JOIN LATERAL unnest(
    int8multirange(range_merge(n.seqs)) - n.seqs - coalesce(
        (SELECT range_agg(int8range(gap.from_seq, least(gap.to_seq, 9223372036854775806), '[]')) FROM beacons.gap
         WHERE gap.site = g.site AND gap.gateway = g.gateway AND gap.epoch = n.epoch AND gap.counts = 'seq'
         AND gap.from_seq <= least(gap.to_seq, 9223372036854775806)), '{}')) hole;
COMMENT ON VIEW beacons.missing IS
    'Numbers of events that never came and that no gap explains: of each epoch, from the first number that this database saw to the last.';
COMMENT ON COLUMN beacons.missing.site IS 'the store';
COMMENT ON COLUMN beacons.missing.gateway IS 'whose it is; ''site'' for beacond site';
COMMENT ON COLUMN beacons.missing.epoch IS 'the life of the gateway''s numbers';
COMMENT ON COLUMN beacons.missing.from_seq IS 'the first number that never came';
COMMENT ON COLUMN beacons.missing.to_seq IS 'the last of that hole';
