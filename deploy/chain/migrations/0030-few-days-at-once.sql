-- A transaction makes a few days, and not all that a batch names. One gateway whose clock had been anywhere made every day of a year in one
-- transaction, and all other stores waited for it. What has no day yet stands in the default partition, where the views find it; collectors make
-- the others once a minute.

DROP FUNCTION beacons.make_days(text, date[]);
CREATE FUNCTION beacons.make_days(daily text, days date[], most integer DEFAULT 4) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '300ms' AS $$
DECLARE
    day date;
    made integer := 0;
BEGIN
    -- The nearest first: they are the ones that others need.
    FOR day IN
        SELECT d FROM (SELECT DISTINCT d FROM unnest(days) d) one
        WHERE to_regclass(format('beacons.%I', beacons.partition_name(daily, d))) IS NULL AND beacons.is_plausible_day(d)
        ORDER BY abs(d - (now() AT TIME ZONE 'UTC')::date), d DESC LIMIT most
    LOOP
        BEGIN
            made := made + beacons.make_partition(daily, day)::integer;
        EXCEPTION WHEN lock_not_available THEN
            RAISE NOTICE 'beacons: the partition of % for % and those after it are made later, because a query holds the table', daily, day;
            EXIT;
        END;
    END LOOP;
    RETURN made;
END $$;
REVOKE EXECUTE ON FUNCTION beacons.make_days(text, date[], integer) FROM PUBLIC;

CREATE OR REPLACE FUNCTION beacons.make_partitions(ahead_days integer DEFAULT 1, back_days integer DEFAULT 0) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    daily text;
    days date[];
    made integer := 0;
BEGIN
    FOR daily IN SELECT d.name FROM beacons.daily d ORDER BY 1 LOOP
        EXECUTE format('SELECT array_agg(DISTINCT (%I AT TIME ZONE ''UTC'')::date) FROM beacons.%I WHERE isfinite(%1$I)',
            beacons.partition_column(daily), daily || '_default') INTO days;
        SELECT array_agg(today + ahead) || days INTO days FROM generate_series(-back_days, ahead_days) ahead;
        -- Today and tomorrow come first. Whoever asks for more days at once gets them.
        made := made + beacons.make_days(daily, days, 4 + back_days);
    END LOOP;
    RETURN made;
END $$;
