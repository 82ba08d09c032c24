/// The table of transmitters, with an index by identity and address, and a list for each identity.
struct TransmitterTable: Sendable {
    /// The state of an identity. Its value is in each of its transmitters.
    struct Identity: Sendable {
        /// The transmitters, the listed ones in front. So queries of listed ones skip the remembered ones, of which a
        /// flood may leave thousands. Empty in a free slot, and in a new one until its first transmitter.
        fileprivate(set) var members = SlotList()
        fileprivate(set) var listedCount: Int32 = 0
        /// The number of resolving transmitters, counted by `ResolvingNewcomers`. While this is zero, rotation costs
        /// nothing.
        var resolvingCount: Int32 = 0

        /// True if it has more transmitters than any real identity: an attacker is making addresses up.
        var isFlooded: Bool { listedCount > TransmitterTable.maxListedOfIdentity }
    }

    private static let maxListedOfIdentity = 256

    var transmitters = SlotTable<TransmitterSlot, Transmitter>()
    var identities = SlotTable<IdentitySlot, Identity>()

    /// The number of transmitters that are heard now, not silent.
    private(set) var heardCount = 0

    private let hash = TransmitterHash()
    private var index = SlotIndex<TransmitterSlot>()
    private var identityIndex = SlotIndex<IdentitySlot>()
    /// The index by address alone; `nil` where no caller looks for addresses.
    private var addressIndex: SlotIndex<TransmitterSlot>?

    /// - Parameters:
    ///   - capacity: the most transmitters. Their memory is reserved at once: the system provides it on first use. A
    ///     growing array would exist twice while it moves.
    ///   - findsAddresses: whether `slots(at:)` finds transmitters.
    init(capacity: Int, findsAddresses: Bool = false) {
        if findsAddresses { addressIndex = SlotIndex() }
        transmitters.reserveCapacity(capacity)
        identities.reserveCapacity(capacity)
    }

    var count: Int { index.count }

    /// The slots in use, in no particular order.
    var usedSlots: some Sequence<TransmitterSlot> { index.slots }

    func slot(_ identity: BeaconIdentity, _ address: DeviceAddress) -> TransmitterSlot? {
        index.slot(hash(identity, address)) {
            transmitters[$0].address == address && transmitters[$0].identity == identity
        }
    }

    func slots(at address: DeviceAddress) -> [TransmitterSlot] {
        var found: [TransmitterSlot] = []
        _ = addressIndex?.slot(hash(address)) { slot in
            if transmitters[slot].address == address { found.append(slot) }
            return false
        }
        return found
    }

    private mutating func index(_ slot: TransmitterSlot, at address: DeviceAddress) {
        if addressIndex == nil { return }
        let hashOf = hashOfAddress
        addressIndex?.insert(slot, hash(address), hashOf: hashOf)
    }

    private mutating func unindex(_ slot: TransmitterSlot, at address: DeviceAddress) {
        if addressIndex == nil { return }
        let hashOf = hashOfAddress
        addressIndex?.remove(slot, hash(address), hashOf: hashOf)
    }

    private var hashOfAddress: (TransmitterSlot) -> UInt64 {
        { [hash, transmitters] in hash(transmitters[$0].address) }
    }

    func existingIdentitySlot(_ identity: BeaconIdentity) -> IdentitySlot? {
        identityIndex.slot(hash(identity)) { value(of: $0) == identity }
    }

    /// Returns the identity in a slot; `nil` for a forgotten one.
    func value(of slot: IdentitySlot) -> BeaconIdentity? {
        identities[slot].members.first.map { transmitters[$0].identity }
    }

    /// Returns the hash of the transmitter in a slot. The closure retains the transmitters, so it must be released
    /// before they change.
    private var hashOfTransmitter: (TransmitterSlot) -> UInt64 {
        { [hash, transmitters] in hash(transmitters[$0].identity, transmitters[$0].address) }
    }

    private var hashOfIdentity: (IdentitySlot) -> UInt64 {
        { [hash, identities, transmitters] in
            identities[$0].members.first.map { hash(transmitters[$0].identity) } ?? 0
        }
    }

    /// Returns the slot of an identity, a new one where it has no transmitter yet.
    mutating func identitySlot(_ identity: BeaconIdentity) -> IdentitySlot {
        if let known = existingIdentitySlot(identity) { return known }
        let slot = identities.insert(Identity())
        identityIndex.insert(slot, hash(identity), hashOf: hashOfIdentity)
        return slot
    }

    func slots(of identity: IdentitySlot) -> [TransmitterSlot] {
        identities[identity].members.slots(of: .ofIdentity, in: transmitters)
    }

    func listedSlots(of identity: IdentitySlot) -> [TransmitterSlot] {
        identities[identity].members.slots(of: .ofIdentity, in: transmitters, while: { $0.isListed })
    }

    /// Returns whether one transmitter may have become another, by their times.
    func mayHaveBeen(_ former: TransmitterSlot, _ newcomer: TransmitterSlot) -> Bool {
        transmitters[former].trackState == .settled && transmitters[former].mayHaveRotated
            && transmitters[former].lastHeard <= transmitters[newcomer].firstHeard
    }

