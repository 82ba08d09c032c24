-- Gateways first, then days: a collector that made a day's partition held the table, and waited for a gateway of another collector, which
-- waited for the table.

CREATE OR REPLACE FUNCTION beacons.lock_gateways(sites text[], gateways text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    -- take() has locked all of its batch.
    IF current_setting('beacons.gateways_are_locked', true) = 'yes' THEN
        RETURN;
    END IF;
    INSERT INTO beacons.gateway (site, gateway)
    SELECT DISTINCT t.site, t.gateway FROM unnest(sites, gateways) t (site, gateway)
    WHERE NOT EXISTS (SELECT FROM beacons.gateway g WHERE g.site = t.site AND g.gateway = t.gateway)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
    PERFORM FROM beacons.gateway g
    WHERE (g.site, g.gateway) IN (SELECT t.site, t.gateway FROM unnest(sites, gateways) t (site, gateway))
    ORDER BY g.site, g.gateway FOR NO KEY UPDATE;
END $$;

CREATE OR REPLACE FUNCTION beacons.take(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[];
    others jsonb;
BEGIN
    SELECT array_agg(DISTINCT m.kind) INTO kinds FROM jsonb_to_recordset(batch) AS m (kind text);
    -- In this order always, so that two collectors never wait for each other.
    IF 'event' = ANY (kinds) THEN
        PERFORM beacons.lock_gateways(array_agg(told.site), array_agg(told.gateway))
        FROM (SELECT DISTINCT m.site, m.gateway FROM jsonb_to_recordset(batch) AS m (kind text, site text, gateway text) WHERE m.kind = 'event') told;
        PERFORM set_config('beacons.gateways_are_locked', 'yes', true);
        RETURN QUERY SELECT * FROM beacons.take_events(batch);
    END IF;
    IF kinds && ARRAY['gap', 'coverage', 'track', 'status', 'health', 'location'] THEN
        SELECT jsonb_agg(m) INTO others FROM jsonb_array_elements(batch) m WHERE m->>'kind' NOT IN ('event', 'state');
        RETURN QUERY SELECT * FROM beacons.take_numbered(others);
        RETURN QUERY SELECT * FROM beacons.take_retained(others);
    END IF;
    IF 'state' = ANY (kinds) THEN
        RETURN QUERY SELECT * FROM beacons.take_states(batch);
    END IF;
END $$;

-- One day that can't be made now is enough to know that an analyst's query holds the table: the others would wait as long each.
CREATE OR REPLACE FUNCTION beacons.make_days(daily text, days date[]) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    day date;
    made integer := 0;
BEGIN
    FOREACH day IN ARRAY coalesce(days, '{}') LOOP
        IF to_regclass(format('beacons.%I', beacons.partition_name(daily, day))) IS NULL AND beacons.is_plausible_day(day) THEN
            BEGIN
                made := made + beacons.make_partition(daily, day)::integer;
            EXCEPTION WHEN lock_not_available THEN
                RAISE NOTICE 'beacons: the partition of % for % and those after it are made later, because a query holds the table', daily, day;
                EXIT;
            END;
        END IF;
    END LOOP;
    RETURN made;
END $$;

-- Collectors make days ahead by themselves, before they count; no others than those.
CREATE FUNCTION beacons.make_days_ahead() RETURNS integer LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT beacons.make_partitions() $$;
COMMENT ON FUNCTION beacons.make_days_ahead IS 'Makes the partitions of today, of the days ahead, and of days that have rows without one.';
REVOKE EXECUTE ON FUNCTION beacons.make_days_ahead() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.make_days_ahead() TO beacons_collector;
