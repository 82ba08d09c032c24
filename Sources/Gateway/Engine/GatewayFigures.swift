public import HCI
public import Location
public import Messages
public import Regions

/// What the engine has counted since it was made.
public struct GatewayFigures: Sendable {
    /// Advertising reports decoded, iBeacon or not.
    public var reports: UInt64
    /// iBeacon frames among them.
    public var beacons: UInt64
    /// Bytes that were skipped, by reason.
    public var rejects: RejectCounts
    /// Physical beacons counted so far.
    public var tracks: UInt64
    /// Physical beacons listed now.
    public var listedTracks: Int
    /// Region instances held.
    public var instances: Int
    /// Newcomers refused because `max_transmitters` were listed already.
    public var refusedTransmitters: UInt64
    /// Entries refused, by limit.
    public var refusedEntries: RefusedEntries
    /// Floods of the last minute or of this one.
    public var suspectedSpoofing: [SuspectedSpoofing]
    /// Adapters whose readings were none in the last whole minute.
    public var suspectReadings: [SuspectReadings]
    /// `nil` where the configuration says nothing of the place.
    public var location: LocationFigures?
    /// Of the gateways that a store is made of; `nil` in a gateway.
    public var store: StoreFigures?
    /// Messages of gateways beyond those that a store takes in.
    public var refusedGateways: UInt64 = 0

    /// Those of a store, which hears nothing itself.
    public init(
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
