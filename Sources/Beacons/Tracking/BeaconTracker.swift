public import HCI
import HeapModule

/// What changed in the tracker's lists; in the order in which it happened.
public enum TrackerChange: Hashable, Sendable {
    /// An identity has its first transmitter.
    case identityAppeared(IdentitySlot)
    /// A transmitter of the identity came, left, fell silent, was heard again, or is counted differently.
    case listChanged(IdentitySlot)
    /// The last transmitter of the identity is forgotten; its slot may be used again.
    case identityForgotten(IdentitySlot)
}

/// Keeps who is who in the air: one transmitter for each identity and address, one track for each physical beacon.
///
/// Reports go in with `receive`, time with `advance`; both append what changed. The rules stand in the extensions:
/// `+Silence` (unknown, gone, forgotten), `+Rotation` (one beacon, whatever its address), `+Counting`, `+Proximity`,
/// `+Newcomers`, `+Hearing`.
public struct BeaconTracker: Sendable {
    /// A timer that looks at the silence of a transmitter, or at a newcomer that is still resolving.
    struct Timer: Comparable, Sendable {
        enum Subject: UInt8, Sendable {
            case silence, resolving
        }

        let due: Instant
        /// Subject, number and slot, from the highest bit on, because there is one for each transmitter: 1, 43 and 20 bits.
        /// With 1,000 timers a second the numbers last 280 years, and the slots for four times `max_transmitters`.
        private let rank: UInt64

        init(due: Instant, number: UInt64, slot: TransmitterSlot, subject: Subject) {
            self.due = due
            let slotNumber = min(UInt64(clamping: slot), 1 << 20 - 1)
            rank = UInt64(subject.rawValue) << 63 | (number & (1 << 43 - 1)) << 20 | slotNumber
        }

        var subject: Subject { rank >> 63 == 0 ? .silence : .resolving }
        var slot: TransmitterSlot { TransmitterSlot(rank & (1 << 20 - 1)) }

        /// At equal times who is silent is known before newcomers are decided, because a newcomer's last moment to take
        /// over is the one at which a slow predecessor is out of the ordinary silent. All else fires in the order in
        /// which it was set, so that a replay is the same every time.
        static func < (left: Timer, right: Timer) -> Bool {
            left.due != right.due ? left.due < right.due : left.rank < right.rank
        }
    }

    /// A transmitter off the list is remembered this long, so that it is the same track if it comes back, with its
    /// learned interval. A phone keeps an address for about as long.
    static let remembered = TimeSpan.seconds(15 * 60)

    let settings: TrackerSettings
    let smoothing: SignalSmoothing
    let estimator: DistanceEstimator
    let classifier: ProximityClassifier
    var resolver: AddressResolver
    var table: TransmitterTable
    /// For the kinds of filter that have windows.
    var distanceWindows: SlidingWindows
    var regionWindows: SlidingWindows
    var timers = Heap<Timer>()
    var timerNumber: UInt64 = 0
    /// When it is decided at the latest whether a newcomer is a track of its own, of those where it is not.
    var resolvingDue: [TransmitterSlot: Instant] = [:]
    /// Those off the list, the longest gone first; the first to give way when the table is full.
    var gone = SlotList()
    /// Those on the list that no region wants, the oldest first; the next to give way.
    var unwanted = SlotList()
    var lastTrack: TrackID = 0
    /// When nobody was heard.
    var pause = ReceptionPause()

    /// Tracks counted so far: provisional ones that were taken over are not among them.
    public internal(set) var trackCount: UInt64 = 0
    /// Newcomers refused because `max_transmitters` were listed already.
    public internal(set) var refusedCount: UInt64 = 0
    /// What was new since `beginNewcomerWindow`.
    public internal(set) var newcomers = NewcomerCounts()
    var refusedNewcomers = DistinctNumbers()

    public init(_ settings: TrackerSettings, distance: DistanceSettings) {
        self.settings = settings
        self.smoothing = SignalSmoothing(settings)
        self.distanceWindows = SlidingWindows(smoothing.distance)
        self.regionWindows = SlidingWindows(smoothing.region)
        self.table = TransmitterTable(capacity: settings.maxTransmitters)
        // One each, as a rule. It is set aside for the same reason as the table.
        timers.reserveCapacity(settings.maxTransmitters)
        self.estimator = DistanceEstimator(distance)
        self.classifier = ProximityClassifier(distance)
        self.resolver = AddressResolver(settings.devices)
    }

    /// The transmitter in a slot that `receive` or `listed` returned and that is not forgotten since.
    public subscript(slot: TransmitterSlot) -> Transmitter { table.transmitters[slot] }

    /// The identity of the transmitter in a slot.
    public func identitySlot(of slot: TransmitterSlot) -> IdentitySlot { table.transmitters[slot].identitySlot }

    /// How many transmitters are kept at most.
    public var maxTransmitters: Int { settings.maxTransmitters }

