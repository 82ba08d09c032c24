/// The interest of regions in an identity. In a full table, a transmitter gives way to one with a higher interest.
enum RegionInterest: UInt8, Comparable, Sendable {
    /// No region contains such beacons.
    case none
    /// A region contains such beacons, without an instance for this one.
    case wanted
    /// An instance of an expanded region exists: this beacon was inside before.
    case known

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
    /// The newcomers refused so far.
    private(set) var refusedCount: UInt64 = 0

    /// Returns the transmitter that gives way to a newcomer; `nil` where the newcomer has to be refused.
    func next(for interest: RegionInterest) -> TransmitterSlot? {
        if let first = gone.first { return first }
        switch interest {
        case .none: return nil
        case .wanted: return unwanted.first
        case .known: return unwanted.first ?? wanted.first
        }
    }

    /// Counts a newcomer for which no transmitter gives way.
    mutating func refused() { refusedCount += 1 }

    /// Takes a transmitter that is new on the list, or back on it.
    mutating func listed(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        switch table.transmitters[slot].interest {
        case .none: unwanted.append(slot, to: .givingWay, in: &table.transmitters)
        case .wanted: wanted.append(slot, to: .givingWay, in: &table.transmitters)
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

    /// Forgets a transmitter in any state.
    mutating func forget(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].isListed {
            unlist(slot, in: &table)
        } else {
            gone.remove(slot, from: .givingWay, in: &table.transmitters)
        }
    }

    /// Changes the regions' interest in a transmitter.
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
        case .wanted: wanted.remove(slot, from: .givingWay, in: &table.transmitters)
        case .known: break
        }
    }

    /// Returns the transmitters off the list, and the listed ones by interest, each in the order of giving way.
    func givingWay(
        in table: TransmitterTable
    ) -> (gone: [TransmitterSlot], unwanted: [TransmitterSlot], wanted: [TransmitterSlot]) {
        (
            gone.slots(of: .givingWay, in: table.transmitters), unwanted.slots(of: .givingWay, in: table.transmitters),
            wanted.slots(of: .givingWay, in: table.transmitters)
        )
    }
}
