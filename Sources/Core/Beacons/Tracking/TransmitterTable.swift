/// Holds the transmitters, finds them by identity and address, and those of one identity one after the other.
struct TransmitterTable: Sendable {
    /// What is known of an identity beside its transmitters. Its value stands in each of them.
    struct Identity: Sendable {
        /// Its transmitters, those that are listed before those that are only remembered, so that what is asked of the former
        /// passes over none of the latter, of which a flood may leave thousands. Empty in a free slot, and in a new one until
        /// it has its first.
        fileprivate(set) var members = SlotList()
        /// How many of them are listed.
        fileprivate(set) var listedCount: Int32 = 0
        /// How many of them are resolving: while this is zero, rotation costs nothing. `ResolvingNewcomers` counts them.
        var resolvingCount: Int32 = 0

        /// More transmitters than any real identity has: somebody is making addresses up.
        var isFlooded: Bool { listedCount > TransmitterTable.maxListedOfIdentity }
    }

    /// More transmitters than this carry one identity only where somebody is making addresses up.
    private static let maxListedOfIdentity = 256

    var transmitters = SlotTable<TransmitterSlot, Transmitter>()
    var identities = SlotTable<IdentitySlot, Identity>()

    /// How many transmitters are heard now, as opposed to silent.
    private(set) var heardCount = 0

    private let hash = TransmitterHash()
    private var index = SlotIndex<TransmitterSlot>()
    private var identityIndex = SlotIndex<IdentitySlot>()

    /// - Parameter capacity: the most transmitters there will be. Room for them is set aside at once: the system backs it
    ///   with memory where it is used first, and an array that grew would hold itself twice while it moves.
    package init(capacity: Int) {
        transmitters.reserveCapacity(capacity)
        identities.reserveCapacity(capacity)
    }

    package var count: Int { index.count }

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
    package func value(of slot: IdentitySlot) -> BeaconIdentity? {
        identities[slot].members.first.map { transmitters[$0].identity }
    }

    /// The hash of what stands in a slot. It holds on to the transmitters, so it must be gone before they change.
    private var hashOfTransmitter: (TransmitterSlot) -> UInt64 {
        { [hash, transmitters] in hash(transmitters[$0].identity, transmitters[$0].address) }
    }

    private var hashOfIdentity: (IdentitySlot) -> UInt64 {
        { [hash, identities, transmitters] in
            identities[$0].members.first.map { hash(transmitters[$0].identity) } ?? 0
        }
    }

    /// The slot of an identity, new where it has no transmitter yet.
    mutating func identitySlot(_ identity: BeaconIdentity) -> IdentitySlot {
        if let known = existingIdentitySlot(identity) { return known }
        let slot = identities.insert(Identity())
        identityIndex.insert(slot, hash(identity), hashOf: hashOfIdentity)
        return slot
    }

    /// The slots of an identity's transmitters.
    func slots(of identity: IdentitySlot) -> [TransmitterSlot] {
        identities[identity].members.slots(of: .ofIdentity, in: transmitters)
    }

    /// The slots of those that are listed.
    func listedSlots(of identity: IdentitySlot) -> [TransmitterSlot] {
        identities[identity].members.slots(of: .ofIdentity, in: transmitters, while: { $0.isListed })
    }

    /// Whether one transmitter may turn out to have become another, as far as times tell.
    func mayHaveBeen(_ former: TransmitterSlot, _ newcomer: TransmitterSlot) -> Bool {
        transmitters[former].standing == .settled && transmitters[former].mayHaveRotated
            && transmitters[former].lastHeard <= transmitters[newcomer].firstHeard
    }

    mutating func insert(_ transmitter: Transmitter) -> TransmitterSlot {
        let slot = transmitters.insert(transmitter)
        identities[transmitter.identitySlot].members.prepend(slot, to: .ofIdentity, in: &transmitters)
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
        // The listed ones stand in front.
        let identity = transmitters[slot].identitySlot
        identities[identity].members.remove(slot, from: .ofIdentity, in: &transmitters)
        if isListed {
            identities[identity].members.prepend(slot, to: .ofIdentity, in: &transmitters)
        } else {
            identities[identity].members.append(slot, to: .ofIdentity, in: &transmitters)
        }
        identities[identity].listedCount += isListed ? 1 : -1
    }

    /// - Returns: the identity's slot, where this was its last transmitter and it is forgotten as well.
    mutating func remove(_ slot: TransmitterSlot) -> IdentitySlot? {
        let gone = transmitters[slot]
        if gone.presence == .heard { heardCount -= 1 }
        index.remove(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        identities[gone.identitySlot].members.remove(slot, from: .ofIdentity, in: &transmitters)
        if gone.isListed { identities[gone.identitySlot].listedCount -= 1 }
        transmitters.remove(slot)
        guard identities[gone.identitySlot].members.first == nil else { return nil }
        assert(identities[gone.identitySlot].listedCount == 0 && identities[gone.identitySlot].resolvingCount == 0)
        identityIndex.remove(gone.identitySlot, hash(gone.identity), hashOf: hashOfIdentity)
        identities.remove(gone.identitySlot)
        return gone.identitySlot
    }

    /// A known device has a new address: the same transmitter is found under it from now on.
    mutating func readdress(_ slot: TransmitterSlot, _ address: DeviceAddress) {
        index.remove(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        transmitters[slot].address = address
        index.insert(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
    }
}

/// Hashes of identities and addresses for `SlotIndex`: two wide multiplications where `Hasher`, made for keys of any
/// length, takes 200 instructions.
///
/// The keys come off the air, so somebody might choose those that collide. The secrets are this process's own, drawn by
/// `Hasher`, and nothing that leaves it depends on them.
struct TransmitterHash: Sendable {
    private let secrets: (UInt64, UInt64, UInt64)

    init() {
        func draw(_ number: Int) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            // An odd factor loses no bit of the other.
            return UInt64(bitPattern: Int64(hasher.finalize())) | 1
        }
        secrets = (draw(1), draw(2), draw(3))
    }

    func callAsFunction(_ identity: BeaconIdentity) -> UInt64 {
        let numbers = UInt64(identity.major) << 16 | UInt64(identity.minor)
        return Self.fold(
            Self.fold(identity.uuid.high ^ secrets.0, identity.uuid.low ^ secrets.1) ^ numbers, secrets.2)
    }

    func callAsFunction(_ identity: BeaconIdentity, _ address: DeviceAddress) -> UInt64 {
        Self.fold(self(identity) ^ (address.bits << 8 | UInt64(address.type.rawValue)), secrets.0)
    }

    /// The two halves of the product, in one: every bit of it depends on every bit of both.
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
