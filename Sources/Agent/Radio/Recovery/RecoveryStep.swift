/// What is done about an adapter that does not scan, weakest first. The raw value is the word in `health`.
package enum RecoveryStep: String, Hashable, Sendable, CaseIterable {
    /// Ask the controller again, and switch scanning off and on. Needs CAP_NET_RAW only, like all of scanning.
    case reenable
    /// Bring up an adapter that is down. This and what follows needs CAP_NET_ADMIN.
    case powerOn = "power_on"
    /// Down and up: the kernel closes the controller and sets it up from the beginning.
    case powerCycle = "power_cycle"
    /// The kernel gives up every command that is under way and sends HCI_Reset.
    case reset
}

extension RecoveryStep: CustomStringConvertible {
    /// For the log, after the adapter's name.
    package var description: String {
        switch self {
        case .reenable: "no answer; asking again"
        case .powerOn: "down, and nobody switched it off; bringing it up"
        case .powerCycle: "no answer; taking it down and up"
        case .reset: "no answer; resetting it"
        }
    }
}

/// How often each step was taken since the start.
struct RecoveryCounts: Hashable, Sendable {
    private var reenable: UInt64 = 0
    private var powerOn: UInt64 = 0
    private var powerCycle: UInt64 = 0
    private var reset: UInt64 = 0

    init() {}

    subscript(step: RecoveryStep) -> UInt64 { self[keyPath: Self.field(step)] }

    mutating func count(_ step: RecoveryStep) { self[keyPath: Self.field(step)] += 1 }

    mutating func add(_ other: RecoveryCounts) {
        for step in RecoveryStep.allCases { self[keyPath: Self.field(step)] += other[step] }
    }

    private static func field(_ step: RecoveryStep) -> WritableKeyPath<RecoveryCounts, UInt64> {
        switch step {
        case .reenable: \.reenable
        case .powerOn: \.powerOn
        case .powerCycle: \.powerCycle
        case .reset: \.reset
        }
    }
}
