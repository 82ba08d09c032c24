/// How often each step was taken since the start.
public struct RecoveryCounts: Hashable, Sendable {
    private var reenable: UInt64 = 0
    private var powerOn: UInt64 = 0
    private var powerCycle: UInt64 = 0
    private var reset: UInt64 = 0

    public init() {}

    public subscript(step: RecoveryStep) -> UInt64 { self[keyPath: Self.field(step)] }

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
