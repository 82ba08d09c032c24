/// How near a transmitter is now.
package struct BeaconObservation: Hashable, Sendable {
    /// Metres; −1 exactly when `proximity` is `unknown`.
    var accuracy_m: Double
    /// One standard deviation of that in metres: the true distance is within it, either way, two times out of three. −1
    /// exactly when `proximity` is `unknown`.
    var accuracyError_m: Double
    /// The zone that the distance is in, with hysteresis; `unknown` once it is silent.
    var proximity: Proximity
    /// The level that the thresholds of regions look at, so that they can be set by what is published; the distance has a
    /// slower filter. `nil` where no report carried a strength.
    var rssi_dbm: Double?

    /// Core Location's word for an unknown distance.
    static let undetermined_m = -1.0

    package init(accuracy_m: Double, accuracyError_m: Double, proximity: Proximity, rssi_dbm: Double?) {
        self.accuracy_m = accuracy_m
        self.accuracyError_m = accuracyError_m
        self.proximity = proximity
        self.rssi_dbm = rssi_dbm
    }

    /// Nothing is known of how far it is.
    static func undetermined(rssi_dbm: Double?) -> BeaconObservation {
        BeaconObservation(
            accuracy_m: undetermined_m, accuracyError_m: undetermined_m, proximity: .unknown, rssi_dbm: rssi_dbm)
    }
}

/// From a level to a distance and a zone.
struct ProximityRule: Sendable {
    private let estimator: DistanceEstimator
    private let classifier: ProximityClassifier

    init(_ settings: DistanceSettings) {
        estimator = DistanceEstimator(settings)
        classifier = ProximityClassifier(settings)
    }

    /// - Parameters:
    ///   - level: what the distance filter says; of the variance `variance`, dB².
    ///   - zone: the one that the beacon was in, which is remembered, because to leave a zone it takes more than to enter it.
    func observe(
        _ level: SignalLevel, variance: Double, measuredPower_dbm: Int8, rssi_dbm: Double?, zone: inout Proximity
    ) -> BeaconObservation {
        let distance_m = estimator.distance_m(rssi_dbm: level.rssi_dbm, measuredPower_dbm: measuredPower_dbm)
        zone = classifier.classify(distance_m: distance_m, previous: zone)
        return BeaconObservation(
            accuracy_m: distance_m, accuracyError_m: estimator.error_m(of: distance_m, levelVariance: variance),
            proximity: zone, rssi_dbm: rssi_dbm)
    }
}

extension BeaconTracker {
    /// Distance and proximity by what the transmitter's filter says now.
    mutating func observe(_ slot: TransmitterSlot) -> BeaconObservation {
        let rssi_dbm = smoothing.region.level(table.transmitters[slot].signal.region)?.rssi_dbm
        let level = smoothing.distanceLevel(of: table.transmitters[slot].signal)
        guard table.transmitters[slot].presence == .heard, let level else {
            return .undetermined(rssi_dbm: rssi_dbm)
        }
        return zones.observe(
            level, variance: smoothing.distanceVariance(of: table.transmitters[slot].signal),
            measuredPower_dbm: table.transmitters[slot].measuredPower_dbm, rssi_dbm: rssi_dbm,
            zone: &table.transmitters[slot].zone)
    }
}

/// What regions hear of a transmitter, and which transmitters they are interested in.
extension BeaconTracker {
    /// What regions ask of a transmitter with every report: the level that their thresholds look at, `nil` before the first
    /// one, and the silence that is ordinary for it. Read where it stands, because a copy of the transmitter costs more
    /// than all that is done with it.
    func hearing(of slot: TransmitterSlot) -> (regionLevel: SignalLevel?, patience: Patience) {
        var level = smoothing.region.level(table.transmitters[slot].signal.region)
        if table.transmitters[slot].standing == .resolving { level = cautiousLevel(of: slot, own: level) }
        return (level, table.transmitters[slot].interval.patience)
    }

    /// The level of a newcomer that may have rotated. Its few readings alone say too much: one that fades upwards would make a
    /// beacon enter that was there all the time, too weak. So it is the weakest that it would be had it been one of those that
    /// it may have been, until that is decided.
    private func cautiousLevel(of slot: TransmitterSlot, own: SignalLevel?) -> SignalLevel? {
        guard var weakest = own else { return nil }
        for other in table.listedSlots(of: table.transmitters[slot].identitySlot)
        where other != slot && table.mayHaveBeen(other, slot) {
            guard let former = smoothing.region.level(table.transmitters[other].signal.region) else { continue }
            let level = smoothing.regionLevel(
                of: table.transmitters[slot].signal, after: table.transmitters[other].signal)
            // A filter without a memory can't tell; the former's own level is cautious enough.
            weakest = min(weakest, level ?? former)
        }
        return weakest
    }

    /// Every identity that has a transmitter, listed or only remembered.
    var knownIdentities: [IdentitySlot] {
        table.identities.slots.filter { table.identities[$0].members.first != nil }
    }

    /// Regions want an identity more than before, or less.
    mutating func setInterest(_ interest: RegionInterest, _ identity: IdentitySlot) {
        for slot in table.slots(of: identity) { admission.setInterest(interest, slot, in: &table) }
    }
}
