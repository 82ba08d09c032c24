-- A row that was there before a limit stays, and does not keep its day from being made. The limits come after the rows, as the table has them:
-- those that hold for new rows alone hold for new rows alone here too.

CREATE OR REPLACE FUNCTION beacons.make_partition(daily text, day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    name text := beacons.partition_name(daily, day);
    from_at timestamptz := day::timestamp AT TIME ZONE 'UTC';
    to_at timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
    key text := beacons.partition_column(daily);
    columns text;
    told record;
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
    FOR told IN
        SELECT conname, pg_get_constraintdef(oid) AS words FROM pg_constraint
        WHERE conrelid = format('beacons.%I', daily)::regclass AND contype = 'c' ORDER BY conname
    LOOP
        EXECUTE format('ALTER TABLE beacons.%I ADD CONSTRAINT %I %s', name, told.conname, told.words);
    END LOOP;
    EXECUTE format('ALTER TABLE beacons.%I ATTACH PARTITION beacons.%I FOR VALUES FROM (%L) TO (%L)', daily, name, from_at, to_at);
    EXECUTE format('GRANT SELECT ON beacons.%I TO beacons_analyst', name);
    RETURN true;
END $$;
