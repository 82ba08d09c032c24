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
