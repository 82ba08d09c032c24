/// A change of the tracker's lists. Changes come in order.
enum TrackerChange: Hashable, Sendable {
    /// An identity has its first transmitter.
    case identityAppeared(IdentitySlot)
    /// A transmitter of the identity came, left, fell silent, was heard again, or is counted differently.
    case listChanged(IdentitySlot)
    /// The last transmitter of the identity is forgotten; its slot may be reused.
    case identityForgotten(IdentitySlot)
}

/// Tracks the beacons in the air: one transmitter for each identity and address, one track for each physical beacon.
///
/// Reports go in with `receive`, time with `advance`; both append changes. Each rule owns its data: `Presence`
/// (unknown, gone, forgotten), `Rotation` (address changes), `Admission` (a full table), `SignalSmoothing` (filters),
/// `NewcomerCounter` (floods). The tracker calls them in the right order. Queries are in `+Counting`.
struct BeaconTracker: Sendable {
    let maxTransmitters: Int
    /// Finds known devices; `nil` where none is known.
    private(set) var resolver: AddressResolver?
    private(set) var table: TransmitterTable
    let smoothing: SignalSmoothing
    private(set) var presence: Presence
    private(set) var rotation: Rotation
    private(set) var admission = Admission()
    private(set) var newcomerCounter = NewcomerCounter()
    let zones: ProximityRule

    /// - Parameter findsAddresses: whether `transmitters(at:)` finds transmitters.
    init(_ settings: TrackerSettings, distance: DistanceSettings, findsAddresses: Bool = false) {
        maxTransmitters = settings.maxTransmitters
        resolver = AddressResolver(settings.devices)
        table = TransmitterTable(capacity: settings.maxTransmitters, findsAddresses: findsAddresses)
        smoothing = SignalSmoothing(settings)
        presence = Presence(settings)
        rotation = Rotation(settings)
        zones = ProximityRule(distance)
    }

    /// The transmitter in a slot that `receive` or `listed` returned and that has not been forgotten since.
    subscript(slot: TransmitterSlot) -> Transmitter { table.transmitters[slot] }

    func identitySlot(of slot: TransmitterSlot) -> IdentitySlot { table.transmitters[slot].identitySlot }

    /// The identity in a slot; `nil` once it is forgotten.
    func identity(in slot: IdentitySlot) -> BeaconIdentity? { table.value(of: slot) }

    /// The listed transmitters of an identity, in no particular order.
    func listed(_ identitySlot: IdentitySlot) -> [TransmitterSlot] { table.listedSlots(of: identitySlot) }

    /// Returns the only transmitter of an identity, listed or not; `nil` where it has several.
    func only(_ identitySlot: IdentitySlot) -> TransmitterSlot? {
        guard let first = table.identities[identitySlot].members.first else { return nil }
        return table.transmitters[first].isOnlyOfIdentity ? first : nil
    }

    /// Learns that a device of any kind was heard: the radio is not deaf.
    mutating func heardAnything(at now: Instant) { presence.heardAnything(at: now) }

    /// Takes a sighting. `heardAnything` has been called for its report.
    ///
    /// - Parameters:
    /// - interest: returns the regions' interest in the identity; called for new transmitters only.
    /// - now: not before the time of an earlier call.
    /// - Returns: the slot of its transmitter; `nil` where the table is full and the newcomer was refused.
    mutating func receive(
        _ sighting: Sighting, at now: Instant, interest: (BeaconIdentity) -> RegionInterest,
        changes: inout [TrackerChange]
    ) -> TransmitterSlot? {
        if let slot = table.slot(sighting.identity, sighting.address) {
            heardAgain(slot, sighting, at: now, changes: &changes)
            return slot
        }
        let device = resolver?.device(for: sighting.address)
        if let device, let slot = slot(of: device, sighting.identity) {
            table.readdress(slot, sighting.address)
            heardAgain(slot, sighting, at: now, changes: &changes)
            return slot
        }
        return appeared(sighting, device: device, interest: interest(sighting.identity), at: now, changes: &changes)
    }

