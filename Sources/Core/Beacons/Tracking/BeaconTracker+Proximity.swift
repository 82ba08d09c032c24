/// The distance and proximity of a transmitter.
package struct BeaconObservation: Hashable, Sendable {
    /// Metres; −1 exactly when `proximity` is `unknown`.
    var accuracy_m: Double
    /// One standard deviation of the distance, in metres: the true distance is within it, either way, two times out of
    /// three. −1 exactly when `proximity` is `unknown`.
    var accuracyError_m: Double
    /// The zone of the distance, with hysteresis; `unknown` once the transmitter is silent.
    var proximity: Proximity
    /// The level that regions compare with their thresholds, so that a person can choose thresholds by it. The distance
    /// has a slower filter. `nil` where no report carried an RSSI.
    var rssi_dbm: Double?

    /// Core Location's word for an unknown distance.
    static let undetermined_m = -1.0

    package init(accuracy_m: Double, accuracyError_m: Double, proximity: Proximity, rssi_dbm: Double?) {
        self.accuracy_m = accuracy_m
        self.accuracyError_m = accuracyError_m
        self.proximity = proximity
        self.rssi_dbm = rssi_dbm
    }

    /// Returns an observation of unknown distance.
    static func undetermined(rssi_dbm: Double?) -> BeaconObservation {
        BeaconObservation(
            accuracy_m: undetermined_m, accuracyError_m: undetermined_m, proximity: .unknown, rssi_dbm: rssi_dbm)
    }
}

/// Turns a level into a distance and a zone.
struct ProximityRule: Sendable {
    private let estimator: DistanceEstimator
    private let classifier: ProximityClassifier

    init(_ settings: DistanceSettings) {
        estimator = DistanceEstimator(settings)
        classifier = ProximityClassifier(settings)
    }

    /// - Parameters:
    /// - level: the level of the distance filter, of the variance `variance`, dB².
    /// - zone: the beacon's zone, which this updates. Leaving a zone needs a greater distance than entering it.
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
    /// Returns distance and proximity by the transmitter's filter.
    ///
    /// - Parameter configuredPower_dbm: the measured power in place of an implausible one; `nil` where none is configured.
    mutating func observe(_ slot: TransmitterSlot, configuredPower_dbm: Int8?) -> BeaconObservation {
        let rssi_dbm = smoothing.region.level(table.transmitters[slot].signal.region)?.rssi_dbm
        let level = smoothing.distanceLevel(of: table.transmitters[slot].signal)
        let stated_dbm = table.transmitters[slot].measuredPower_dbm
        let isPlausible = IBeaconFrame.isPlausible(power_dbm: stated_dbm)
        guard table.transmitters[slot].presence == .heard, let level,
            let power_dbm = isPlausible ? stated_dbm : configuredPower_dbm
        else {
            return .undetermined(rssi_dbm: rssi_dbm)
        }
        return zones.observe(
            level, variance: smoothing.distanceVariance(of: table.transmitters[slot].signal),
            measuredPower_dbm: power_dbm, rssi_dbm: rssi_dbm, zone: &table.transmitters[slot].zone)
    }
}

/// The tracker's answers to regions, and the regions' interest in transmitters.
extension BeaconTracker {
    /// Returns the level for the regions' thresholds, `nil` before the first reading, and the transmitter's patience.
    /// Regions ask with every report. The transmitter is read in place, because copying it costs more than the rest.
    func hearing(of slot: TransmitterSlot) -> (regionLevel: SignalLevel?, patience: Patience) {
        var level = smoothing.region.level(table.transmitters[slot].signal.region)
        if table.transmitters[slot].standing == .resolving { level = cautiousLevel(of: slot, own: level) }
        return (level, table.transmitters[slot].interval.patience)
    }

    /// Returns the level of a newcomer that may have rotated. Its few readings alone are not enough: an upward fade
    /// would make a beacon enter that was there all the time, too weak. So until it is decided, the level is the
    /// weakest that any possible predecessor would give it.
    private func cautiousLevel(of slot: TransmitterSlot, own: SignalLevel?) -> SignalLevel? {
        guard var weakest = own else { return nil }
        for other in table.listedSlots(of: table.transmitters[slot].identitySlot)
        where other != slot && table.mayHaveBeen(other, slot) {
            guard let former = smoothing.region.level(table.transmitters[other].signal.region) else { continue }
            let level = smoothing.regionLevel(
                of: table.transmitters[slot].signal, after: table.transmitters[other].signal)
            // A filter without a memory cannot tell; the predecessor's own level is cautious enough.
            weakest = min(weakest, level ?? former)
        }
        return weakest
    }

    /// The identities that have a transmitter, listed or only remembered.
    var knownIdentities: [IdentitySlot] {
        table.identities.slots.filter { table.identities[$0].members.first != nil }
    }

    /// The transmitters that a region wants, listed or remembered, with their levels.
    var wantedTransmitters: some Sequence<(Transmitter, level_dbm: Double?)> {
        table.usedSlots.lazy.filter { table.transmitters[$0].interest != .none }.map { heard($0) }
    }

    /// Returns the transmitters of an identity that a region wants, with their levels.
    func wantedTransmitters(of identity: IdentitySlot) -> [(Transmitter, level_dbm: Double?)] {
        table.slots(of: identity).filter { table.transmitters[$0].interest != .none }.map { heard($0) }
    }

    /// Returns the transmitters with an address that a region wants; `nil` where no transmitter has the address.
    func wantedTransmitters(at address: DeviceAddress) -> [Transmitter]? {
        let slots = table.slots(at: address)
        if slots.isEmpty { return nil }
        return slots.map { table.transmitters[$0] }.filter { $0.interest != .none }
    }

    private func heard(_ slot: TransmitterSlot) -> (Transmitter, level_dbm: Double?) {
        let transmitter = table.transmitters[slot]
        return (transmitter, smoothing.region.level(transmitter.signal.region)?.rssi_dbm)
    }

    /// Changes the regions' interest in an identity.
    mutating func setInterest(_ interest: RegionInterest, _ identity: IdentitySlot) {
        for slot in table.slots(of: identity) { admission.setInterest(interest, slot, in: &table) }
    }
}
