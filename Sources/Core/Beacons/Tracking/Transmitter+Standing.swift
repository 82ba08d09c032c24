extension Transmitter {
    /// How long ago it was heard, as far as it matters.
    package enum Presence: Sendable {
        case heard
        /// Silent for `unknown_after_s`: listed, without a proximity.
        case silent
        /// Silent for `resolve_after_s`: off the list, only remembered.
        case gone
    }

    /// Which track it is counted as.
    enum Standing: Equatable, Sendable {
        /// A track of its own, or one taken over.
        case settled
        /// A new private address of an identity that may just have rotated: listed, not counted.
        case resolving
        /// It left the list while it was resolving: heard again, it is a newcomer like any.
        case undecided
        /// It fell silent and the transmitter in that slot has taken its track over.
        case succeeded(by: TransmitterSlot)
    }
}

/// A transmitter's standing in four octets, where the enum takes five and would be padded to eight.
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
            default: .succeeded(by: TransmitterSlot(number: number))
            }
        }
        set {
            switch newValue {
            case .settled: number = Self.settled
            case .resolving: number = Self.resolving
            case .undecided: number = Self.undecided
            case .succeeded(let slot): number = slot.number
            }
        }
    }
}
