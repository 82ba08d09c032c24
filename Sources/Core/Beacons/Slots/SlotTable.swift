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
