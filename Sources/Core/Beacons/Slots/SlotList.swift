/// Where a transmitter stands in a `SlotList`.
struct SlotLink: Sendable {
    @CompactSlot var previous: TransmitterSlot? = nil
    @CompactSlot var next: TransmitterSlot? = nil
}

/// The transmitters, each with its links.
typealias Transmitters = SlotTable<TransmitterSlot, Transmitter>

/// A list of transmitters, linked through the transmitters themselves, so that one is taken out anywhere without a search and
/// without an allocation.
package struct SlotList: Sendable {
    /// Which list. A transmitter is in one list of each kind at most.
    package enum Kind: Sendable {
        /// Those that give way when the table is full, in one order or another: `Admission`.
        case givingWay
        /// The transmitters of one identity: `TransmitterTable`.
        case ofIdentity
    }

    @CompactSlot private(set) var first: TransmitterSlot? = nil
    @CompactSlot private(set) var last: TransmitterSlot? = nil

    mutating func prepend(_ slot: TransmitterSlot, to kind: Kind, in table: inout Transmitters) {
        table[slot][kind].previous = nil
        table[slot][kind].next = first
        if let first { table[first][kind].previous = slot } else { last = slot }
        first = slot
    }

    mutating func append(_ slot: TransmitterSlot, to kind: Kind, in table: inout Transmitters) {
        table[slot][kind].previous = last
        table[slot][kind].next = nil
        if let last { table[last][kind].next = slot } else { first = slot }
        last = slot
    }

    mutating func remove(_ slot: TransmitterSlot, from kind: Kind, in table: inout Transmitters) {
        let link = table[slot][kind]
        assert(link.previous.map { table[$0][kind].next == slot } ?? (first == slot), "not in this list")
        if let previous = link.previous { table[previous][kind].next = link.next } else { first = link.next }
        if let next = link.next { table[next][kind].previous = link.previous } else { last = link.previous }
    }

    /// The slots from the first on, for as long as `goesOn` holds.
    func slots(
        of kind: Kind, in table: Transmitters, while goesOn: (Transmitter) -> Bool = { _ in true }
    ) -> [TransmitterSlot] {
        var slots: [TransmitterSlot] = []
        var next = first
        while let slot = next, goesOn(table[slot]) {
            slots.append(slot)
            next = table[slot][kind].next
        }
        return slots
    }
}
