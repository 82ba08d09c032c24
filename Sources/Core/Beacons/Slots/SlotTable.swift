/// Where an element stands in a `SlotTable`. Each table has a type of its own, so that no slot is looked up in another's.
///
/// It takes four octets: there may be 100,000 transmitters, and each names eight slots.
protocol SlotNumber: Hashable, Sendable {
    /// From 0 on. The highest three numbers are never those of a slot: they stand for none, and for states without one.
    var number: UInt32 { get }
    init(number: UInt32)
}

extension SlotNumber {
    /// The slot as an index of an array that has one element for each slot.
    var index: Int { Int(number) }

    init(index: Int) { self.init(number: UInt32(clamping: index)) }
}

/// A slot or none in four octets, where an optional slot takes eight.
@propertyWrapper
struct CompactSlot<Slot: SlotNumber>: Sendable {
    private var number = UInt32.max

    var wrappedValue: Slot? {
        get { number == .max ? nil : Slot(number: number) }
        set { number = newValue?.number ?? .max }
    }

    init(wrappedValue: Slot?) {
        self.wrappedValue = wrappedValue
    }
}

/// Elements that each have a slot of their own, which stays the same for as long as the element is there.
///
/// The slot of one that is removed is handed out again, the latest first. So the table never grows beyond the most elements
/// that were ever there at once, and whoever keeps a slot has to find out by other means whether the element is still the
/// same. Slots never come from outside: one that this table did not hand out is a mistake of the program.
struct SlotTable<Slot: SlotNumber, Element: Sendable>: Sendable {
    var elements: [Element] = []
    var free: [Slot] = []

    init() {}

    /// Sets memory aside for so many elements.
    mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    /// How many elements there are.
    package var count: Int { elements.count - free.count }

    /// How many slots there are, free ones among them.
    var slotCount: Int { elements.count }

    /// All slots, free ones among them.
    var slots: some RandomAccessCollection<Slot> { elements.indices.lazy.map { Slot(index: $0) } }

    /// What stands in a slot; in a free one, what stood there last. It is changed where it stands.
    subscript(slot: Slot) -> Element {
        get { elements[slot.index] }
        _modify { yield &elements[slot.index] }
    }

    mutating func insert(_ element: Element) -> Slot {
        if let slot = free.popLast() {
            elements[slot.index] = element
            return slot
        }
        elements.append(element)
        return Slot(index: elements.count - 1)
    }

    /// - Parameter slot: one that is not free.
    mutating func remove(_ slot: Slot) {
        assert(free.count < elements.count, "there is nothing to remove")
        free.append(slot)
    }

    /// The slots that stand for nothing now. For checks: it makes a set of them.
    var freeSlots: Set<Slot> { Set(free) }

    /// Whether no slot is free twice, and all of them are slots of this table. For checks.
    var isSound: Bool {
        freeSlots.count == free.count && free.allSatisfy { elements.indices.contains($0.index) }
    }
}

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
