import Core

/// What to do about a controller that does not answer, beyond asking it again: down and up, then a reset, in turn, each
/// after a longer pause than the one before.
///
/// Only silence to a command leads here. A quiet shop, or a controller that answers with a refusal, never does. Asking
/// again goes on in between, in the rhythm of the `LivenessMonitor`.
struct RecoveryLadder: Sendable {
    /// From one step to the next: doubled each time, between these.
    static let pauses = TimeSpan.seconds(4)...TimeSpan.seconds(600)
    /// Steps within an hour, over all outages: a controller that dies again after every reset is not reset for ever.
    static let hourlyLimit = 8
    private static let hour = TimeSpan.seconds(3_600)

    private let mayAdminister: Bool
    private var hasFailed = false
    private var next = RecoveryStep.powerCycle
    private var pause = DoublingPause(pauses)
    private var notBefore = Instant.origin
    /// When the latest steps were taken, the oldest first; at most `hourlyLimit`.
    private var taken: [Instant] = []

    /// - Parameter mayAdminister: without CAP_NET_ADMIN there is no step beyond asking again.
    init(mayAdminister: Bool) {
        self.mayAdminister = mayAdminister
    }

    /// A command was not answered. Returns the step to take now, `nil` to go on asking.
    ///
    /// The first time it is always asked again: a single command may get lost.
    mutating func failed(at instant: Instant) -> RecoveryStep? {
        guard hasFailed else {
            hasFailed = true
            return nil
        }
        guard mayAdminister, instant >= notBefore else { return nil }
        taken.removeAll { instant - $0 >= Self.hour }
        guard taken.count < Self.hourlyLimit else { return nil }
        taken.append(instant)
        notBefore = instant + pause.next()
        defer { next = next == .powerCycle ? .reset : .powerCycle }
        return next
    }

    /// The controller has answered everything it was asked, if with a refusal: the next outage begins at the lowest step again.
    mutating func answered() {
        hasFailed = false
        next = .powerCycle
        pause.reset()
        notBefore = .origin
    }
}

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
