-- Counts of visits in regions of people. They name no beacon, so no event and no visit stands behind them.
CREATE TABLE beacons.count (
    site text NOT NULL,
    gateway text NOT NULL,
    epoch text NOT NULL,
    count bigint NOT NULL,
    region text NOT NULL,
    from_at timestamptz NOT NULL CHECK (from_at >= '0001-01-01 00:00:00+00' AND from_at < '10000-01-01 00:00:00+00'),
    to_at timestamptz NOT NULL CHECK (to_at >= '0001-01-01 00:00:00+00' AND to_at < '10000-01-01 00:00:00+00'),
    entered bigint CHECK (entered >= 0),
    "left" bigint CHECK ("left" >= 0),
    present bigint NOT NULL CHECK (present >= 0),
    minimum bigint NOT NULL,
    partial boolean NOT NULL,
    dwell_from_at timestamptz,
    dwell jsonb NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb,
    PRIMARY KEY (site, gateway, epoch, count),
    CHECK (to_at > from_at),
    CHECK (octet_length(site) <= 128 AND octet_length(gateway) <= 128 AND octet_length(region) <= 128)
);
CREATE INDEX count_to_at ON beacons.count (site, to_at);
COMMENT ON TABLE beacons.count IS
    'The visits of regions of people, each count once. A gateway counts for itself: a visit that two gateways heard is in the counts of both.';
COMMENT ON COLUMN beacons.count.count IS 'the number within the epoch, from 1';
COMMENT ON COLUMN beacons.count.entered IS 'visits that began; NULL where they were too few';
COMMENT ON COLUMN beacons.count."left" IS 'visits that ended; NULL where they were too few';
COMMENT ON COLUMN beacons.count.present IS 'visits that go on at the end; 0 where they are too few';
COMMENT ON COLUMN beacons.count.minimum IS 'the least number that the gateway published';
COMMENT ON COLUMN beacons.count.partial IS 'whether the gateway did not hear all of the time';
COMMENT ON COLUMN beacons.count.dwell_from_at IS 'the beginning of the time whose dwell this is; NULL where it comes with a later count';
COMMENT ON COLUMN beacons.count.dwell IS 'the visits that ended, by their dwell: count_dwell_daily has its cells as rows';
INSERT INTO beacons.dated VALUES ('count', 'to_at');
