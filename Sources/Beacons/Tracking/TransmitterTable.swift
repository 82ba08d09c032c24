import HCI

/// Holds the transmitters, finds them by identity and address, and those of one identity one after the other.
///
/// A slot is stable while its transmitter is remembered and is handed out again later, so nothing grows beyond the most
/// transmitters that were ever there at once. Slots never come from outside.
struct TransmitterTable: Sendable {
    /// What is known of an identity beside its transmitters, which are linked through `Transmitter.nextOfIdentity`.
    ///
    /// Its value stands in each of them.
    struct Identity: Sendable {
        /// Where their list begins and ends: those that are listed before those that are only remembered. `nil` in a free
        /// slot, and in a new one until it has its first.
        @CompactSlot var first: TransmitterSlot? = nil
        @CompactSlot var last: TransmitterSlot? = nil
        /// How many of them are listed.
        var listedCount: Int32 = 0
        /// How many of them are resolving: while this is zero, rotation costs nothing.
        var resolvingCount: Int32 = 0
    }

    /// What is known of those that are resolving.
    struct Newcomers: Sendable {
        /// When the youngest was first heard.
        var latest: Instant
        /// When they were weighed last where they are many.
        var weighedAt: Instant?
    }

    /// Indexed by slot. What stands in a free slot is stale.
    var transmitters: [Transmitter] = []
    /// Indexed by identity slot, likewise.
    var identities: [Identity] = []
    /// Of the identities that have transmitters that are resolving.
    var newcomers: [IdentitySlot: Newcomers] = [:]
    /// What rotations are told by.
    var traces = RotationTraces()

    /// How many transmitters are heard now, as opposed to silent.
    private(set) var heardCount = 0

    private let hash = TransmitterHash()
    private var index = SlotIndex()
    private var freeSlots: [TransmitterSlot] = []
    private var identityIndex = SlotIndex()
    private var freeIdentitySlots: [IdentitySlot] = []

    /// - Parameter capacity: the most transmitters there will be. Room for them is set aside at once: the system backs it
    ///   with memory where it is used first, and an array that grew would hold itself twice while it moves.
    init(capacity: Int) {
        transmitters.reserveCapacity(capacity)
        identities.reserveCapacity(capacity)
    }

    var count: Int { index.count }

    /// In no particular order.
    var usedSlots: some Sequence<TransmitterSlot> { index.slots }

    func slot(_ identity: BeaconIdentity, _ address: DeviceAddress) -> TransmitterSlot? {
        index.slot(hash(identity, address)) {
            transmitters[$0].address == address && transmitters[$0].identity == identity
        }
    }

    func existingIdentitySlot(_ identity: BeaconIdentity) -> IdentitySlot? {
        identityIndex.slot(hash(identity)) { value(of: $0) == identity }
    }

    /// Which identity it is; `nil` for one that is forgotten.
    func value(of slot: IdentitySlot) -> BeaconIdentity? { identities[slot].first.map { transmitters[$0].identity } }

    /// The hash of what stands in a slot. It holds on to the transmitters, so it must be gone before they change.
    private var hashOfTransmitter: (TransmitterSlot) -> UInt64 {
        { [hash, transmitters] in hash(transmitters[$0].identity, transmitters[$0].address) }
    }

    private var hashOfIdentity: (IdentitySlot) -> UInt64 {
        { [hash, identities, transmitters] in
            identities[$0].first.map { hash(transmitters[$0].identity) } ?? 0
        }
    }

    /// The slot of an identity, new where it has no transmitter yet.
    mutating func identitySlot(_ identity: BeaconIdentity) -> IdentitySlot {
        if let known = existingIdentitySlot(identity) { return known }
        let slot: IdentitySlot
        if let free = freeIdentitySlots.popLast() {
            slot = free
            identities[slot] = Identity()
        } else {
            slot = identities.count
            identities.append(Identity())
        }
        identityIndex.insert(slot, hash(identity), hashOf: hashOfIdentity)
        return slot
    }

    /// - Parameter traits: what its advertisement looks like, where it may have rotated.
    mutating func insert(_ transmitter: Transmitter, traits: AdvertisingTraits) -> TransmitterSlot {
        let slot: TransmitterSlot
        if let free = freeSlots.popLast() {
            slot = free
            transmitters[slot] = transmitter
        } else {
            slot = transmitters.count
            transmitters.append(transmitter)
        }
        if transmitter.mayHaveRotated { transmitters[slot].trace = traces.insert(RotationTrace(traits: traits)) }
        linkFirst(slot)
        heardCount += 1
        identities[transmitter.identitySlot].listedCount += 1
        index.insert(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        return slot
    }

    mutating func setPresence(_ slot: TransmitterSlot, _ presence: Transmitter.Presence) {
        let wasListed = transmitters[slot].isListed
        if transmitters[slot].presence == .heard { heardCount -= 1 }
        if presence == .heard { heardCount += 1 }
        transmitters[slot].presence = presence
        let isListed = presence != .gone
        if isListed == wasListed { return }
        unlink(slot)
        if isListed { linkFirst(slot) } else { linkLast(slot) }
        identities[transmitters[slot].identitySlot].listedCount += isListed ? 1 : -1
    }

    /// - Returns: the identity's slot, where this was its last transmitter and it is forgotten as well.
    mutating func remove(_ slot: TransmitterSlot) -> IdentitySlot? {
        let gone = transmitters[slot]
        if gone.presence == .heard { heardCount -= 1 }
        index.remove(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        unlink(slot)
        if gone.isListed { identities[gone.identitySlot].listedCount -= 1 }
        if let trace = gone.trace { traces.remove(trace) }
        freeSlots.append(slot)
        guard identities[gone.identitySlot].first == nil else { return nil }
        identityIndex.remove(gone.identitySlot, hash(gone.identity), hashOf: hashOfIdentity)
        freeIdentitySlots.append(gone.identitySlot)
        return gone.identitySlot
    }

    /// A known device has a new address: the same transmitter is found under it from now on.
    mutating func readdress(_ slot: TransmitterSlot, _ address: DeviceAddress) {
        index.remove(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        transmitters[slot].address = address
        index.insert(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
    }
}
