import Core

/// The steps against a controller that does not answer: down and up, then a reset, in turn, each after a longer pause.
///
/// Only an unanswered command leads here. A quiet shop, or a controller that answers with a refusal, never does. In
/// between, the agent goes on asking, in the rhythm of the `LivenessMonitor`.
struct RecoveryLadder: Sendable {
    /// The shortest and the longest pause between steps; it doubles each time.
    static let pauses = TimeSpan.seconds(4)...TimeSpan.seconds(600)
    /// The most steps within an hour, over all outages: a controller that fails after every reset is not reset for
    /// ever.
    static let hourlyLimit = 8
    private static let hour = TimeSpan.seconds(3_600)

    private let mayAdminister: Bool
    private var hasFailed = false
    private var next = RecoveryStep.powerCycle
    private var pause = DoublingPause(pauses)
    private var notBefore = Instant.origin
    /// Times of the latest steps, the oldest first; at most `hourlyLimit`.
    private var taken: [Instant] = []

    /// - Parameter mayAdminister: without CAP_NET_ADMIN the agent can only ask again.
    init(mayAdminister: Bool) { self.mayAdminister = mayAdminister }

    /// A command was not answered. Returns the step to take now; `nil` to go on asking.
    ///
    /// The first failure only leads to asking again, since a single command may get lost.
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

    /// The controller has answered all commands, perhaps with refusals: the next outage begins at the lowest step
    /// again.
    mutating func answered() {
        hasFailed = false
        next = .powerCycle
        pause.reset()
        notBefore = .origin
    }
}

/// A recovery step for an adapter that does not scan, weakest first. The raw value is the word in `health`.
enum RecoveryStep: String, Hashable, Sendable, CaseIterable {
    /// Asks the controller again, and switches scanning off and on. Like all of scanning, this needs CAP_NET_RAW only.
    case reenable
    /// Brings up an adapter that is down. This and the following steps need CAP_NET_ADMIN.
    case powerOn = "power_on"
    /// Takes the adapter down and up: the kernel closes the controller and initialises it again.
    case powerCycle = "power_cycle"
    /// Resets the controller: the kernel drops all pending commands and sends HCI_Reset.
    case reset
}

extension RecoveryStep: CustomStringConvertible {
    /// For the log, after the adapter's name.
    package var description: String {
        switch self {
        case .reenable: "no answer; asking again"
        case .powerOn: "down, though no process switched it off; bringing it up"
        case .powerCycle: "no answer; taking it down and up"
        case .reset: "no answer; resetting it"
        }
    }
}
