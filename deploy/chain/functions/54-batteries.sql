-- Batteries: how many days a beacon has left, from the days behind it.

-- The limits below which a coin cell is empty for a beacon: its pulses need a voltage.
CREATE FUNCTION beacons.lowest_percent() RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 10::double precision $$;

CREATE FUNCTION beacons.lowest_mv() RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 2400::double precision $$;

-- The slope is that of so many days, of which so many must have a reading. A coin cell's voltage is flat for months and then falls within
-- weeks, so a longer time would see the fall too late.
CREATE FUNCTION beacons.slope_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 28 $$;

CREATE FUNCTION beacons.fewest_days() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 14 $$;

-- Ten years. A longer time is that of a slope of nothing.
CREATE FUNCTION beacons.longest_left() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 3650 $$;

-- Returns the days until a value falls to a limit; null where the slope says nothing. The slope is the median of slopes between days of the
-- first half and days of the second half (Theil's incomplete method). A cold night or a wrong reading does not move it. It counts where
-- three quarters of these slopes fall; of 14 slopes of a battery that does not fall, that happens once in 35 times.
CREATE FUNCTION beacons.days_until(days date[], levels double precision[], lowest double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    count integer := cardinality(levels);
    half integer := cardinality(levels) / 2;
    slope double precision;
    falling bigint;
    level double precision;
BEGIN
    -- One wrong reading is not the end.
    IF levels[count] <= lowest AND (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY levels[i]) FROM generate_series(greatest(1, count - 2), count) i) <= lowest THEN
        RETURN 0;
    END IF;
    IF count IS NULL OR count < beacons.fewest_days() THEN
        RETURN NULL;
    END IF;
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.slope), count(*) FILTER (WHERE s.slope < 0) INTO slope, falling
    FROM (SELECT (levels[i + count - half] - levels[i]) / (days[i + count - half] - days[i]) AS slope FROM generate_series(1, half) i) s;
    -- A battery that is fuller than in the first half was changed: the slope is that of the former one.
    IF slope >= 0 OR falling < 0.75 * half OR levels[count] > (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY levels[i]) FROM generate_series(1, half) i) THEN
        RETURN NULL;
    END IF;
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY levels[i] - slope * (days[i] - days[count])) INTO level FROM generate_series(1, count) i;
    RETURN CASE WHEN (level - lowest) / -slope <= beacons.longest_left() THEN greatest(0, (level - lowest) / -slope) END;
END $$;

CREATE VIEW beacons.beacon_battery AS
SELECT b.site, b.uuid, b.major, b.minor, r.asset, b.battery_percent, b.battery_mv, b.temperature_c, b.telemetry_at, b.format, d.readings AS days,
    floor(least(d.percent_left, d.mv_left))::integer AS days_left, b.last_heard_at,
    (b.telemetry_at AT TIME ZONE 'UTC')::date + floor(least(d.percent_left, d.mv_left))::integer AS ends_on
FROM beacons.beacon b
LEFT JOIN beacons.register r ON r.uuid = b.uuid AND r.major = b.major AND r.minor = b.minor AND r.site = b.site
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS readings,
        beacons.days_until(array_agg(y.day ORDER BY y.day) FILTER (WHERE y.battery_percent IS NOT NULL),
            array_agg(y.battery_percent::double precision ORDER BY y.day) FILTER (WHERE y.battery_percent IS NOT NULL), beacons.lowest_percent()) AS percent_left,
        beacons.days_until(array_agg(y.day ORDER BY y.day) FILTER (WHERE y.battery_mv IS NOT NULL),
            array_agg(y.battery_mv::double precision ORDER BY y.day) FILTER (WHERE y.battery_mv IS NOT NULL), beacons.lowest_mv()) AS mv_left
    FROM beacons.battery_daily y
    WHERE y.site = b.site AND y.uuid = b.uuid AND y.major = b.major AND y.minor = b.minor
    AND y.day > (b.telemetry_at AT TIME ZONE 'UTC')::date - beacons.slope_days()) d
WHERE b.battery_percent IS NOT NULL OR b.battery_mv IS NOT NULL;
COMMENT ON VIEW beacons.beacon_battery IS
    'The battery of each beacon that reports it, and how many days it has left. A new battery makes days_left null until its slope is known.';
COMMENT ON COLUMN beacons.beacon_battery.site IS 'the store that hears it';
COMMENT ON COLUMN beacons.beacon_battery.uuid IS 'the proximity UUID, upper case';
COMMENT ON COLUMN beacons.beacon_battery.major IS 'the beacon''s major';
COMMENT ON COLUMN beacons.beacon_battery.minor IS 'the beacon''s minor';
COMMENT ON COLUMN beacons.beacon_battery.asset IS 'what carries it, where it is registered in that store';
COMMENT ON COLUMN beacons.beacon_battery.battery_percent IS 'the newest battery level';
COMMENT ON COLUMN beacons.beacon_battery.battery_mv IS 'the newest voltage';
COMMENT ON COLUMN beacons.beacon_battery.temperature_c IS 'the newest temperature; a cold battery has less voltage';
COMMENT ON COLUMN beacons.beacon_battery.telemetry_at IS 'when that was read';
COMMENT ON COLUMN beacons.beacon_battery.format IS 'the format of that reading';
COMMENT ON COLUMN beacons.beacon_battery.days IS 'days with a reading among the 28 days before telemetry_at';
COMMENT ON COLUMN beacons.beacon_battery.days_left IS
    'whole days from the newest reading until 10 % or 2,400 mV, whichever comes first; 0 where it is reached; null where the slope says nothing';
COMMENT ON COLUMN beacons.beacon_battery.ends_on IS 'the UTC day of the newest reading and days_left: when the battery is expected to end';
COMMENT ON COLUMN beacons.beacon_battery.last_heard_at IS 'when the store last heard the beacon';
