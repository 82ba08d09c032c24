-- Days: a partition for each, made ahead, and dropped when it is too old.

-- The tables that are kept by day, and the time that decides which. They have no other partitions.
CREATE TABLE beacons.daily (name text PRIMARY KEY);
INSERT INTO beacons.daily VALUES ('event'), ('health'), ('location');
COMMENT ON TABLE beacons.daily IS 'The tables that have a partition for each UTC day.';

-- What is behind us. There is one row.
CREATE TABLE beacons.progress (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    kept_since timestamptz NOT NULL DEFAULT '-infinity',
    rolled_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO beacons.progress DEFAULT VALUES;
COMMENT ON TABLE beacons.progress IS
    'kept_since: days before it were dropped. rolled_until: what roll_up() has counted in.';

DO $$
DECLARE
    daily text;
BEGIN
    FOR daily IN SELECT name FROM beacons.daily LOOP
        EXECUTE format('CREATE TABLE beacons.%I PARTITION OF beacons.%I DEFAULT', daily || '_default', daily);
    END LOOP;
END $$;

CREATE FUNCTION beacons.partition_name(daily text, day date) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT daily || '_' || to_char(day, 'YYYYMMDD') $$;

-- The column that a table is partitioned by.
CREATE FUNCTION beacons.partition_column(daily text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT a.attname FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE p.partrelid = format('beacons.%I', daily)::regclass
$$;

-- Makes the partition of one day, and takes over what stands in the default partition for it. A statement-level trigger of
-- the table does not see rows move between its partitions. Says whether there was something to make.
CREATE FUNCTION beacons.make_partition(daily text, day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := beacons.partition_name(daily, day);
    from_at timestamptz := day::timestamp AT TIME ZONE 'UTC';
    to_at timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
    key text := beacons.partition_column(daily);
    columns text;
BEGIN
    IF to_regclass(format('beacons.%I', name)) IS NOT NULL THEN
        RETURN false;
    END IF;
    -- One at a time: two collectors that need the same day at the same moment.
    PERFORM pg_advisory_xact_lock(hashtext('beacons.make_partition'));
    IF to_regclass(format('beacons.%I', name)) IS NOT NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE beacons.%I (LIKE beacons.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)', name, daily);
    EXECUTE format('LOCK TABLE beacons.%I IN ACCESS EXCLUSIVE MODE', daily || '_default');
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
    WHERE attrelid = format('beacons.%I', daily)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    EXECUTE format(
        'WITH moved AS (DELETE FROM beacons.%1$I WHERE %2$I >= $1 AND %2$I < $2 RETURNING *) '
        'INSERT INTO beacons.%3$I (%4$s) SELECT %4$s FROM moved', daily || '_default', key, name, columns)
    USING from_at, to_at;
    EXECUTE format('ALTER TABLE beacons.%I ATTACH PARTITION beacons.%I FOR VALUES FROM (%L) TO (%L)', daily, name, from_at, to_at);
    EXECUTE format('GRANT SELECT ON beacons.%I TO beacons_analyst', name);
    RETURN true;
END $$;

-- The days that rows may have: what lies further off can't be true, and stands in the default partition.
CREATE FUNCTION beacons.is_plausible_day(day date) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT day BETWEEN ((now() - interval '400 days') AT TIME ZONE 'UTC')::date AND ((now() + interval '1 day') AT TIME ZONE 'UTC')::date
        AND day >= (SELECT CASE WHEN isfinite(kept_since) THEN (kept_since AT TIME ZONE 'UTC')::date ELSE day END FROM beacons.progress)
$$;

-- Makes those of the days that are plausible and not there. A day that an analyst's long query keeps from being made stays in
-- the default partition until the next time: collectors wait for nobody.
CREATE FUNCTION beacons.make_days(daily text, days date[]) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
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
                RAISE NOTICE 'beacons: the partition of % for % is made later, because a query holds the table', daily, day;
            END;
        END IF;
    END LOOP;
    RETURN made;
END $$;

-- Today, the days ahead, and every plausible day that has rows in a default partition. One day ahead is all that an event can
-- be in truth; what is told further ahead belongs into the default partition.
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
        made := made + beacons.make_days(daily, days);
    END LOOP;
    RETURN made;
END $$;
COMMENT ON FUNCTION beacons.make_partitions IS 'Makes the partitions of today and of the days ahead. Safe at any time.';

-- Retention. From here on kept_since says that what is older is not missing but dropped.
CREATE FUNCTION beacons.retain_from(days integer) RETURNS timestamp LANGUAGE sql AS $$
    UPDATE beacons.progress SET kept_since = greatest(
        kept_since, date_trunc('day', now() AT TIME ZONE 'UTC' - make_interval(days => days)) AT TIME ZONE 'UTC')
    RETURNING kept_since AT TIME ZONE 'UTC'
$$;

CREATE FUNCTION beacons.partitions_before(day date) RETURNS TABLE (daily text, partition text) LANGUAGE sql STABLE AS $$
    SELECT d.name, c.relname::text FROM beacons.daily d
    JOIN pg_inherits i ON i.inhparent = format('beacons.%I', d.name)::regclass JOIN pg_class c ON c.oid = i.inhrelid
    WHERE c.relname ~ '_[0-9]{8}$' AND c.relname < beacons.partition_name(d.name, day) ORDER BY 2
$$;

-- What has no partition of its own day. Numbers are kept: they are what says that a number is one event for ever.
CREATE FUNCTION beacons.forget_before(day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    before timestamptz := day::timestamp AT TIME ZONE 'UTC';
    daily text;
BEGIN
    FOR daily IN SELECT name FROM beacons.daily LOOP
        EXECUTE format('DELETE FROM beacons.%I WHERE %I < $1', daily || '_default', beacons.partition_column(daily)) USING before;
    END LOOP;
    DELETE FROM beacons.visit_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.stay_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.occupancy_hour WHERE hour < before;
    DELETE FROM beacons.flow_hour WHERE hour < before;
    DELETE FROM beacons.coverage_span WHERE to_at < before;
    DELETE FROM beacons.track WHERE at < before;
    DELETE FROM beacons.rejected WHERE received_at < before;
    -- The newest one says what is so now, however old it is.
    DELETE FROM beacons.status s WHERE received_at < before AND EXISTS (
        SELECT FROM beacons.status n WHERE n.site = s.site AND n.gateway = s.gateway AND (n.received_at, n.id) > (s.received_at, s.id));
END $$;
