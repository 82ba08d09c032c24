/// What is in the air at one moment.
package struct ScanSnapshot: Sendable {
    /// One transmitter of one identity.
    struct Row: Sendable {
        var beacon: RangedBeacon
        /// Reports a second over the last five seconds.
        var rate_hz: Double
        /// Since it was last heard.
        var age: TimeSpan
        /// The ids of the configured regions that it belongs to, in their order.
        var regions: [String]
    }

    /// Nearest first, unknown last.
    var rows: [Row]
    /// Physical beacons: those whose address may be a rotation are not counted.
    var beaconCount: Int
    /// Advertising reports a second, iBeacon or not.
    var reportRate_hz: Double
    /// Advertising reports since the start, iBeacon or not.
    package var reports: UInt64
    var rejects: RejectCounts
    /// Transmitters that were not taken in because `radio.max_transmitters` were there.
    var refusedTransmitters: UInt64
}
