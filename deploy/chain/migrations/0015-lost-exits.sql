-- An entry whose exit turns out to be lost was counted as present in every hour until then. Those hours, and the ways from its zone, are
-- counted anew, and not only what follows the visit that showed it.

CREATE FUNCTION beacons.note_superseded() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO beacons.changed (site, beacon, from_at, to_at)
    SELECT site, beacon, min(entered_at), greatest(max(entered_at), now()) FROM superseded WHERE superseded.superseded GROUP BY site, beacon;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION beacons.note_superseded() FROM PUBLIC;
-- Nothing else of such a visit is ever changed.
CREATE TRIGGER note_superseded AFTER UPDATE ON beacons.visit_long REFERENCING NEW TABLE AS superseded
FOR EACH STATEMENT EXECUTE FUNCTION beacons.note_superseded();
