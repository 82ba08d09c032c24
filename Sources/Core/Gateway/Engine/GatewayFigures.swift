/// What the engine has counted since it was made.
package struct GatewayFigures: Sendable {
    /// Advertising reports decoded, iBeacon or not.
    package var reports: UInt64
    /// iBeacon frames among them.
    package var beacons: UInt64
    /// Bytes that were skipped, by reason.
    package var rejects: RejectCounts
    /// Physical beacons counted so far.
    package var tracks: UInt64
    /// Physical beacons listed now.
    package var listedTracks: Int
    /// Region instances held.
    package var instances: Int
    /// Newcomers refused because `max_transmitters` were listed already.
    package var refusedTransmitters: UInt64
    /// Entries refused, by limit.
    package var refusedEntries: RefusedEntries
    /// Floods of the last minute or of this one.
    package var suspectedSpoofing: [SuspectedSpoofing]
    /// Adapters whose readings were none in the last whole minute.
    package var suspectReadings: [SuspectReadings]
    /// `nil` where the configuration says nothing of the place.
    package var location: LocationFigures?
    /// Of the gateways that a store is made of; `nil` in a gateway.
    package var store: StoreFigures?
    /// Messages of gateways beyond those that a store takes in.
    package var refusedGateways: UInt64 = 0

    /// Those of a store, which hears nothing itself.
    init(
        store: StoreFigures, tracks: Int, instances: Int, refusedTransmitters: UInt64, refusedEntries: RefusedEntries,
        refusedGateways: UInt64
    ) {
        (reports, beacons, rejects) = (0, 0, RejectCounts())
        (self.tracks, listedTracks, self.instances) = (UInt64(clamping: tracks), tracks, instances)
        (self.refusedTransmitters, self.refusedEntries) = (refusedTransmitters, refusedEntries)
        (suspectedSpoofing, suspectReadings) = ([], [])
        self.store = store
        self.refusedGateways = refusedGateways
    }

    init(
        reports: UInt64, beacons: UInt64, rejects: RejectCounts, tracks: UInt64, listedTracks: Int, instances: Int,
        refusedTransmitters: UInt64, refusedEntries: RefusedEntries, suspectedSpoofing: [SuspectedSpoofing],
        suspectReadings: [SuspectReadings], location: LocationFigures?
    ) {
        (self.reports, self.beacons, self.rejects) = (reports, beacons, rejects)
        (self.tracks, self.listedTracks, self.instances) = (tracks, listedTracks, instances)
        (self.refusedTransmitters, self.refusedEntries) = (refusedTransmitters, refusedEntries)
        (self.suspectedSpoofing, self.suspectReadings) = (suspectedSpoofing, suspectReadings)
        self.location = location
    }
}
