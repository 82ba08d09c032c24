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
/// `NewcomerCounter` (floods). The tracker calls them in the right order: `+Silence` also holds the calls to
/// `Rotation`. Queries are in `+Counting` and `+Proximity`.
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

    /// Takes the news that a device of any kind was heard: the radio is not deaf.
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

    package init(name: String, identityResolvingKey: [UInt8]) {
        self.name = name
        self.identityResolvingKey = identityResolvingKey
    }
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
    package var address: DeviceAddress
    /// RSSI at one metre as the transmitter states it, dBm.
    var measuredPower_dbm: Int8
    /// The received RSSI with the gateway's offset; `nil` where the controller gave none. Such a sighting proves
    /// presence and feeds no filter.
    var rssi_dbm: Double?
    /// The form of the advertisement apart from the frame.
    var traits: AdvertisingTraits
    /// The number of the gateway's adapter that heard it, from 0 on.
    package var adapter: Int

    init(
        identity: BeaconIdentity, address: DeviceAddress, measuredPower_dbm: Int8, rssi_dbm: Double?,
        traits: AdvertisingTraits = .none, adapter: Int = 0
    ) {
        self.identity = identity
        self.address = address
        self.measuredPower_dbm = measuredPower_dbm
        self.rssi_dbm = rssi_dbm
        self.traits = traits
        self.adapter = adapter
    }
}
