/// One beacon in a ranging report.
package struct RangedBeacon: Hashable, Sendable {
    var transmitter: TransmitterSlot
    /// Which physical beacon it is taken for; provisional while it is resolving.
    var track: TrackID
    var identity: BeaconIdentity
    package var address: DeviceAddress
    /// Index of the `[[device]]` it is known as.
    package var device: Int?
    /// RSSI at one metre as the beacon states it, dBm.
    var measuredPower_dbm: Int8
    /// Distance, proximity and smoothed RSSI.
    var observation: BeaconObservation
    var lastHeard: Instant
    /// A new address that may be a rotation: listed, not counted.
    var isResolving: Bool
    /// Another beacon of the same identity is alive.
    var isDuplicate: Bool

    /// How many physical beacons they are: tracks, those still resolving left out.
    package static func count(_ beacons: [RangedBeacon]) -> Int {
        let tracks = beacons.lazy.filter { !$0.isResolving }.map(\.track).sorted()
        var count = 0
        for index in tracks.indices where index == 0 || tracks[index] != tracks[index - 1] { count += 1 }
        return count
    }

    /// Nearest first, unknown last; those alike by age of track and address, so that the order is always the same.
    static func isNearer(_ left: RangedBeacon, _ right: RangedBeacon) -> Bool {
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
package struct RangingReport: Hashable, Sendable {
    package var instance: RegionInstanceID
    package var at: Instant
    /// Physical beacons: tracks, resolving ones left out.
    package var count: Int
    /// Nearest first, unknown last.
    var beacons: [RangedBeacon]

    package init(instance: RegionInstanceID, at: Instant, count: Int, beacons: [RangedBeacon]) {
        self.instance = instance
        self.at = at
        self.count = count
        self.beacons = beacons
    }
}
