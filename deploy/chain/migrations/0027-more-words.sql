-- The columns that had no words yet.

DO $$
DECLARE
    view text;
BEGIN
    FOREACH view IN ARRAY ARRAY['visit', 'stay', 'occupancy_hourly', 'flow', 'coverage', 'missing'] LOOP
        EXECUTE format('COMMENT ON COLUMN beacons.%I.site IS %L', view, 'the store');
    END LOOP;
    FOREACH view IN ARRAY ARRAY['visit', 'occupancy_hourly', 'flow'] LOOP
        EXECUTE format('COMMENT ON COLUMN beacons.%I.region IS %L', view, 'the region''s id, as its gateways call it');
    END LOOP;
    FOREACH view IN ARRAY ARRAY['coverage', 'missing'] LOOP
        EXECUTE format('COMMENT ON COLUMN beacons.%I.gateway IS %L', view, 'whose it is; ''site'' for beacond site');
    END LOOP;
    FOREACH view IN ARRAY ARRAY['visit', 'stay'] LOOP
        EXECUTE format('COMMENT ON COLUMN beacons.%I.uuid IS %L', view, 'the beacon''s identity, with major and minor; null for a circle');
        EXECUTE format('COMMENT ON COLUMN beacons.%I.major IS %L', view, 'the second part of the identity');
        EXECUTE format('COMMENT ON COLUMN beacons.%I.minor IS %L', view, 'the third part of the identity');
    END LOOP;
END $$;
