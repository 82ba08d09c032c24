/// The place of an element in a `SlotTable`. Each table has a slot type of its own, so that a slot fits no other table.
///
/// A slot takes four octets: there may be 100,000 transmitters, and each names eight slots.
protocol SlotNumber: Hashable, Sendable {
    /// The number, from 0 on. The highest three numbers are reserved for "none" and for states without a slot.
    var number: UInt32 { get }
    init(number: UInt32)
}

extension SlotNumber {
    /// The slot as an index of an array that has one element for each slot.
    var index: Int { Int(number) }

    init(index: Int) { self.init(number: UInt32(clamping: index)) }
}

/// An optional slot in four octets; a Swift optional takes eight.
@propertyWrapper
struct CompactSlot<Slot: SlotNumber>: Sendable {
    private var number = UInt32.max

    var wrappedValue: Slot? {
        get { number == .max ? nil : Slot(number: number) }
        set { number = newValue?.number ?? .max }
    }

    init(wrappedValue: Slot?) { self.wrappedValue = wrappedValue }
}

/// A table that keeps each element in one slot for its lifetime.
///
/// A freed slot is used again, the latest first. So the table never grows beyond the most elements at one time. A
/// caller that keeps a slot has to check by other means that the element is still the one. Slots never come from
/// outside: a slot that this table did not hand out is a programming error.
struct SlotTable<Slot: SlotNumber, Element: Sendable>: Sendable {
    var elements: [Element] = []
    var free: [Slot] = []

    init() {}

    mutating func reserveCapacity(_ count: Int) { elements.reserveCapacity(count) }

    var count: Int { elements.count - free.count }

    /// The number of slots, free ones included.
    var slotCount: Int { elements.count }

    /// All slots, free ones included.
    var slots: some RandomAccessCollection<Slot> { elements.indices.lazy.map { Slot(index: $0) } }

    /// The element in a slot; in a free slot, its last element. Changes happen in place.
    subscript(slot: Slot) -> Element {
        get { elements[slot.index] }
        _modify { yield &elements[slot.index] }
    }

    /// Changes an element in place, and returns what `change` returns.
    ///
    /// For changes with each report: the subscript's coroutine is not inlined, and allocates its frame.
    mutating func change<Result>(_ slot: Slot, _ change: (inout Element) -> Result) -> Result {
        change(&elements[slot.index])
    }

    mutating func insert(_ element: Element) -> Slot {
        if let slot = free.popLast() {
            elements[slot.index] = element
            return slot
        }
        elements.append(element)
        return Slot(index: elements.count - 1)
    }

    /// - Parameter slot: a slot that is in use.
    mutating func remove(_ slot: Slot) {
        assert(free.count < elements.count, "there is nothing to remove")
        free.append(slot)
    }

    /// The free slots. For checks: it builds a set.
    var freeSlots: Set<Slot> { Set(free) }

    /// True if no slot is free twice, and all free slots belong to this table. For checks.
    var isSound: Bool { freeSlots.count == free.count && free.allSatisfy { elements.indices.contains($0.index) } }
}

/// The neighbours of a transmitter in a `SlotList`.
struct SlotLink: Sendable {
    @CompactSlot var previous: TransmitterSlot? = nil
    @CompactSlot var next: TransmitterSlot? = nil
}

typealias Transmitters = SlotTable<TransmitterSlot, Transmitter>

/// A list of transmitters, linked through the transmitters themselves. A removal needs no search and no allocation.
struct SlotList: Sendable {
    /// The kind of list. A transmitter is in at most one list of each kind.
    enum Kind: Sendable {
        /// The transmitters that give way when the table is full, in some order: `Admission`.
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

    /// Returns the slots from the first on, while `goesOn` holds.
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

/// A hash index of slots.
///
/// The index uses open addressing with linear probing. A removal leaves no gap, because later entries move up.
/// `Dictionary` would keep a copy of every key; here the caller compares with the element. An entry takes four octets
/// instead of 40, which saves a cache line for each lookup. An entry keeps 12 bits of the hash, so that wrong elements
/// are hardly ever compared. With 100,000 transmitters none of them is in a cache.
struct SlotIndex<Slot: SlotNumber>: Sendable {
    /// An entry: 12 bits of the hash in the high bits, and slot + 1 in 20 bits. Zero is free.
    private struct Entry {
        static var slotBits: Int { 20 }
        let word: UInt32

        static var free: Entry { Entry(word: 0) }

        init(slot: Slot, hash: UInt64) { word = Self.tag(of: hash) | (slot.number &+ 1) & ~(.max << Self.slotBits) }
        private init(word: UInt32) { self.word = word }

        /// The highest bits of the hash. Neighbours share the lowest bits, which choose the place.
        static func tag(of hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) & (.max << slotBits) }

        var isFree: Bool { word == 0 }
        var tag: UInt32 { word & (.max << Self.slotBits) }
        /// The slot of an entry that is in use.
        var slot: Slot { Slot(number: (word & ~(.max << Self.slotBits)) &- 1) }
    }

    /// The entries. Their number is a power of two, and at most seven eighths are in use. A probe compares only tags,
    /// so long probes cost less than a table of twice the size, which does not fit into the cache.
    private var places = [Entry](repeating: .free, count: 16)
    private(set) var count = 0

    private var mask: Int { places.count - 1 }

    /// The slots, in no particular order.
    var slots: some Sequence<Slot> { places.lazy.filter { !$0.isFree }.map(\.slot) }

    /// Returns the slot of that hash for which `isWanted` holds.
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
    /// - slot: not yet in the index, and below 2²⁰ − 1, four times the maximum of `max_transmitters`.
    /// - hashOf: returns the hash of the element in a slot of the index.
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
            // An entry that would not be found beyond the gap moves into it, and leaves the next gap.
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

/// Elements that are found by id, and keep one slot for their lifetime.
///
/// Other parts name an element by its slot. A slot takes four octets and one lookup, whereas an id is long and has to
/// be hashed. `SlotTable` has the rule of reused slots.
struct IdentifiedSlots<Slot: SlotNumber, ID: Hashable & Sendable, Element: Sendable>: Sendable {
    private var table = SlotTable<Slot, Element>()
    private var slotOfID: [ID: Slot] = [:]

    init() {}

    var count: Int { table.count }

    /// The number of slots, free ones included.
    var slotCount: Int { table.slotCount }

    /// All slots, free ones included.
    var slots: some RandomAccessCollection<Slot> { table.slots }

    /// Returns the slot of an element; `nil` for an unknown id.
    func slot(of id: ID) -> Slot? { slotOfID[id] }

    /// Returns the slots of the elements whose ids are wanted, in the order of the slots.
    func slots(where isWanted: (ID) -> Bool) -> [Slot] {
        slotOfID.filter { isWanted($0.key) }.values.sorted { $0.number < $1.number }
    }

    subscript(slot: Slot) -> Element {
        get { table[slot] }
        _modify { yield &table[slot] }
    }

    /// - Parameter id: an id that is not yet in the table.
    mutating func insert(_ element: Element, for id: ID) -> Slot {
        let slot = table.insert(element)
        slotOfID[id] = slot
        return slot
    }

    /// Removes an element. Until the slot is reused, an iteration over all slots finds `nothing` there.
    mutating func remove(_ id: ID, leaving nothing: Element) {
        guard let slot = slotOfID.removeValue(forKey: id) else { return }
        table[slot] = nothing
        table.remove(slot)
    }

    mutating func rename(_ id: ID, to newer: ID) {
        guard let slot = slotOfID.removeValue(forKey: id) else { return }
        slotOfID[newer] = slot
    }
}
