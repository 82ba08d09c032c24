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