    /// Adds a transmitter that was never heard before.
    private mutating func appeared(
        _ sighting: Sighting, device: DeviceSlot?, interest: RegionInterest, at now: Instant,
        changes: inout [TrackerChange]
    ) -> TransmitterSlot? {
        if table.count >= maxTransmitters {
            guard let slot = admission.next(for: interest) else {
                admission.refused()
                if interest != .counted { newcomerCounter.refused(sighting, in: &table) }
                return nil
            }
            remove(slot, changes: &changes)
        }
        let identitySlot = table.identitySlot(sighting.identity)
        let isNewIdentity = table.identities[identitySlot].members.first == nil
        if isNewIdentity { changes.append(.identityAppeared(identitySlot)) }
        let newcomer = Transmitter(
            sighting, device: device, track: rotation.newTrack(for: interest), interest: interest,
            identitySlot: identitySlot, at: now)
        let slot = table.insert(newcomer)
        rotation.trace(slot, sighting.traits, in: &table)
        admission.listed(slot, in: &table)
        smooth(slot, sighting, at: now)
        presence.watch(slot, in: &table)
        resolveNewcomer(slot, at: now)
        newcomerCounter.taken(slot, isNewIdentity: isNewIdentity, in: &table)
        changes.append(.listChanged(identitySlot))
        return slot
    }

    /// Updates a remembered transmitter that is heard.
    private mutating func heardAgain(
        _ slot: TransmitterSlot, _ sighting: Sighting, at now: Instant, changes: inout [TrackerChange]
    ) {
        let before = table.transmitters[slot].presence
        let previously = table.transmitters[slot].lastHeard
        // A gap with a reception pause says nothing about the transmitter's interval. Nearly always the newest pause has ended already: asked
        // first, it saves a copy of them all.
        if presence.pauses.until <= previously || presence.pauses.overlap(previously, now) == .zero {
            table.transmitters[slot].interval.add(gap: now - previously)
        }
        table.transmitters[slot].lastHeard = now
        table.transmitters[slot].measuredPower_dbm = sighting.measuredPower_dbm
        if before != .heard { returned(slot, from: before, at: now, changes: &changes) }
        smooth(slot, sighting, at: now)
        presence.watchSooner(slot, in: &table)
        proveAlive(slot, since: previously, at: now, changes: &changes)
    }

    private mutating func smooth(_ slot: TransmitterSlot, _ sighting: Sighting, at now: Instant) {
        guard let rssi_dbm = sighting.rssi_dbm.flatMap(SignalLevel.held) else { return }
        rotation.add(rssi_dbm, at: now, of: slot, in: &table)
        smoothing.add(rssi_dbm, at: now, to: &table.transmitters[slot].signal)
    }

    /// Returns the transmitter of a known device under one identity, whatever its address was.
    private func slot(of device: DeviceSlot, _ identity: BeaconIdentity) -> TransmitterSlot? {
        guard let identitySlot = table.existingIdentitySlot(identity) else { return nil }
        return table.slots(of: identitySlot).first { table.transmitters[$0].device == device.index }
    }

    /// Restores the patience that an earlier process had learned of a transmitter, unless this process has learned its
    /// own.
    mutating func restorePatience(_ patience: TimeSpan, of slot: TransmitterSlot) {
        guard table.transmitters[slot].interval.isUnknown else { return }
        table.transmitters[slot].interval.restore(patience: patience)
    }
}

/// A transmitter whose identity resolving key is known, so that its rotations are certain.
package struct KnownDevice: Hashable, Sendable {
    /// The operator's name for it.
    package var name: String
    /// The identity resolving key, 16 octets, most significant first, as in the Core's sample data.
    var identityResolvingKey: [UInt8]
}

package struct TrackerSettings: Hashable, Sendable {
    /// The most transmitters kept at once; further newcomers are refused.
    var maxTransmitters: Int
    /// A transmitter silent for this long has proximity `unknown`.
    var unknownAfter: TimeSpan
    /// A transmitter silent for this long leaves the ranged list.
    var resolveAfter: TimeSpan
    var distanceFilter: FilterSettings
    /// The filter for the RSSI thresholds of regions.
    var regionFilter: FilterSettings
    /// The devices of `[[device]]`, in the order of the file. `Transmitter.device` is an index into it.
    package var devices: [KnownDevice]
}

