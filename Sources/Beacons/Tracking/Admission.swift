/// The rules of a full table: who gives way, and how many found no place.
///
/// Those off the list give way first, the longest gone before the others, then, for a transmitter that a region wants, the
/// oldest one that none does. What is tracked for a region stays.
struct Admission: Sendable {
    /// Those off the list, the longest gone first.
    private var gone = SlotList()
    /// Those on the list that no region wants, the oldest first.
    private var unwanted = SlotList()
    /// Newcomers refused so far.
    private(set) var refusedCount: UInt64 = 0

    /// Who gives way next to a newcomer; `nil` where it has to be refused.
    func next(forWanted isWanted: Bool) -> TransmitterSlot? { gone.first ?? (isWanted ? unwanted.first : nil) }

    /// Nobody gives way to a newcomer.
    mutating func refused() { refusedCount += 1 }

    /// A transmitter is new on the list, or back on it.
    mutating func listed(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if !table.transmitters[slot].isWanted { unwanted.append(slot, to: .givingWay, in: &table.transmitters) }
    }

    /// A transmitter has left the list.
    mutating func left(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if !table.transmitters[slot].isWanted { unwanted.remove(slot, from: .givingWay, in: &table.transmitters) }
        gone.append(slot, to: .givingWay, in: &table.transmitters)
    }

    /// A transmitter that had left the list is heard again.
    mutating func returned(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        gone.remove(slot, from: .givingWay, in: &table.transmitters)
        listed(slot, in: &table)
    }

    /// A transmitter is forgotten, whatever it was.
    mutating func forget(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        if !table.transmitters[slot].isListed {
            gone.remove(slot, from: .givingWay, in: &table.transmitters)
        } else if !table.transmitters[slot].isWanted {
            unwanted.remove(slot, from: .givingWay, in: &table.transmitters)
        }
    }

    /// A region became interested in a transmitter, or the last one lost its interest.
    mutating func setWanted(_ isWanted: Bool, _ slot: TransmitterSlot, in table: inout TransmitterTable) {
        guard table.transmitters[slot].isWanted != isWanted else { return }
        table.transmitters[slot].isWanted = isWanted
        guard table.transmitters[slot].isListed else { return }
        if isWanted {
            unwanted.remove(slot, from: .givingWay, in: &table.transmitters)
        } else {
            unwanted.append(slot, to: .givingWay, in: &table.transmitters)
        }
    }

    /// Those that have left the list, and those on it that no region wants, each in the order in which they give way.
    func givingWay(in table: TransmitterTable) -> (gone: [TransmitterSlot], unwanted: [TransmitterSlot]) {
        (gone.slots(of: .givingWay, in: table.transmitters), unwanted.slots(of: .givingWay, in: table.transmitters))
    }
}