    /// How many transmitters are remembered.
    public var transmitterCount: Int { table.count }

    /// The identity in a slot; `nil` once it is forgotten.
    public func identity(in slot: IdentitySlot) -> BeaconIdentity? { table.value(of: slot) }

    /// The listed transmitters of an identity, in no particular order.
    public func listed(_ identitySlot: IdentitySlot) -> [TransmitterSlot] {
        table.listedSlots(of: identitySlot)
    }

    /// The only transmitter of an identity, listed or not; `nil` where it has several.
    public func only(_ identitySlot: IdentitySlot) -> TransmitterSlot? {
        guard let first = table.identities[identitySlot].first else { return nil }
        return table.transmitters[first].isOnlyOfIdentity ? first : nil
    }

    /// Something was heard, of whatever device: the radio is not deaf.
    public mutating func heardAnything(at now: Instant) { pause.heard(at: now) }

    /// Takes a sighting in.
    ///
    /// - Parameters:
    ///   - isWanted: whether a region is interested in the identity; asked for new transmitters only.
    ///   - now: not before the time of an earlier call.
    /// - Returns: where its transmitter stands; `nil` where the table is full and it was refused.
    public mutating func receive(
        _ sighting: Sighting, at now: Instant, isWanted: (BeaconIdentity) -> Bool, changes: inout [TrackerChange]
    ) -> TransmitterSlot? {
        pause.heard(at: now)
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
        return appeared(sighting, device: device, isWanted: isWanted(sighting.identity), at: now, changes: &changes)
    }

    /// A transmitter that was never heard before.
    private mutating func appeared(
        _ sighting: Sighting, device: Int?, isWanted: Bool, at now: Instant, changes: inout [TrackerChange]
    ) -> TransmitterSlot? {
        if table.count >= settings.maxTransmitters, !makeRoom(forWanted: isWanted, changes: &changes) {
            refusedCount += 1
            countRefused(sighting)
            return nil
        }
        let identitySlot = table.identitySlot(sighting.identity)
        let isNewIdentity = table.identities[identitySlot].first == nil
        if isNewIdentity { changes.append(.identityAppeared(identitySlot)) }
        let newcomer = Transmitter(
            sighting, device: device, track: newTrack(), isWanted: isWanted, identitySlot: identitySlot,
            at: now)
        let slot = table.insert(newcomer, traits: sighting.traits)
        distanceWindows.begin(slot)
        regionWindows.begin(slot)
        if !isWanted { unwanted.append(slot, in: &table.transmitters) }
        smooth(slot, sighting, at: now)
        watchSilence(of: slot)
        resolveNewcomer(slot, at: now)
        countNewcomer(slot, isNewIdentity: isNewIdentity)
        changes.append(.listChanged(identitySlot))
        return slot
    }

    /// A transmitter that is remembered is heard.
    private mutating func heardAgain(
        _ slot: TransmitterSlot, _ sighting: Sighting, at now: Instant, changes: inout [TrackerChange]
    ) {
        let before = table.transmitters[slot].presence
        let previously = table.transmitters[slot].lastHeard
        // A gap in which nobody was heard says nothing of how often this one sends.
        if pause.overlap(previously, now) == .zero { table.transmitters[slot].interval.add(gap: now - previously) }
        table.transmitters[slot].lastHeard = now
        table.transmitters[slot].measuredPower_dbm = sighting.measuredPower_dbm
        if before != .heard { returned(slot, from: before, at: now, changes: &changes) }
        smooth(slot, sighting, at: now)
        watchSilenceSooner(of: slot)
        proveAlive(slot, since: previously, at: now, changes: &changes)
    }

    private mutating func smooth(_ slot: TransmitterSlot, _ sighting: Sighting, at now: Instant) {
        guard let rssi_dbm = sighting.rssi_dbm.flatMap(SignalLevel.held) else { return }
        if let trace = table.transmitters[slot].trace {
            let times = table.transmitters[slot].signal.times
            table.traces.add(rssi_dbm, at: now, previous: times.isEmpty ? nil : times.latest, to: trace)
        }
        smoothing.add(rssi_dbm, at: now, to: &table.transmitters[slot].signal)
        distanceWindows.add(rssi_dbm, at: now, to: slot, level: &table.transmitters[slot].signal.distance)
        regionWindows.add(rssi_dbm, at: now, to: slot, level: &table.transmitters[slot].signal.region)
    }

    /// The transmitter of a known device under one identity, whatever its address was.
    private func slot(of device: Int, _ identity: BeaconIdentity) -> TransmitterSlot? {
        guard let identitySlot = table.existingIdentitySlot(identity) else { return nil }
        return table.slots(of: identitySlot).first { table.transmitters[$0].device == device }
    }

    mutating func newTrack() -> TrackID {
        lastTrack += 1
        return lastTrack
    }
}
