-- Limits of names and times. The database refuses a row that would break the queries or figures of others.
--
-- NOT VALID: a limit holds for new rows. A database may have rows that are older than the limit, and they stay.

-- The contract's names have 128 octets at most. An entry of an index may have 2,704.
ALTER TABLE beacons.event ADD CONSTRAINT event_names CHECK (
    octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128 AND octet_length(zone) <= 128) NOT VALID;
ALTER TABLE beacons.region_gateway ADD CONSTRAINT region_gateway_names CHECK (
    octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128) NOT VALID;

-- Clients cannot read a time before the year 1 or after the year 9999. One row with such a time makes every query fail that finds it.
-- PostgreSQL rounds fractions of the last microsecond of 9999 up to such a time.
ALTER TABLE beacons.event ADD CONSTRAINT event_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00' AND
    entered_at >= '0001-01-01 00:00:00+00' AND entered_at < '10000-01-01 00:00:00+00' AND
    last_heard_at >= '0001-01-01 00:00:00+00' AND last_heard_at < '10000-01-01 00:00:00+00' AND
    last_inside_at >= '0001-01-01 00:00:00+00' AND last_inside_at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.gap ADD CONSTRAINT gap_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.coverage_span ADD CONSTRAINT coverage_span_times CHECK (
    from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00' AND
    to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.track ADD CONSTRAINT track_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.status ADD CONSTRAINT status_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.health ADD CONSTRAINT health_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
ALTER TABLE beacons.location ADD CONSTRAINT location_times CHECK (
    at >= '0001-01-01 00:00:00+00' AND at < '10000-01-01 00:00:00+00'
) NOT VALID;
