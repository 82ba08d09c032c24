import Gateway
import HCI

/// Lets outputs share a transaction where there are many of them, so that a busy gateway does not wear out an SD card. Else
/// each is committed at once: a single event is not delayed, nor are a few that come together by chance. What comes while
/// a transaction is under way shares the next one in any case.
struct CommitGroup {
    /// From one transaction to the next on average, at least.
    static let interval = TimeSpan.milliseconds(50)
    /// Transactions that may follow each other at once, after a pause of as many intervals.
    static let burst: Int64 = 20

    private var waiting: [GatewayOutput] = []
    private var isDurable = false
    /// When the next transaction were due if they came evenly; one may be early by `burst` of them.
    private var evenly = Instant.origin

    mutating func add(_ outputs: [GatewayOutput]) {
        waiting += outputs
        isDurable = isDurable || outputs.contains(where: Self.needsDisk)
    }

    /// When `take` has something to give; in the distant future where nothing waits.
    var due: Instant {
        if waiting.isEmpty { return .distantFuture }
        return isDurable ? evenly - Self.interval * (Self.burst - 1) : .origin
    }

    /// What is to be committed and published now; what does not touch the disk waits only behind what does.
    ///
    /// - Parameter isLast: nothing more comes, so nothing is waited for.
    mutating func take(isLast: Bool, at now: Instant) -> [GatewayOutput] {
        guard isLast || due <= now else { return [] }
        if isDurable { evenly = max(evenly, now) + Self.interval }
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