/// One iBeacon frame in one advertising report: the tracker's input.
struct Sighting: Hashable, Sendable {
    var identity: BeaconIdentity
    var address: DeviceAddress
    /// RSSI at one metre as the transmitter states it, dBm.
    var measuredPower_dbm: Int8
    /// The received RSSI with the gateway's offset; `nil` where the controller gave none. Such a sighting proves
    /// presence and feeds no filter.
    var rssi_dbm: Double?
    /// The form of the advertisement apart from the frame.
    var traits: AdvertisingTraits = .none
    /// The number of the gateway's adapter that heard it, from 0 on.
    var adapter: Int = 0
}

/// The passing of time: transmitters fall silent, leave the list, are forgotten, and come back.
extension BeaconTracker {
    /// The longest common silence that does not mean a deaf radio; `nil` where fewer than two transmitters are heard.
    var ordinarySilence: TimeSpan? { table.heardCount > 1 ? presence.pauses.ordinary : nil }

    var nextDeadline: Instant { min(presence.nextDue, rotation.newcomers.nextDue) }

    /// Runs the first timer that is due before `limit`.
    ///
    /// At equal times, silences come before newcomers. A newcomer's last moment to take over is the one at which a slow
    /// predecessor becomes silent.
    ///
    /// - Returns: the time of the timer; `nil` where none is due. The caller runs other timers up to that time, so that
    ///   all things happen in order.
    mutating func advance(before limit: Instant, changes: inout [TrackerChange]) -> Instant? {
        let due = nextDeadline
        guard due < limit else { return nil }
        if presence.nextDue == due {
            if let slot = presence.runFirst(in: &table) { stayedSilent(slot, at: due, changes: &changes) }
        } else if let slot = rotation.runFirst() {
            newcomerIsDue(slot, at: due, changes: &changes)
        }
        return due
    }

    /// Moves a transmitter on that has been silent for as long as its presence allows.
    private mutating func stayedSilent(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        let identity = table.transmitters[slot].identitySlot
        switch table.transmitters[slot].presence {
        case .heard:
            table.setPresence(slot, .silent)
            table.transmitters[slot].zone = .unknown
        case .silent:
            rotation.leaves(slot, in: &table)
            table.setPresence(slot, .gone)
            admission.left(slot, in: &table)
        case .gone:
            return remove(slot, changes: &changes)
        }
        presence.watch(slot, in: &table)
        if rotation.isPredecessor(slot, in: table) { resolveRotations(of: identity, at: now) }
        changes.append(.listChanged(identity))
    }

    /// Moves a silent transmitter back that is heard again.
    mutating func returned(
        _ slot: TransmitterSlot, from before: Transmitter.Presence, at now: Instant, changes: inout [TrackerChange]
    ) {
        table.setPresence(slot, .heard)
        if before == .gone {
            admission.returned(slot, in: &table)
            table.transmitters[slot].trackFirstHeard = now
            table.transmitters[slot].firstHeard = now
        }
        switch table.transmitters[slot].trackState {
        case .succeeded(let successor) where before != .gone: provedDistinct(slot, from: successor, at: now)
        case .succeeded, .undecided: returnedWithoutTrack(slot, at: now)
        case .settled, .resolving: break
        }
        changes.append(.listChanged(table.transmitters[slot].identitySlot))
    }

    mutating func remove(_ slot: TransmitterSlot, changes: inout [TrackerChange]) {
        admission.remove(slot, in: &table)
        rotation.remove(slot, in: &table)
        presence.remove(slot, in: &table)
        if table.transmitters[slot].isListed {
            changes.append(.listChanged(table.transmitters[slot].identitySlot))
        }
        if let identity = table.remove(slot) { changes.append(.identityForgotten(identity)) }
    }
}

/// Calls `Rotation` on each event that it depends on, and updates the filters.
extension BeaconTracker {
    /// The tracks counted so far, without the provisional ones that were taken over.
    var trackCount: UInt64 { rotation.trackCount }

    /// Checks whether a new or returned transmitter may be an older one under a new address.
    mutating func resolveNewcomer(_ slot: TransmitterSlot, at now: Instant) {
        guard rotation.startResolving(slot, at: now, presence, in: &table) else { return }
        resolveRotations(of: table.transmitters[slot].identitySlot, at: now)
    }

    /// Weighs the newcomers of an identity. A successor continues the filters of its predecessor.
    mutating func resolveRotations(of identity: IdentitySlot, at now: Instant) {
        for succession in rotation.resolve(identity, at: now, presence, in: &table) {
            smoothing.takeOver(
                table.transmitters[succession.predecessor].signal,
                into: &table.transmitters[succession.newcomer].signal)
        }
    }

