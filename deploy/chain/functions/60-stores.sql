-- Stores: their days and opening hours.

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
