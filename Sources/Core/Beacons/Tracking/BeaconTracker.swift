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
package struct BeaconTracker: Sendable {
    /// The most transmitters kept.
    let maxTransmitters: Int
    var resolver: AddressResolver
    var table: TransmitterTable
    let smoothing: SignalSmoothing
    var presence: Presence
    var rotation: Rotation
    var admission = Admission()
    var newcomerCounter = NewcomerCounter()
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

    /// The identity of the transmitter in a slot.
    func identitySlot(of slot: TransmitterSlot) -> IdentitySlot { table.transmitters[slot].identitySlot }

    /// The identity in a slot; `nil` once it is forgotten.
    func identity(in slot: IdentitySlot) -> BeaconIdentity? { table.value(of: slot) }

    /// The listed transmitters of an identity, in no particular order.
    func listed(_ identitySlot: IdentitySlot) -> [TransmitterSlot] {
        table.listedSlots(of: identitySlot)
    }

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
        let device = resolver.device(for: sighting.address)
        if let device, let slot = slot(of: device, sighting.identity) {
            table.readdress(slot, sighting.address)
            heardAgain(slot, sighting, at: now, changes: &changes)
            return slot
        }
        return appeared(
            sighting, device: device, interest: interest(sighting.identity), at: now, changes: &changes)
    }

    /// Adds a transmitter that was never heard before.
    private mutating func appeared(
        _ sighting: Sighting, device: DeviceSlot?, interest: RegionInterest, at now: Instant,
        changes: inout [TrackerChange]
    ) -> TransmitterSlot? {
        if table.count >= maxTransmitters {
            guard let slot = admission.next(for: interest) else {
                admission.refused()
                newcomerCounter.refused(sighting, in: &table)
                return nil
            }
            forget(slot, changes: &changes)
        }
        let identitySlot = table.identitySlot(sighting.identity)
        let isNewIdentity = table.identities[identitySlot].members.first == nil
        if isNewIdentity { changes.append(.identityAppeared(identitySlot)) }
        let newcomer = Transmitter(
            sighting, device: device, track: rotation.newTrack(), interest: interest, identitySlot: identitySlot,
            at: now)
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
        // A gap with a reception pause says nothing about the transmitter's interval.
        if presence.pauses.overlap(previously, now) == .zero {
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

/// The settings of `BeaconTracker`.
package struct TrackerSettings: Hashable, Sendable {
    /// The most transmitters kept at once; further newcomers are refused.
    var maxTransmitters: Int
    /// A transmitter silent for this long has proximity `unknown`.
    var unknownAfter: TimeSpan
    /// A transmitter silent for this long leaves the ranged list.
    var resolveAfter: TimeSpan
    /// The filter of distance and proximity.
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
    package var adapter: Int = 0
}

/// The passing of time: transmitters fall silent, leave the list, are forgotten, and come back.
extension BeaconTracker {
    /// The longest common silence that does not mean a deaf radio; `nil` where fewer than two transmitters are heard.
    var ordinarySilence: TimeSpan? { table.heardCount > 1 ? presence.pauses.ordinary : nil }

    /// The time of the next timer.
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
            return forget(slot, changes: &changes)
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

    /// Removes a transmitter from all parts of the tracker.
    mutating func forget(_ slot: TransmitterSlot, changes: inout [TrackerChange]) {
        admission.forget(slot, in: &table)
        rotation.forget(slot, in: &table)
        presence.forget(slot, in: &table)
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

    /// Checks a newcomer whose timer is due.
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
