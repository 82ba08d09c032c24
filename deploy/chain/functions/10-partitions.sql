-- Days: the large tables have a partition for each UTC day. Collectors make a day's partition ahead, and retention drops it.

CREATE FUNCTION beacons.partition_name(daily text, day date) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT daily || '_' || to_char(day, 'YYYYMMDD') $$;

-- Returns the column that a table is partitioned by.
CREATE FUNCTION beacons.partition_column(daily text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT a.attname FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE p.partrelid = format('beacons.%I', daily)::regclass
$$;

-- Makes the partition of one day, and moves the day's rows into it from the default partition. The statement-level triggers of the
-- table do not see rows that move between its partitions. Returns whether the partition is new.
--
-- A row from before a limit must not keep its day from being made. So the limits are added after the rows, in the words that the table has
-- them in: a limit that is NOT VALID there is NOT VALID here.
CREATE FUNCTION beacons.make_partition(daily text, day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := beacons.partition_name(daily, day);
    from_at timestamptz := day::timestamp AT TIME ZONE 'UTC';
    to_at timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
    key text := beacons.partition_column(daily);
    columns text;
    check_of record;
BEGIN
    IF to_regclass(format('beacons.%I', name)) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- One at a time: two collectors that need the same day at the same moment.
    PERFORM pg_advisory_xact_lock(hashtext('beacons.make_partition'));
    IF to_regclass(format('beacons.%I', name)) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE beacons.%I (LIKE beacons.%I INCLUDING DEFAULTS INCLUDING GENERATED)', name, daily);
    EXECUTE format('LOCK TABLE beacons.%I IN ACCESS EXCLUSIVE MODE', daily || '_default');
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
    WHERE attrelid = format('beacons.%I', daily)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    EXECUTE format(
        'WITH moved AS (DELETE FROM beacons.%1$I WHERE %2$I >= $1 AND %2$I < $2 RETURNING *) '
        'INSERT INTO beacons.%3$I (%4$s) SELECT %4$s FROM moved', daily || '_default', key, name, columns)
    USING from_at, to_at;
    FOR check_of IN
        SELECT conname, pg_get_constraintdef(oid) AS words FROM pg_constraint
        WHERE conrelid = format('beacons.%I', daily)::regclass AND contype = 'c' ORDER BY conname
    LOOP
        EXECUTE format('ALTER TABLE beacons.%I ADD CONSTRAINT %I %s', name, check_of.conname, check_of.words);
    END LOOP;
    EXECUTE format('ALTER TABLE beacons.%I ATTACH PARTITION beacons.%I FOR VALUES FROM (%L) TO (%L)', daily, name, from_at, to_at);
    EXECUTE format('GRANT SELECT ON beacons.%I TO beacons_analyst', name);
    RETURN true;
END $$;

-- Returns whether rows of a day may be true. Rows of other days stand in the default partition.
CREATE FUNCTION beacons.is_plausible_day(day date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT day BETWEEN ((now() - interval '400 days') AT TIME ZONE 'UTC')::date AND ((now() + interval '1 day') AT TIME ZONE 'UTC')::date
        AND day >= (SELECT CASE WHEN isfinite(kept_since) THEN (kept_since AT TIME ZONE 'UTC')::date ELSE day END FROM beacons.progress)
$$;

-- Makes partitions of plausible days that have none: `most` of them in one transaction. One gateway with a wrong clock can name every day of
-- a year, and all other stores would wait for these partitions. Rows without a partition stand in the default partition, where the views
-- find them, until the next call.
--
-- A long query of an analyst may hold the table. Collectors do not wait for the query, and the other days would wait as long, so the
-- function stops there.
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

-- Makes the partitions of today, of the days ahead, and of every plausible day that has rows in a default partition. An event can be one
-- day ahead in truth. An event that is further ahead stays in the default partition.
CREATE FUNCTION beacons.make_partitions(ahead_days integer DEFAULT 1, back_days integer DEFAULT 0) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
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
COMMENT ON FUNCTION beacons.make_partitions IS 'Makes the partitions of today and of the days ahead. Safe at any time.';

-- Collectors may call this function, and not make_partitions(), so they choose no days.
CREATE FUNCTION beacons.make_days_ahead() RETURNS integer LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ SELECT beacons.make_partitions() $$;
COMMENT ON FUNCTION beacons.make_days_ahead IS 'Makes the partitions of today, of the days ahead, and of days that have rows without one.';
