-- Takes over a database that ends with one of the files 0028 to 0031, and makes of it what 0032 to 0048 make of an empty one.
--
-- The files 0001 to 0031 grew one after the other, and 0032 to 0048 replace them. The two make the same schema. The command `schema` applies the
-- new files that contain functions alone, and the budgets where there are none. Then it applies this file, which contains the rest of what 0029,
-- 0030 and 0031 added to 0028. A statement that finds its work done changes nothing. Where a statement cannot see that by itself, it looks into
-- beacons.migration. The words that say why stand in 0032 to 0048.

-- This right was left to PUBLIC by mistake.
REVOKE EXECUTE ON FUNCTION beacons.silence_patience() FROM PUBLIC;

-- Surges, from 0029.

CREATE TABLE IF NOT EXISTS beacons.surge (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    surge bigint NOT NULL,
    from_at timestamptz NOT NULL CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00'),
    to_at timestamptz NOT NULL CHECK (to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'),
    region text NOT NULL,
    refused bigint NOT NULL CHECK (refused >= 1),
    identities bigint NOT NULL CHECK (identities >= 1),
    received_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, surge),
    CHECK (to_at >= from_at),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128)
);
CREATE INDEX IF NOT EXISTS surge_to_at ON beacons.surge (site, to_at);
COMMENT ON TABLE beacons.surge IS
    'Times in which a gateway (or the store, ''site'') held back beacons that it did not know, because too many came in a minute, as told. '
    'Visits of those beacons are missing from all figures.';
COMMENT ON COLUMN beacons.surge.surge IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.surge.refused IS 'entries that were held back';
COMMENT ON COLUMN beacons.surge.identities IS 'about how many different beacons they were';
GRANT SELECT ON beacons.surge TO beacons_analyst;
GRANT INSERT ON beacons.surge TO beacons_collector;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM beacons.migration WHERE number = 29) THEN
        ALTER TABLE beacons.gap DROP CONSTRAINT gap_counts_check;
        ALTER TABLE beacons.gap ADD CONSTRAINT gap_counts_check CHECK (counts IN ('seq', 'span', 'surge', 'batch'));
    END IF;
END $$;

-- A few days at once, from 0030.

DROP FUNCTION IF EXISTS beacons.make_days(text, date[]);
CREATE OR REPLACE FUNCTION beacons.make_days(daily text, days date[], most integer DEFAULT 4) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
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

-- Rights of what 0029 to 0031 added.

REVOKE EXECUTE ON FUNCTION
    beacons.make_days(text, date[], integer), beacons.today(), beacons.over_budget(text[], text),
    beacons.note_used(text, text, bigint, bigint, bigint), beacons.budget_kind(text), beacons.take_within_budget(jsonb),
    beacons.reject(timestamptz[], text[], text[], bytea[], text[])
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beacons.reject(timestamptz[], text[], text[], bytea[], text[]) TO beacons_collector;
GRANT SELECT ON beacons.budget, beacons.used, beacons.budget_daily TO beacons_analyst;