    mutating func insert(_ transmitter: Transmitter) -> TransmitterSlot {
        let slot = transmitters.insert(transmitter)
        identities[transmitter.identitySlot].members.prepend(slot, to: .ofIdentity, in: &transmitters)
        heardCount += 1
        identities[transmitter.identitySlot].listedCount += 1
        index.insert(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        index(slot, at: transmitter.address)
        return slot
    }

    mutating func setPresence(_ slot: TransmitterSlot, _ presence: Transmitter.Presence) {
        let wasListed = transmitters[slot].isListed
        if transmitters[slot].presence == .heard { heardCount -= 1 }
        if presence == .heard { heardCount += 1 }
        transmitters[slot].presence = presence
        let isListed = presence != .gone
        if isListed == wasListed { return }
        // Listed transmitters are in front.
        let identity = transmitters[slot].identitySlot
        identities[identity].members.remove(slot, from: .ofIdentity, in: &transmitters)
        if isListed {
            identities[identity].members.prepend(slot, to: .ofIdentity, in: &transmitters)
        } else {
            identities[identity].members.append(slot, to: .ofIdentity, in: &transmitters)
        }
        identities[identity].listedCount += isListed ? 1 : -1
    }

    /// - Returns: the identity's slot where this was its last transmitter, so that the identity is forgotten too.
    mutating func remove(_ slot: TransmitterSlot) -> IdentitySlot? {
        let gone = transmitters[slot]
        if gone.presence == .heard { heardCount -= 1 }
        index.remove(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        unindex(slot, at: gone.address)
        identities[gone.identitySlot].members.remove(slot, from: .ofIdentity, in: &transmitters)
        if gone.isListed { identities[gone.identitySlot].listedCount -= 1 }
        transmitters.remove(slot)
        transmitters[slot].removeIdentity()
        guard identities[gone.identitySlot].members.first == nil else { return nil }
        assert(identities[gone.identitySlot].listedCount == 0 && identities[gone.identitySlot].resolvingCount == 0)
        identityIndex.remove(gone.identitySlot, hash(gone.identity), hashOf: hashOfIdentity)
        identities.remove(gone.identitySlot)
        return gone.identitySlot
    }

    /// Moves the index entry of a known device to its new address.
    mutating func readdress(_ slot: TransmitterSlot, _ address: DeviceAddress) {
        index.remove(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        unindex(slot, at: transmitters[slot].address)
        transmitters[slot].address = address
        index.insert(slot, hashOfTransmitter(slot), hashOf: hashOfTransmitter)
        index(slot, at: address)
    }

    /// Returns what is wrong between transmitters, identities and their indices; for tests.
    func checkInvariants() -> [String] {
        let used = Set(usedSlots)
        guard transmitters.isSound, identities.isSound else { return ["a slot is free twice"] }
        guard used.count == count, count == transmitters.count, used.isDisjoint(with: transmitters.freeSlots) else {
            return ["slots are in use that are free"]
        }
        var broken: [String] = []
        func check(_ holds: Bool, _ rule: String) { if !holds { broken.append(rule) } }
        for slot in used {
            let (identity, address) = (transmitters[slot].identity, transmitters[slot].address)
            check(self.slot(identity, address) == slot, "a transmitter is not found under its address")
            check(addressIndex == nil || slots(at: address).contains(slot), "an address alone does not find it")
        }
        check(used.count { transmitters[$0].presence == .heard } == heardCount, "others are heard than counted")
        var members = 0
        for identity in Set(identities.slots).subtracting(identities.freeSlots) {
            members += slots(of: identity).count
            broken += checkInvariants(of: identity, used)
        }
        check(members == count, "a transmitter belongs to no identity")
        return broken
    }

    private func checkInvariants(of identity: IdentitySlot, _ used: Set<TransmitterSlot>) -> [String] {
        let members = slots(of: identity)
        let listed = members.filter { transmitters[$0].isListed }
        guard let value = value(of: identity), existingIdentitySlot(value) == identity,
            members.allSatisfy({ used.contains($0) && transmitters[$0].identitySlot == identity }),
            members.allSatisfy({ transmitters[$0].identity == value })
        else { return ["a transmitter belongs to another identity"] }
        var broken: [String] = []
        if listedSlots(of: identity) != listed || Int(identities[identity].listedCount) != listed.count {
            broken.append("listed transmitters of \(value) are not in front, or not counted")
        }
        let resolving = members.count { transmitters[$0].trackState == .resolving }
        if Int(identities[identity].resolvingCount) != resolving {
            broken.append("others of \(value) are resolving than counted")
        }
        return broken
    }
}

/// Hashes of identities and addresses for `SlotIndex`: two wide multiplications. `Hasher`, made for keys of any length,
/// takes 200 instructions.
///
/// The keys come off the air, so an attacker might choose colliding ones. The secrets are drawn by `Hasher` in this
/// process, and no output depends on them.
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
        return Self.fold(Self.fold(identity.uuid.high ^ secrets.0, identity.uuid.low ^ secrets.1) ^ numbers, secrets.2)
    }

    func callAsFunction(_ identity: BeaconIdentity, _ address: DeviceAddress) -> UInt64 {
        Self.fold(self(identity) ^ (address.bits << 8 | UInt64(address.type.rawValue)), secrets.0)
    }

    func callAsFunction(_ address: DeviceAddress) -> UInt64 {
        Self.fold(address.bits << 8 | UInt64(address.type.rawValue), secrets.1)
    }

    /// Combines the two halves of the product, so that every bit depends on every bit of both factors.
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
