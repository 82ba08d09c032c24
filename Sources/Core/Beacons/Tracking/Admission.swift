/// The interest of regions in an identity. In a full table, a transmitter gives way to one with a higher interest.
enum RegionInterest: UInt8, Comparable, Sendable {
    /// No region contains such beacons.
    case none
    /// A region of people contains such beacons: they are counted, and no list names them.
    case counted
    /// A region contains such beacons, without an instance for this one.
    case wanted
    /// An instance of an expanded region exists: this beacon was inside before.
    case known

    /// True if lists may name such beacons.
    var isListed: Bool { self > .counted }

    static func < (left: RegionInterest, right: RegionInterest) -> Bool { left.rawValue < right.rawValue }
}

/// The rules of a full table: they choose the transmitter that gives way, and count refused ones.
///
/// Transmitters off the list give way first, the longest gone before the others. For a transmitter that a region wants,
/// the oldest unwanted one gives way. For one with an instance, the oldest one without an instance does. So a flood of
/// new identities keeps no known beacon out.
struct Admission: Sendable {
    /// Transmitters off the list, the longest gone first.
    private var gone = SlotList()
    /// Listed transmitters that no region wants, the oldest first.
    private var unwanted = SlotList()
    /// Listed transmitters that a region wants, without an instance, the oldest first.
    private var wanted = SlotList()
    private(set) var refusedCount: UInt64 = 0

    /// Returns the transmitter that gives way to a newcomer; `nil` where the newcomer has to be refused.
    func next(for interest: RegionInterest) -> TransmitterSlot? {
        if let first = gone.first { return first }
        switch interest {
        case .none: return nil
        case .counted, .wanted: return unwanted.first
        case .known: return unwanted.first ?? wanted.first
        }
    }

    /// Counts a newcomer for which no transmitter gives way.
    mutating func refused() { refusedCount += 1 }

    /// Takes a transmitter that is new on the list, or back on it.
    mutating func listed(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        switch table.transmitters[slot].interest {
        case .none: unwanted.append(slot, to: .givingWay, in: &table.transmitters)
        case .counted, .wanted: wanted.append(slot, to: .givingWay, in: &table.transmitters)
        case .known: break
        }
    }

    /// Takes a transmitter that has left the list.
    mutating func left(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        unlist(slot, in: &table)
        gone.append(slot, to: .givingWay, in: &table.transmitters)
    }

    /// Takes a transmitter that had left the list and is heard again.
    mutating func returned(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        gone.remove(slot, from: .givingWay, in: &table.transmitters)
        listed(slot, in: &table)
    }

    mutating func remove(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].isListed {
            unlist(slot, in: &table)
        } else {
            gone.remove(slot, from: .givingWay, in: &table.transmitters)
        }
    }

    mutating func setInterest(_ interest: RegionInterest, _ slot: TransmitterSlot, in table: inout TransmitterTable) {
        guard table.transmitters[slot].interest != interest else { return }
        let isListed = table.transmitters[slot].isListed
        if isListed { unlist(slot, in: &table) }
        table.transmitters[slot].interest = interest
        if isListed { listed(slot, in: &table) }
    }

    private mutating func unlist(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        switch table.transmitters[slot].interest {
        case .none: unwanted.remove(slot, from: .givingWay, in: &table.transmitters)
        case .counted, .wanted: wanted.remove(slot, from: .givingWay, in: &table.transmitters)
        case .known: break
        }
    }

    /// Returns what is wrong with the transmitters that give way; for tests.
    func checkInvariants(_ table: TransmitterTable) -> [String] {
        let used = Set(table.usedSlots)
        let listed = used.filter { table.transmitters[$0].isListed }
        let lists: [(name: String, list: SlotList, members: Set<TransmitterSlot>)] = [
            ("off the list", gone, used.subtracting(listed)),
            ("unwanted", unwanted, listed.filter { table.transmitters[$0].interest == .none }),
            (
                "wanted without an instance", wanted,
                listed.filter { [.counted, .wanted].contains(table.transmitters[$0].interest) }
            ),
        ]
        return lists.compactMap { name, list, members in
            let slots = list.slots(of: .givingWay, in: table.transmitters)
            if Set(slots).count < slots.count { return "a transmitter is twice among those that are \(name)" }
            return Set(slots) == members ? nil : "others give way as \(name) than are \(name)"
        }
    }
}

