import Gateway
import HCI

/// Lets outputs that come shortly after each other share a transaction, so that a busy gateway does not wear out an SD
/// card. What comes after a pause is committed at once: a single event is not delayed.
struct CommitGroup {
    /// From one transaction to the next, at least.
    static let interval = TimeSpan.milliseconds(50)

    private var waiting: [GatewayOutput] = []
    private var isDurable = false
    private var nextCommit = Instant.origin

    mutating func add(_ outputs: [GatewayOutput]) {
        waiting += outputs
        isDurable = isDurable || outputs.contains(where: Self.needsDisk)
    }

    /// When `take` has something to give; in the distant future where nothing waits.
    var due: Instant {
        if waiting.isEmpty { return .distantFuture }
        return isDurable ? nextCommit : .origin
    }

    /// What is to be committed and published now; what does not touch the disk waits only behind what does.
    ///
    /// - Parameter isLast: nothing more comes, so nothing is waited for.
    mutating func take(isLast: Bool, at now: Instant) -> [GatewayOutput] {
        guard isLast || due <= now else { return [] }
        if isDurable { nextCommit = now + Self.interval }
        isDurable = false
        defer { waiting = [] }
        return waiting
    }

    private static func needsDisk(_ output: GatewayOutput) -> Bool {
        switch output {
        case .transition, .stays, .registered, .unregistered: true
        case .ranging, .failure, .answer: false
        }
    }
}
