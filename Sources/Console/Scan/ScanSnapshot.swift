public import HCI
public import Regions

/// What is in the air at one moment.
public struct ScanSnapshot: Sendable {
    /// One transmitter of one identity.
    public struct Row: Sendable {
        public var beacon: RangedBeacon
        /// Reports a second over the last five seconds.
        public var rate_hz: Double
        /// Since it was last heard.
        public var age: TimeSpan
        /// The ids of the configured regions that it belongs to, in their order.
        public var regions: [String]
    }

    /// Nearest first, unknown last.
    public var rows: [Row]
    /// Physical beacons: those whose address may be a rotation are not counted.
    public var beaconCount: Int
    /// Advertising reports a second, iBeacon or not.
    public var reportRate_hz: Double
    /// Advertising reports since the start, iBeacon or not.
    public var reports: UInt64
    public var rejects: RejectCounts
    /// Transmitters that were not taken in because `radio.max_transmitters` were there.
    public var refusedTransmitters: UInt64
}
