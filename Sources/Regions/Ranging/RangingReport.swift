public import Beacons
public import HCI

/// One beacon in a ranging report.
public struct RangedBeacon: Hashable, Sendable {
    public var transmitter: TransmitterSlot
    /// Which physical beacon it is taken for; provisional while it is resolving.
    public var track: TrackID
    public var identity: BeaconIdentity
    public var address: DeviceAddress
    /// Index of the `[[device]]` it is known as.
    public var device: Int?
    /// RSSI at one metre as the beacon states it, dBm.
    public var measuredPower_dbm: Int8
    /// Distance, proximity and smoothed RSSI.
    public var observation: BeaconObservation
    public var lastHeard: Instant
    /// A new address that may be a rotation: listed, not counted.
    public var isResolving: Bool
    /// Another beacon of the same identity is alive.
    public var isDuplicate: Bool

    public init(
        transmitter: TransmitterSlot, track: TrackID, identity: BeaconIdentity, address: DeviceAddress, device: Int?,
        measuredPower_dbm: Int8, observation: BeaconObservation, lastHeard: Instant, isResolving: Bool,
        isDuplicate: Bool
    ) {
        self.transmitter = transmitter
        self.track = track
        self.identity = identity
        self.address = address
        self.device = device
        self.measuredPower_dbm = measuredPower_dbm
        self.observation = observation
        self.lastHeard = lastHeard
        self.isResolving = isResolving
        self.isDuplicate = isDuplicate
    }

    /// How many physical beacons they are: tracks, those still resolving left out.
    public static func count(_ beacons: [RangedBeacon]) -> Int {
        let tracks = beacons.lazy.filter { !$0.isResolving }.map(\.track).sorted()
        var count = 0
        for index in tracks.indices where index == 0 || tracks[index] != tracks[index - 1] { count += 1 }
        return count
    }

    /// Nearest first, unknown last; those alike by age of track and address, so that the order is always the same.
    public static func isNearer(_ left: RangedBeacon, _ right: RangedBeacon) -> Bool {
        let leftUnknown = left.observation.proximity == .unknown
        let rightUnknown = right.observation.proximity == .unknown
        if leftUnknown != rightUnknown { return rightUnknown }
        if left.observation.accuracy_m != right.observation.accuracy_m {
            return left.observation.accuracy_m < right.observation.accuracy_m
        }
        return (left.track, left.address.bits) < (right.track, right.address.bits)
    }
}

/// The beacons in range of one region instance.
public struct RangingReport: Hashable, Sendable {
    public var instance: RegionInstanceID
    public var at: Instant
    /// Physical beacons: tracks, resolving ones left out.
    public var count: Int
    /// Nearest first, unknown last.
    public var beacons: [RangedBeacon]

    public init(instance: RegionInstanceID, at: Instant, count: Int, beacons: [RangedBeacon]) {
        self.instance = instance
        self.at = at
        self.count = count
        self.beacons = beacons
    }
}