/// New entries in the air during one window of time, by the kind of flood that they may be. No rule depends on the
/// counts; they only name a flood.
struct NewcomerCounts: Hashable, Sendable {
    /// Identities that had no transmitter, refused ones included.
    var identities: UInt64 = 0
    /// Addresses of an identity with more transmitters than any real identity has, refused ones included.
    var crowdedAddresses: UInt64 = 0
    /// Addresses that may be rotations of known transmitters.
    var rotations: UInt64 = 0

    init() {}

    var withoutIdentities: NewcomerCounts {
        var others = self
        others.identities = 0
        return others
    }
}

/// Counts newcomers, both admitted and refused, each of them once in a window.
struct NewcomerCounter: Sendable {
    private(set) var counts = NewcomerCounts()
    private var refused = DistinctNumbers()

    /// Resets the counts.
    mutating func beginWindow() {
        counts = NewcomerCounts()
        refused.removeAll()
    }

    /// Counts a new transmitter that was admitted and has its state. One of a region of people does not count.
    mutating func taken(_ slot: TransmitterSlot, isNewIdentity: Bool, in table: inout TransmitterTable) {
        if table.transmitters[slot].interest == .counted { return }
        if isNewIdentity {
            counts.identities &+= 1
        } else if table.identities[table.transmitters[slot].identitySlot].isFlooded {
            counts.crowdedAddresses &+= 1
        } else if table.transmitters[slot].trackState == .resolving {
            counts.rotations &+= 1
        }
    }

    /// Counts a newcomer that was refused. It is refused again with every report.
    mutating func refused(_ sighting: Sighting, in table: inout TransmitterTable) {
        let identity = sighting.identity
        let number = identity.distinctNumber
        guard let known = table.existingIdentitySlot(identity) else {
            if refused.insert(number) { counts.identities &+= 1 }
            return
        }
        guard table.identities[known].isFlooded else { return }
        // The address: 48 bits, and two bits of type.
        let address = sighting.address.bits << 8 | UInt64(sighting.address.type.rawValue)
        if refused.insert(number ^ address &* 0x1656_67B1_9E37_79F9) { counts.crowdedAddresses &+= 1 }
    }
}

/// Counts distinct numbers in bounded memory: each sets one of 2²⁰ bits, so 128 KiB count about a million.
///
/// A refused beacon is not remembered, and is refused again with its next report; only distinct ones count. Two numbers
/// may share a bit, so the count may be too small: by 3 % at 60,000. The mixing is the same in every process, because a
/// replay has to be repeatable. An attacker who chooses numbers that share a bit hides from this count, but is still
/// counted as refused.
struct DistinctNumbers: Sendable {
    private static let bits: UInt64 = 1 << 20
    /// Empty until a number is counted: an ordinary shop refuses no beacon.
    private var words: [UInt64] = []

    init() {}

    /// Inserts a number.
    ///
    /// - Returns: whether it was not there before.
    mutating func insert(_ number: UInt64) -> Bool {
        if words.isEmpty { words = Array(repeating: 0, count: Int(Self.bits / 64)) }
        let bit = Self.mixed(number) % Self.bits
        let (word, mask) = (Int(bit / 64), UInt64(1) << (bit % 64))
        if words[word] & mask != 0 { return false }
        words[word] |= mask
        return true
    }

    mutating func removeAll() { words = [] }

    /// SplitMix64's finisher: each bit depends on every bit of the number.
    private static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

extension BeaconIdentity {
    /// A number for `DistinctNumbers`. Different identities have different numbers.
    var distinctNumber: UInt64 {
        uuid.high ^ uuid.low &* 0x9E37_79B9_7F4A_7C15
            &+ (UInt64(major) << 16 | UInt64(minor)) &* 0xC2B2_AE3D_27D4_EB4F
    }
}