    /// Checks whether a report shows that its transmitter did not fall silent before some newcomer was first heard.
    ///
    /// - Parameter previously: the time of its report before.
    mutating func proveAlive(
        _ slot: TransmitterSlot, since previously: Instant, at now: Instant, changes: inout [TrackerChange]
    ) {
        // This runs with every report, and usually no newcomer is resolving.
        let identity = table.transmitters[slot].identitySlot
        let resolvingCount = table.identities[identity].resolvingCount
        guard resolvingCount > 0, rotation.provesAlive(slot, since: previously, in: table) else { return }
        resolveRotations(of: identity, at: now)
        if table.identities[identity].resolvingCount < resolvingCount { changes.append(.listChanged(identity)) }
    }

    mutating func newcomerIsDue(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        let identity = table.transmitters[slot].identitySlot
        resolveRotations(of: identity, at: now)
        if rotation.decide(slot, at: now, presence, in: &table) { changes.append(.listChanged(identity)) }
    }

    /// Takes a transmitter without a track that left the list and is heard again.
    mutating func returnedWithoutTrack(_ slot: TransmitterSlot, at now: Instant) {
        rotation.returnsWithoutTrack(slot, in: &table)
        resolveNewcomer(slot, at: now)
    }

    /// Separates a listed transmitter, which is heard again, from the successor of its track: there are two devices.
    mutating func provedDistinct(_ slot: TransmitterSlot, from successor: TransmitterSlot, at now: Instant) {
        guard rotation.part(slot, from: successor, in: &table) else { return }
        // The successor may have had another predecessor.
        resolveNewcomer(successor, at: now)
        // The successor was counted before, and does not wait a second time.
        if table.transmitters[successor].trackState == .resolving { rotation.settle(successor, in: &table) }
    }
}

/// The rules of counting: tracks are counted, not addresses.
extension BeaconTracker {
    /// The number of physical beacons on the list: tracks, without those still resolving, and without people.
    var listedTrackCount: Int {
        var count = 0
        // A track stays with its identity. So only the transmitters of an identity with several may share a track. That
        // saves a set of all tracks, with 30 octets for each.
        var shared: Set<TrackID> = []
        for slot in table.usedSlots
        where table.transmitters[slot].isListed && table.transmitters[slot].interest != .counted {
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

extension BeaconTracker {
    /// Returns what is wrong with its parts and between them; for tests, because it goes through everything.
    func checkInvariants() -> [String] {
        table.checkInvariants() + admission.checkInvariants(table) + presence.checkInvariants(table)
            + rotation.checkInvariants(table)
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
    /// Regions ask with every report. Transmitter and tracker are read in place, because copying either costs more than the rest: it is
    /// mutating only for that.
    mutating func hearing(of slot: TransmitterSlot) -> (regionLevel: SignalLevel?, patience: Patience) {
        var level = smoothing.region.level(table.transmitters[slot].signal.region)
        if table.transmitters[slot].trackState == .resolving { level = cautiousLevel(of: slot, own: level) }
        return (level, table.transmitters[slot].interval.patience)
    }

    /// Returns the level of a newcomer that may have rotated. Its few readings alone are not enough: an upward fade
    /// would make a beacon enter that was there all the time, too weak. So until it is decided, the level is the
    /// weakest that any possible predecessor would give it.
    private mutating func cautiousLevel(of slot: TransmitterSlot, own: SignalLevel?) -> SignalLevel? {
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
    var knownIdentities: [IdentitySlot] { table.identities.slots.filter { table.identities[$0].members.first != nil } }

    /// Returns whether only a region of people contains the transmitter.
    func isCounted(_ slot: TransmitterSlot) -> Bool { table.transmitters[slot].interest == .counted }

    /// Returns whether all transmitters of an identity have this interest.
    func hasInterest(_ interest: RegionInterest, _ identity: IdentitySlot) -> Bool {
        table.slots(of: identity).allSatisfy { table.transmitters[$0].interest == interest }
    }

    mutating func setInterest(_ interest: RegionInterest, _ identity: IdentitySlot) {
        for slot in table.slots(of: identity) { admission.setInterest(interest, slot, in: &table) }
    }
}
