-- The lake: records the days before today that change, so that the command `lake` exports them again.
--
-- A record has the number of the transaction that changed the day. An export reads in a snapshot and records the oldest transaction that could
-- still be open then. Records of that transaction and of later ones are new for the next export, whatever the order of commits was. Records are
-- only added, so collectors do not wait for each other. A record too many costs a comparison.

-- Records the days from one time to another that are over and that may be in a lake. Times that cannot be true are left out.
CREATE FUNCTION beacons.record_days(a_kind text, from_at timestamptz[], to_at timestamptz[]) RETURNS void LANGUAGE sql
SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO beacons.days_changed (kind, from_day, to_day)
    SELECT a_kind, lower(run), upper(run) - 1 FROM (
        SELECT range_agg(daterange(d.first, d.last, '[]')) AS days FROM (
            SELECT (greatest(t.first, now() - interval '401 days') AT TIME ZONE 'UTC')::date AS first, (least(t.last, now() - interval '1 day') AT TIME ZONE 'UTC')::date AS last
            FROM unnest(from_at, to_at) t (first, last) WHERE t.first < date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC') d
        WHERE d.first <= d.last) past
    CROSS JOIN LATERAL unnest(past.days) run
$$;

-- Records the days of the rows that a statement touched. Its arguments are the kind, and the column with the day or a time of it.
CREATE FUNCTION beacons.record_days_of() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    days timestamptz[];
BEGIN
    EXECUTE format('SELECT array_agg(DISTINCT date_trunc(''day'', %1$I::timestamptz)) FROM touched WHERE isfinite(%1$I)', TG_ARGV[1]) INTO days;
    PERFORM beacons.record_days(TG_ARGV[0], days, days);
    RETURN NULL;
END $$;

-- Visits and stays belong to the day on which they began, however late they end. A roll-up writes the hours anew that something touched. A store's
-- own day changes in occupancy_daily as soon as it is due, and again where it was counted before that was known.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT * FROM (VALUES
        ('event', 'event', 'at'), ('visit_day', 'visit', 'entered_at'), ('visit_long', 'visit', 'entered_at'), ('stay_day', 'stay', 'entered_at'),
        ('stay_long', 'stay', 'entered_at'), ('occupancy_hour', 'hour', 'hour'), ('occupancy_day', 'day', 'day')) t (name, kind, day) LOOP
        EXECUTE format('CREATE TRIGGER c_record_days AFTER INSERT ON beacons.%I REFERENCING NEW TABLE AS touched '
            'FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_days_of(%L, %L)', one.name, one.kind, one.day);
        EXECUTE format('CREATE TRIGGER c_record_days_deleted AFTER DELETE ON beacons.%I REFERENCING OLD TABLE AS touched '
            'FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_days_of(%L, %L)', one.name, one.kind, one.day);
    END LOOP;
END $$;
CREATE TRIGGER c_record_days_updated AFTER UPDATE ON beacons.visit_long REFERENCING NEW TABLE AS touched
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_days_of('visit', 'entered_at');
CREATE TRIGGER c_record_days AFTER INSERT ON beacons.due_day REFERENCING NEW TABLE AS touched
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_days_of('day', 'day');

-- Coverage changes with spans, with a status, and when a gateway speaks again after a silence. Where a gateway's open span began or ended
-- before, the days from there on change as well: see the views coverage_open and coverage.
CREATE FUNCTION beacons.record_span_days() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM beacons.record_days('coverage', array_agg(least(a.from_at, greatest(before.to_at, newest.at))), array_agg(a.to_at))
    FROM (SELECT site, gateway, min(from_at) AS from_at, max(to_at) AS to_at FROM added GROUP BY 1, 2) a
    LEFT JOIN LATERAL (
        SELECT max(c.to_at) AS to_at FROM beacons.coverage_span c
        WHERE c.site = a.site AND c.gateway = a.gateway AND c.to_at <= a.from_at) before ON true
    LEFT JOIN LATERAL (
        SELECT s.at FROM beacons.status s WHERE s.site = a.site AND s.gateway = a.gateway
        ORDER BY s.received_at DESC, s.id DESC LIMIT 1) newest ON true;
    RETURN NULL;
END $$;
CREATE TRIGGER c_record_days AFTER INSERT ON beacons.coverage_span REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_span_days();

CREATE FUNCTION beacons.record_status_days() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM beacons.record_days('coverage', array_agg(greatest(span.to_at, least(a.at, before.at))), array_agg(now()))
    FROM added a
    LEFT JOIN LATERAL (
        SELECT max(c.to_at) AS to_at FROM beacons.coverage_span c WHERE c.site = a.site AND c.gateway = a.gateway) span ON true
    LEFT JOIN LATERAL (
        SELECT CASE s.state WHEN 'online' THEN s.at END AS at FROM beacons.status s
        WHERE s.site = a.site AND s.gateway = a.gateway AND s.id < a.id ORDER BY s.received_at DESC, s.id DESC LIMIT 1) before ON true;
    RETURN NULL;
END $$;
CREATE TRIGGER c_record_days AFTER INSERT ON beacons.status REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_status_days();

CREATE FUNCTION beacons.record_silence_days() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM beacons.record_days('coverage', array_agg(b.at), array_agg(a.at))
    FROM before b JOIN after a USING (site, gateway) WHERE b.at < now() - interval '1 day';
    RETURN NULL;
END $$;
CREATE TRIGGER c_record_days AFTER UPDATE ON beacons.last_word REFERENCING OLD TABLE AS before NEW TABLE AS after
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_silence_days();

CREATE VIEW beacons.day_changed AS
SELECT c.kind, d.day::date AS day, c.changed_by FROM beacons.days_changed c
CROSS JOIN LATERAL generate_series(c.from_day::timestamp, c.to_day::timestamp, interval '1 day') d (day);
COMMENT ON VIEW beacons.day_changed IS 'Days before today that changed: what the next export to the lake looks at again.';
COMMENT ON COLUMN beacons.day_changed.kind IS 'the view or table whose rows of this day changed';
COMMENT ON COLUMN beacons.day_changed.changed_by IS 'the transaction that changed them';
