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

/// Finds slots by a hash of what stands in them: a hash table that holds slots and nothing else.
///
/// Open addressing with linear probing; what is taken out leaves no gap behind, because those after it move up. Where
/// `Dictionary` keeps a copy of every key, here the caller compares with what it has anyway: four octets an entry, not
/// 40, and one line of the cache less for each look-up. Of the hash it keeps 12 bits, so that hardly ever a slot is looked
/// at that is not the one: with 100,000 transmitters none of them is in a cache.
struct SlotIndex<Slot: SlotNumber>: Sendable {
    /// What stands in a place: 12 bits of the hash from the highest bit on, and slot + 1 in 20 bits. Zero is free.
    private struct Entry {
        static var slotBits: Int { 20 }
        let word: UInt32

        static var free: Entry { Entry(word: 0) }

        init(slot: Slot, hash: UInt64) {
            word = Self.tag(of: hash) | (slot.number &+ 1) & ~(.max << Self.slotBits)
        }
        private init(word: UInt32) { self.word = word }

        /// The highest bits of the hash. The lowest say where an entry belongs, so its neighbours share those.
        static func tag(of hash: UInt64) -> UInt32 {
            UInt32(truncatingIfNeeded: hash >> 32) & (.max << slotBits)
        }

        var isFree: Bool { word == 0 }
        var tag: UInt32 { word & (.max << Self.slotBits) }
        /// Of an entry that is not free.
        var slot: Slot { Slot(number: (word & ~(.max << Self.slotBits)) &- 1) }
    }

    /// Its size is a power of two, and never more than seven eighths are taken: a place is looked at for its tag only, so
    /// that a long way costs less than a table of twice the size, which the cache does not hold.
    private var places = [Entry](repeating: .free, count: 16)
    private(set) var count = 0

    private var mask: Int { places.count - 1 }

    /// In no particular order.
    var slots: some Sequence<Slot> { places.lazy.filter { !$0.isFree }.map(\.slot) }

    /// The slot with that hash for which `isWanted` holds.
    func slot(_ hash: UInt64, where isWanted: (Slot) -> Bool) -> Slot? {
        let tag = Entry.tag(of: hash)
        var place = Int(truncatingIfNeeded: hash) & mask
        while !places[place].isFree {
            if places[place].tag == tag, isWanted(places[place].slot) { return places[place].slot }
            place = (place + 1) & mask
        }
        return nil
    }

    /// - Parameters:
    ///   - slot: not in there yet, and less than 2²⁰ − 1, four times what `max_transmitters` may be.
    ///   - hashOf: the hash of what stands in a slot that is in there.
    mutating func insert(_ slot: Slot, _ hash: UInt64, hashOf: (Slot) -> UInt64) {
        if (count + 1) * 8 > places.count * 7 { grow(hashOf) }
        place(slot, hash)
        count += 1
    }

    mutating func remove(_ slot: Slot, _ hash: UInt64, hashOf: (Slot) -> UInt64) {
        var gap = Int(truncatingIfNeeded: hash) & mask
        while places[gap].isFree || places[gap].slot != slot {
            if places[gap].isFree { return }
            gap = (gap + 1) & mask
        }
        count -= 1
        var next = (gap + 1) & mask
        while !places[next].isFree {
            // One that would not be found beyond the gap moves into it, and leaves the next gap.
            let home = Int(truncatingIfNeeded: hashOf(places[next].slot)) & mask
            if (next - home) & mask >= (next - gap) & mask {
                places[gap] = places[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        places[gap] = .free
    }

    private mutating func place(_ slot: Slot, _ hash: UInt64) {
        var place = Int(truncatingIfNeeded: hash) & mask
        while !places[place].isFree { place = (place + 1) & mask }
        places[place] = Entry(slot: slot, hash: hash)
    }

    private mutating func grow(_ hashOf: (Slot) -> UInt64) {
        let old = places
        places = [Entry](repeating: .free, count: old.count * 2)
        for entry in old where !entry.isFree { place(entry.slot, hashOf(entry.slot)) }
    }
}

/// Elements that are found by an id, and that each have a slot of their own for as long as they are there.
///
/// Others name an element by its slot: that takes four octets and one look, where an id is long and has to be hashed. What is said
/// of slots that are handed out again stands at `SlotTable`.
struct IdentifiedSlots<Slot: SlotNumber, ID: Hashable & Sendable, Element: Sendable>: Sendable {
    private var table = SlotTable<Slot, Element>()
    private var slotOfID: [ID: Slot] = [:]

    init() {}

    /// How many elements there are.
    var count: Int { table.count }

    /// How many slots there are, free ones among them.
    var slotCount: Int { table.slotCount }

    /// All slots, free ones among them.
    var slots: some RandomAccessCollection<Slot> { table.slots }

    /// The slot of an element; `nil` where none has that id.
    func slot(of id: ID) -> Slot? { slotOfID[id] }

    /// The slots of the elements whose ids are wanted, in the order of the slots.
    func slots(where isWanted: (ID) -> Bool) -> [Slot] {
        slotOfID.filter { isWanted($0.key) }.values.sorted { $0.number < $1.number }
    }

    subscript(slot: Slot) -> Element {
        get { table[slot] }
        _modify { yield &table[slot] }
    }

    /// - Parameter id: one that is not there yet.
    mutating func insert(_ element: Element, for id: ID) -> Slot {
        let slot = table.insert(element)
        slotOfID[id] = slot
        return slot
    }

    /// An element goes. Whoever goes through all slots meets what it leaves behind, until the slot is handed out again.
    mutating func remove(_ id: ID, leaving nothing: Element) {
        guard let slot = slotOfID.removeValue(forKey: id) else { return }
        table[slot] = nothing
        table.remove(slot)
    }

    /// An element is found by another id from now on.
    mutating func rename(_ id: ID, to newer: ID) {
        guard let slot = slotOfID.removeValue(forKey: id) else { return }
        slotOfID[newer] = slot
    }
}
