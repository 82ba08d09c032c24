-- Stores: their names, time zones and opening hours. A store without a row has UTC days and is always open.

CREATE TABLE beacons.store (
    site text PRIMARY KEY,
    name text NOT NULL,
    time_zone text NOT NULL,
    opening_hours text NOT NULL,
    latitude double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision CHECK (longitude BETWEEN -180 AND 180),
    CHECK (octet_length(site) BETWEEN 1 AND 128),
    CHECK ((latitude IS NULL) = (longitude IS NULL))
);
COMMENT ON TABLE beacons.store IS 'The stores of the chain. The command stores loads them from a file.';
COMMENT ON COLUMN beacons.store.site IS 'the store, as in topics';
COMMENT ON COLUMN beacons.store.name IS 'its name for readers';
COMMENT ON COLUMN beacons.store.time_zone IS 'the IANA name of its time zone, such as Europe/Berlin: its days begin at midnight there';
COMMENT ON COLUMN beacons.store.opening_hours IS 'when it is open, in OpenStreetMap''s syntax; empty: always';

CREATE TABLE beacons.store_opening (
    site text NOT NULL REFERENCES beacons.store ON DELETE CASCADE,
    -- 1 for Monday to 7 for Sunday; 8 for a public holiday.
    weekday smallint NOT NULL CHECK (weekday BETWEEN 1 AND 8),
    opens interval NOT NULL,
    closes interval NOT NULL,
    PRIMARY KEY (site, weekday, opens),
    CHECK (opens >= interval '0' AND opens < interval '24 hours' AND closes > opens AND closes <= interval '48 hours')
);
COMMENT ON TABLE beacons.store_opening IS
    'opening_hours of each store by weekday, since midnight there; closes is above 24:00 where the store closes on the next day. '
    'A store without rows is always open, one without rows for a weekday is closed on it.';

-- Stores whose opening hours name public holidays (PH). For the others, holidays are days as any.
CREATE TABLE beacons.store_holidays (
    site text PRIMARY KEY REFERENCES beacons.store ON DELETE CASCADE
);
COMMENT ON TABLE beacons.store_holidays IS 'Stores whose opening_hours have a rule for public holidays (PH).';

CREATE TABLE beacons.holiday (
    site text NOT NULL,
    day date NOT NULL,
    PRIMARY KEY (day, site)
);
COMMENT ON TABLE beacons.holiday IS 'Public holidays, by the store''s own day; of all stores where site is empty.';

-- Returns the time zone of a store's days.
CREATE FUNCTION beacons.time_zone_of(a_site text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT coalesce((SELECT s.time_zone FROM beacons.store s WHERE s.site = a_site), 'UTC') $$;

-- Returns a store's days with their beginnings and ends. Where clocks change, a day has 23 or 25 hours, or 23.5 on Lord Howe Island.
CREATE FUNCTION beacons.days_of(a_site text, from_day date, to_day date) RETURNS TABLE (day date, during tstzrange)
LANGUAGE sql STABLE ROWS 7 AS $$
    SELECT d.at::date, tstzrange(d.at AT TIME ZONE z.name, (d.at + interval '1 day') AT TIME ZONE z.name)
    FROM (SELECT beacons.time_zone_of(a_site) AS name) z
    CROSS JOIN LATERAL generate_series(from_day::timestamp, to_day::timestamp - interval '1 day', interval '1 day') d (at)
$$;

-- Returns when a store was open, by its own days.
CREATE FUNCTION beacons.opening_of(a_site text, from_day date, to_day date) RETURNS TABLE (day date, during tstzmultirange)
LANGUAGE sql STABLE ROWS 7 AS $$
    WITH day AS (
        -- The hours after midnight are of the day before.
        SELECT d.day, d.during, CASE WHEN EXISTS (SELECT FROM beacons.store_holidays h WHERE h.site = a_site)
            AND EXISTS (SELECT FROM beacons.holiday h WHERE h.day = d.day AND h.site IN ('', a_site))
            THEN 8 ELSE extract(isodow FROM d.day)::integer END AS weekday
        FROM beacons.days_of(a_site, from_day - 1, to_day) d
    ), open AS (
        SELECT range_agg(tstzrange((d.day + o.opens) AT TIME ZONE z.name, (d.day + o.closes) AT TIME ZONE z.name)) AS during
        FROM day d JOIN beacons.store_opening o ON o.site = a_site AND o.weekday = d.weekday
        CROSS JOIN (SELECT beacons.time_zone_of(a_site) AS name) z
        WHERE (d.day + o.opens) AT TIME ZONE z.name < (d.day + o.closes) AT TIME ZONE z.name
    )
    SELECT d.day, CASE WHEN EXISTS (SELECT FROM beacons.store_opening o WHERE o.site = a_site)
        THEN coalesce(o.during * tstzmultirange(d.during), '{}') ELSE tstzmultirange(d.during) END
    FROM day d CROSS JOIN open o WHERE d.day >= from_day
$$;

REVOKE EXECUTE ON FUNCTION
    beacons.time_zone_of(text), beacons.days_of(text, date, date), beacons.opening_of(text, date, date)
FROM PUBLIC;
GRANT SELECT ON beacons.store, beacons.store_opening, beacons.store_holidays, beacons.holiday TO beacons_analyst;
GRANT EXECUTE ON FUNCTION
    beacons.time_zone_of(text), beacons.days_of(text, date, date), beacons.opening_of(text, date, date)
TO beacons_analyst;
