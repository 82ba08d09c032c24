/// A slot or none in four octets, where an optional `Int` takes sixteen. A transmitter has four of them, and there may be
/// 100,000 transmitters.
@propertyWrapper
struct CompactSlot: Sendable {
    private var number = UInt32.max

    /// A slot is far below 2³², because it is below `max_transmitters`.
    var wrappedValue: Int? {
        get { number == .max ? nil : Int(number) }
        set { number = newValue.map { UInt32(clamping: $0) } ?? .max }
    }

    init(wrappedValue: Int?) {
        self.wrappedValue = wrappedValue
    }
}
