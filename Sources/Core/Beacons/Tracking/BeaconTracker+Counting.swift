/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// The number of physical beacons on the list: tracks, without those still resolving.
    var listedTrackCount: Int {
        var count = 0
        // A track stays with its identity. So only the transmitters of an identity with several may share a track. That
        // saves a set of all tracks, with 30 octets for each.
        var shared: Set<TrackID> = []
        for slot in table.usedSlots where table.transmitters[slot].isListed {
            if table.transmitters[slot].trackState == .resolving { continue }
            if table.transmitters[slot].isOnlyOfIdentity {
                count += 1
            } else {
                shared.insert(table.transmitters[slot].track)
            }
        }
        return count + shared.count
    }

    /// The newcomers refused because `max_transmitters` were listed already.
    var refusedCount: UInt64 { admission.refusedCount }

    /// The newcomers since `beginNewcomerWindow`.
    var newcomers: NewcomerCounts { newcomerCounter.counts }

    /// Resets the counts of newcomers.
    mutating func beginNewcomerWindow() { newcomerCounter.beginWindow() }
}

/// The rule of duplicates: two live beacons of one identity, a clone or a misconfiguration.
extension BeaconTracker {
    /// The time in which a track was heard, under all its addresses.
    private struct Life {
        var began: Instant
        var lastHeard: Instant
    }

    /// Returns the tracks that have another live track of their identity beside them.
    ///
    /// Two tracks are alive together where each was heard after the other had begun, and both are still listed. A
    /// beacon that was replaced, or that changed its address, is no duplicate: the old address was never heard again.
    ///
    /// - Parameter slots: the listed transmitters of one identity. A flood may bring thousands, so they are not
    ///   compared in pairs.
    func duplicateTracks(among slots: [TransmitterSlot]) -> Set<TrackID> {
        guard slots.count > 1 else { return [] }
        var lives: [TrackID: Life] = [:]
        for transmitter in slots.lazy.map({ table.transmitters[$0] }) where transmitter.trackState != .resolving {
            var life = Life(began: transmitter.trackFirstHeard, lastHeard: transmitter.lastHeard)
            if let known = lives[transmitter.track] {
                life.began = min(life.began, known.began)
                life.lastHeard = max(life.lastHeard, known.lastHeard)
            }
            lives[transmitter.track] = life
        }
        // A track that was heard only once cannot have been heard after another began.
        let alive = lives.filter { $0.value.began < $0.value.lastHeard }
        guard alive.count > 1 else { return [] }
        let begins = alive.values.map(\.began).sorted()
        let ends = alive.values.map(\.lastHeard).sorted()
        return Set(
            alive.lazy.filter { _, life in
                // The tracks that began before this one ended, without those that had ended when it began. That leaves
                // this track and those that overlap it.
                Self.count(of: begins) { $0 < life.lastHeard } - Self.count(of: ends) { $0 <= life.began } > 1
            }.map(\.key))
    }

    /// Returns how many of the ascending `instants` come before the first one for which `isBefore` is false.
    private static func count(of instants: [Instant], where isBefore: (Instant) -> Bool) -> Int {
        var range = instants.startIndex..<instants.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBefore(instants[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// The invariants between the parts of a tracker, for tests and simulations. Checking them goes through everything.
extension BeaconTracker {
    /// The first broken invariant; `nil` where all hold.
    var brokenInvariant: String? {
        let used = Set(table.usedSlots)
        return table.brokenInvariant(used) ?? brokenAdmission(used) ?? presence.brokenInvariant(used, in: table)
            ?? rotation.brokenInvariant(used, in: table)
    }

    private func brokenAdmission(_ used: Set<TransmitterSlot>) -> String? {
        let (gone, unwanted, wanted) = admission.givingWay(in: table)
        if gone.count + unwanted.count + wanted.count > used.count {
            return "a transmitter is twice among those that give way"
        }
        if Set(gone) != used.filter({ !table.transmitters[$0].isListed }) {
            return "others are off the list than give way"
        }
        let listed = used.filter { table.transmitters[$0].isListed }
        guard Set(unwanted) == listed.filter({ table.transmitters[$0].interest == .none }) else {
            return "others are unwanted than give way"
        }
        return Set(wanted) == listed.filter { table.transmitters[$0].interest == .wanted }
            ? nil : "others are wanted without an instance than give way"
    }
}

extension TransmitterTable {
    /// Returns the first broken invariant; `nil` where all hold.
    ///
    /// - Parameter used: the slots that hold transmitters.
    fileprivate func brokenInvariant(_ used: Set<TransmitterSlot>) -> String? {
        guard transmitters.isSound, identities.isSound else { return "a slot is free twice" }
        guard used.count == count, count == transmitters.count, used.isDisjoint(with: transmitters.freeSlots) else {
            return "slots are in use that are free"
        }
        for slot in used where self.slot(transmitters[slot].identity, transmitters[slot].address) != slot {
            return "a transmitter is not found under its address"
        }
        if used.count(where: { transmitters[$0].presence == .heard }) != heardCount {
            return "others are heard than counted"
        }
        var members = 0
        for identity in Set(identities.slots).subtracting(identities.freeSlots) {
            members += slots(of: identity).count
            if let broken = brokenInvariant(of: identity, used) { return broken }
        }
        return members == count ? nil : "a transmitter stands with no identity"
    }

    private func brokenInvariant(of identity: IdentitySlot, _ used: Set<TransmitterSlot>) -> String? {
        let members = slots(of: identity)
        let listed = members.filter { transmitters[$0].isListed }
        guard let value = value(of: identity), existingIdentitySlot(value) == identity,
            members.allSatisfy({ used.contains($0) && transmitters[$0].identitySlot == identity }),
            members.allSatisfy({ transmitters[$0].identity == value })
        else { return "a transmitter stands with another identity" }
        if listedSlots(of: identity) != listed || Int(identities[identity].listedCount) != listed.count {
            return "not all that are listed stand in front, or are counted"
        }
        let resolving = members.count { transmitters[$0].trackState == .resolving }
        return Int(identities[identity].resolvingCount) == resolving ? nil : "others are resolving than counted"
    }
}

extension Presence {
    /// Checks that each transmitter has a valid timer. Returns the defect.
    fileprivate func brokenInvariant(_ used: Set<TransmitterSlot>, in table: TransmitterTable) -> String? {
        let watched = watched { table.transmitters[$0.subject].silenceDue == $0.due }
        return watched.isSuperset(of: used) ? nil : "the silence of a transmitter is never looked at"
    }
}

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
        if table.transmitters[slot].trackState == .resolving { level = cautiousLevel(of: slot, own: level) }
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
            // A filter without a memory cannot show it; the predecessor's own level is cautious enough.
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
