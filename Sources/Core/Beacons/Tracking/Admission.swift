/// How much regions want an identity. In a full table a transmitter makes room for one of an identity that is wanted more.
enum RegionInterest: UInt8, Comparable, Sendable {
    /// No region has such beacons.
    case none
    /// A region has such beacons, and no instance of its own for this one.
    case wanted
    /// An instance of an expanded region exists for it: this beacon was inside before.
    case known

    static func < (left: RegionInterest, right: RegionInterest) -> Bool { left.rawValue < right.rawValue }
}

/// The rules of a full table: which transmitter makes room, and how many found no place.
///
/// Those off the list make room first, the longest gone before the others. For a transmitter that a region wants, the oldest
/// unwanted one does. For one that has an instance of its own, the oldest one without does: a flood of new identities keeps no
/// known beacon out.
struct Admission: Sendable {
    /// Those off the list, the longest gone first.
    private var gone = SlotList()
    /// Those on the list that no region wants, the oldest first.
    private var unwanted = SlotList()
    /// Those on the list that a region wants without an instance of their own, the oldest first.
    private var wanted = SlotList()
    /// Newcomers refused so far.
    private(set) var refusedCount: UInt64 = 0

    /// The transmitter that makes room for a newcomer; `nil` where the newcomer has to be refused.
    func next(for interest: RegionInterest) -> TransmitterSlot? {
        if let first = gone.first { return first }
        switch interest {
        case .none: return nil
        case .wanted: return unwanted.first
        case .known: return unwanted.first ?? wanted.first
        }
    }

    /// No transmitter makes room for a newcomer.
    mutating func refused() { refusedCount += 1 }

    /// A transmitter is new on the list, or back on it.
    mutating func listed(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        switch table.transmitters[slot].interest {
        case .none: unwanted.append(slot, to: .givingWay, in: &table.transmitters)
        case .wanted: wanted.append(slot, to: .givingWay, in: &table.transmitters)
        case .known: break
        }
    }

    /// A transmitter has left the list.
    mutating func left(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        unlist(slot, in: &table)
        gone.append(slot, to: .givingWay, in: &table.transmitters)
    }

    /// A transmitter that had left the list is heard again.
    mutating func returned(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        gone.remove(slot, from: .givingWay, in: &table.transmitters)
        listed(slot, in: &table)
    }

    /// A transmitter is forgotten, whatever it was.
    mutating func forget(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if table.transmitters[slot].isListed {
            unlist(slot, in: &table)
        } else {
            gone.remove(slot, from: .givingWay, in: &table.transmitters)
        }
    }

    /// Regions want a transmitter more than before, or less.
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

    /// Those that have left the list, and those on it by how much regions want them, each in the order in which they make room.
    func givingWay(
        in table: TransmitterTable
    ) -> (gone: [TransmitterSlot], unwanted: [TransmitterSlot], wanted: [TransmitterSlot]) {
        (
            gone.slots(of: .givingWay, in: table.transmitters), unwanted.slots(of: .givingWay, in: table.transmitters),
            wanted.slots(of: .givingWay, in: table.transmitters)
        )
    }
}
