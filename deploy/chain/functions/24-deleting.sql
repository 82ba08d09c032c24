-- Deleting by hand: collectors only add events, and retention drops whole days.

-- TRUNCATE begins anew: it empties all tables that are made from events as well.
CREATE FUNCTION beacons.begin_anew() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    TRUNCATE beacons.number, beacons.region_gateway, beacons.changed, beacons.visit_day, beacons.visit_long, beacons.stay_day,
        beacons.stay_long, beacons.occupancy_hour, beacons.flow_hour, beacons.occupancy_day, beacons.zone_day, beacons.due_day;
    UPDATE beacons.gateway SET newest_at = '-infinity';
    RETURN NULL;
END $$;
CREATE TRIGGER begin_anew AFTER TRUNCATE ON beacons.event FOR EACH STATEMENT EXECUTE FUNCTION beacons.begin_anew();

-- After an UPDATE of an event, visits and figures would still say what the event said before. So an UPDATE is refused.
CREATE FUNCTION beacons.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'beacons.event: events are not changed' USING HINT = 'A change would leave visits and figures as they were: add an event under another number.';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE ON beacons.event FOR EACH STATEMENT EXECUTE FUNCTION beacons.refuse_change();

-- DELETE takes the visits of the events along. An entry is open again when its exit is deleted. The numbers of deleted events stay taken: a
-- number is one event for ever.
CREATE FUNCTION beacons.record_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM beacons.lock_gateways(array_agg(t.site), array_agg(t.gateway)) FROM (SELECT DISTINCT site, gateway FROM removed) t;
    DELETE FROM beacons.visit_long v USING removed r
    WHERE v.site = r.site AND v.beacon = beacons.beacon_of(r.uuid, r.major, r.minor) AND v.gateway = r.gateway AND v.region = r.region
    AND v.zone IS NOT DISTINCT FROM r.zone
    AND CASE r.type WHEN 'exit' THEN v.exit_at = r.at ELSE v.left_at IS NULL AND v.entered_at = r.at END;
    DELETE FROM beacons.visit_day v USING removed r
    WHERE r.type = 'exit' AND v.site = r.site AND v.beacon = beacons.beacon_of(r.uuid, r.major, r.minor) AND v.gateway = r.gateway
    AND v.region = r.region AND v.zone IS NOT DISTINCT FROM r.zone AND v.exit_at = r.at
    AND v.entered_at = beacons.entry_time(r.entered_at, r.last_heard_at, r.last_inside_at, r.dwell_s, r.at);
    INSERT INTO beacons.visit_long (site, gateway, region, uuid, major, minor, zone, entered_at)
    SELECT e.site, e.gateway, e.region, e.uuid, e.major, e.minor, e.zone, e.at
    FROM beacons.event e JOIN removed r USING (site, gateway, region)
    WHERE r.type = 'exit' AND e.type = 'enter' AND e.zone IS NOT DISTINCT FROM r.zone
    AND beacons.beacon_of(e.uuid, e.major, e.minor) = beacons.beacon_of(r.uuid, r.major, r.minor)
    AND e.at <= r.at AND beacons.explains(beacons.entry_time(r.entered_at, r.last_heard_at, r.last_inside_at, r.dwell_s, r.at), r.at, e.at);
    UPDATE beacons.visit_long o SET superseded = true FROM removed r
    WHERE r.type = 'exit' AND o.site = r.site AND o.beacon = beacons.beacon_of(r.uuid, r.major, r.minor) AND o.gateway = r.gateway
    AND o.region = r.region AND o.zone IS NOT DISTINCT FROM r.zone AND o.left_at IS NULL AND NOT o.superseded
    AND EXISTS (
        SELECT FROM beacons.visit v
        WHERE v.site = o.site AND v.gateway = o.gateway AND v.region = o.region AND v.zone IS NOT DISTINCT FROM o.zone
        AND beacons.beacon_of(v.uuid, v.major, v.minor) = o.beacon AND v.entered_at > o.entered_at + interval '1 second');
    INSERT INTO beacons.changed (site, beacon, from_at, to_at)
    SELECT r.site, beacons.beacon_of(r.uuid, r.major, r.minor),
        min(least(r.at, beacons.entry_time(r.entered_at, r.last_heard_at, r.last_inside_at, r.dwell_s, r.at))), greatest(max(r.at), now())
    FROM removed r GROUP BY 1, 2;
    RETURN NULL;
END $$;
CREATE TRIGGER record_deleted AFTER DELETE ON beacons.event REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION beacons.record_deleted();
