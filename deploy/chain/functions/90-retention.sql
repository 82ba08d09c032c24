-- Retention: drops rows that are older than a day. The command `retain` calls these functions, and drops the partitions itself.

-- Returns the first day that is kept. From then on `kept_since` means that older rows are not missing but dropped.
CREATE FUNCTION beacons.retain_from(days integer) RETURNS timestamp LANGUAGE sql AS $$
    UPDATE beacons.progress SET kept_since = greatest(
        kept_since, date_trunc('day', now() AT TIME ZONE 'UTC' - make_interval(days => days)) AT TIME ZONE 'UTC')
    RETURNING kept_since AT TIME ZONE 'UTC'
$$;

-- Returns the partitions of days before a day.
CREATE FUNCTION beacons.partitions_before(day date) RETURNS TABLE (daily text, partition text) LANGUAGE sql STABLE AS $$
    SELECT d.name, c.relname::text FROM beacons.daily d
    JOIN pg_inherits i ON i.inhparent = format('beacons.%I', d.name)::regclass JOIN pg_class c ON c.oid = i.inhrelid
    WHERE c.relname ~ '_[0-9]{8}$' AND c.relname < beacons.partition_name(d.name, day) ORDER BY 2
$$;

-- Deletes the rows before a day that have no partition of their own day. Numbers stay: they say that a number is one event for ever. A beacon
-- that no gateway has heard since that day, or for a year, is forgotten, because it may be a person's. The row of a registered beacon stays: it
-- says when the store last heard it.
CREATE FUNCTION beacons.forget_before(day date) RETURNS void LANGUAGE plpgsql
-- A day compared with a time is its beginning in UTC.
SET timezone = 'UTC' AS $$
DECLARE
    before timestamptz := day::timestamp AT TIME ZONE 'UTC';
    daily text;
    one record;
BEGIN
    FOR daily IN SELECT name FROM beacons.daily LOOP
        EXECUTE format('DELETE FROM beacons.%I WHERE %I < $1', daily || '_default', beacons.partition_column(daily)) USING before;
    END LOOP;
    FOR one IN SELECT d.name, d.day AS own FROM beacons.dated d LOOP
        EXECUTE format('DELETE FROM beacons.%I WHERE %I < $1', one.name, one.own) USING before;
    END LOOP;
    DELETE FROM beacons.visit_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.stay_long WHERE coalesce(left_at, entered_at) < before;
    DELETE FROM beacons.beacon_heard h WHERE last_heard_at < greatest(before, now() - interval '1 year') AND NOT EXISTS (
        SELECT FROM beacons.register r WHERE (r.uuid, r.major, r.minor, r.site) = (h.uuid, h.major, h.minor, h.site));
    DELETE FROM beacons.beacon_page WHERE received_at < now() - interval '1 year';
    -- The newest one says what is so now, however old it is.
    DELETE FROM beacons.status s WHERE received_at < before AND EXISTS (
        SELECT FROM beacons.status n WHERE n.site = s.site AND n.gateway = s.gateway AND (n.received_at, n.id) > (s.received_at, s.id));
END $$;
