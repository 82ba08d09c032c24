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

/// A transmitter's standing in four octets, where the enum takes nine.
struct CompactStanding: Sendable {
    /// A successor's slot, or one of three numbers that no slot has.
    private var number = UInt32.max
    private static let settled = UInt32.max
    private static let resolving = UInt32.max - 1
    private static let undecided = UInt32.max - 2

    var standing: Transmitter.Standing {
        get {
            switch number {
            case Self.settled: .settled
            case Self.resolving: .resolving
            case Self.undecided: .undecided
            default: .succeeded(by: TransmitterSlot(number))
            }
        }
        set {
            switch newValue {
            case .settled: number = Self.settled
            case .resolving: number = Self.resolving
            case .undecided: number = Self.undecided
            case .succeeded(let slot): number = UInt32(clamping: slot)
            }
        }
    }
}
