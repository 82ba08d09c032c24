-- What comes in is looked up row by row, by index, whatever the tables held when the plan was made.
--
-- PostgreSQL plans a statement of a function once for each connection, where it has no parameters. On a new database, or after a quiet
-- night, it plans for tables that are as good as empty: it reads all open visits for each event, and goes on doing so when there are
-- ten thousand. Only ANALYZE ends that, a minute later or more, and meanwhile a collector may fall behind.

DO $$
DECLARE
    step regprocedure;
BEGIN
    FOREACH step IN ARRAY ARRAY[
        'beacons.lock_gateways(text[], text[])', 'beacons.note_numbers()', 'beacons.note_visits()'
    ]::regprocedure[] LOOP
        EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', step);
        EXECUTE format('ALTER FUNCTION %s SET enable_hashjoin = off', step);
        EXECUTE format('ALTER FUNCTION %s SET enable_mergejoin = off', step);
    END LOOP;
END $$;
