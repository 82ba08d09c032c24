-- Taking events and states.

-- Returns the contents of a message, to distinguish a repetition from another message. Agents of earlier versions do not say where they are.
CREATE FUNCTION beacons.contents(payload jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT payload - 'site' - 'gateway' $$;

-- Returns the contents of an event. An event of the store (gateway `site`) names the gateway that decided it, and with another gateway it
-- is another event. In an event of any other gateway this field repeats the topic, and agents of earlier versions leave it out.
CREATE FUNCTION beacons.event_contents(payload jsonb, gateway text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN gateway = 'site' THEN payload - 'site' ELSE beacons.contents(payload) END $$;

-- Returns the outcome of a numbered message. A known number with the same contents is a repetition.
CREATE FUNCTION beacons.outcome(is_new boolean, is_same boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN is_new THEN 'new' WHEN is_same THEN 'repeated' ELSE 'conflict' END $$;

-- Returns whether a known event has these contents; null for one that is not there. It opens the partition of the event's day alone, because it
-- is planned for each event.
CREATE FUNCTION beacons.is_same_event(a_site text, a_gateway text, an_epoch text, a_seq bigint, moment timestamptz, contents jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN (
        SELECT coalesce(beacons.event_contents(e.payload, e.gateway) = beacons.event_contents(contents, a_gateway), true) FROM beacons.event e
        WHERE e.site = a_site AND e.gateway = a_gateway AND e.epoch = an_epoch AND e.seq = a_seq AND e.at = moment);
END $$;

CREATE FUNCTION beacons.take_events(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    days date[];
BEGIN
    -- Gateways come first, then days. A collector that makes a day's partition holds the table. If it waited for a gateway of another collector
    -- then, that one could be waiting for the table. From here on no other collector adds a number of these gateways.
    PERFORM beacons.lock_gateways(array_agg(site), array_agg(gateway))
    FROM (SELECT DISTINCT site, gateway FROM jsonb_to_recordset(batch) AS m (site text, gateway text)) senders;
    PERFORM set_config('beacons.gateways_are_locked', 'yes', true);
    SELECT array_agg(DISTINCT (at AT TIME ZONE 'UTC')::date) FILTER (WHERE isfinite(at)) INTO days
    FROM jsonb_to_recordset(batch) AS m (payload jsonb), LATERAL (VALUES ((payload->>'at')::timestamptz), ((payload->>'entered_at')::timestamptz)) times (at);
    PERFORM beacons.make_days('event', days), beacons.make_days('visit_day', days);

    RETURN QUERY
    WITH message AS MATERIALIZED (
        SELECT m.i, m.site, m.gateway, m.zone, m.received_at, m.payload, p.*,
            row_number() OVER same = 1 AS is_first, first_value(beacons.event_contents(m.payload, m.gateway)) OVER same AS first_contents,
            EXISTS (
                SELECT FROM beacons.gateway g JOIN beacons.number n ON n.gateway_id = g.id
                WHERE g.site = m.site AND g.gateway = m.gateway AND n.epoch = p.epoch
                AND n.block = beacons.number_block(p.seq) AND n.seqs @> p.seq) AS has_come
        FROM jsonb_to_recordset(batch) AS m (i integer, site text, gateway text, zone text, received_at timestamptz, payload jsonb)
        CROSS JOIN LATERAL jsonb_to_record(m.payload) AS p (
            epoch text, seq bigint, at timestamptz, type text, region text, uuid text, major integer, minor integer,
            rssi_dbm double precision, accuracy_m double precision, proximity text, entered_at timestamptz, last_heard_at timestamptz,
            last_inside_at timestamptz, dwell_s double precision, partial boolean, inferred boolean, location jsonb)
        WINDOW same AS (PARTITION BY m.site, m.gateway, p.epoch, p.seq ORDER BY m.i)
    ), added AS (
        INSERT INTO beacons.event (
            site, gateway, epoch, seq, at, received_at, type, region, uuid, major, minor, zone, rssi_dbm, accuracy_m, proximity,
            entered_at, last_heard_at, last_inside_at, dwell_s, partial, inferred, latitude, longitude, payload)
        SELECT site, gateway, epoch, seq, at, received_at, type, region, upper(uuid), major, minor, zone, rssi_dbm, accuracy_m, proximity,
            entered_at, last_heard_at, last_inside_at, dwell_s, coalesce(partial, false), coalesce(inferred, false),
            (location->>'latitude')::double precision, (location->>'longitude')::double precision, payload
        FROM message WHERE is_first AND NOT has_come
    )
    SELECT m.i, o.outcome, CASE WHEN o.outcome = 'conflict' THEN format('seq: %s of epoch %s was another event before', m.seq, m.epoch) END
    FROM message m
    CROSS JOIN LATERAL (SELECT beacons.outcome(
        m.is_first AND NOT m.has_come,
        CASE WHEN NOT m.has_come THEN m.first_contents = beacons.event_contents(m.payload, m.gateway)
        -- Another time is another event; of a day that was dropped nobody knows any more.
        ELSE coalesce(beacons.is_same_event(m.site, m.gateway, m.epoch, m.seq, m.at, m.payload), m.at < (SELECT kept_since FROM beacons.progress)) END) AS outcome) o;
    PERFORM set_config('beacons.gateways_are_locked', '', true);
END $$;

-- take() has registered the region. The rest of a state is not kept: visits come from events.
CREATE FUNCTION beacons.take_states(batch jsonb) RETURNS TABLE (i integer, outcome text, reason text) LANGUAGE sql SET search_path = pg_catalog, pg_temp AS
$$ SELECT m.i, 'unkept', NULL::text FROM jsonb_to_recordset(batch) AS m (i integer) $$;
