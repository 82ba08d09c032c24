import Core

/// Lets outputs share a transaction where there are many of them, so that a busy gateway does not wear out an SD card. Else
/// each is committed at once: a single event is not delayed, nor are a few that come together by chance. What comes while
/// a transaction is under way shares the next one in any case.
struct CommitGroup {
    /// From one transaction to the next on average, at least.
    package static let interval = TimeSpan.milliseconds(50)
    /// Transactions that may follow each other at once, after a pause of as many intervals.
    static let burst: Int64 = 20

    /// For how long what nobody waits for looks for another output to share its transaction.
    static let patience = TimeSpan.seconds(10)

    private var waiting: [GatewayOutput] = []
    private var isDurable = false
    private var transactions = TokenBucket(interval: Self.interval, burst: Self.burst)
    private var patient: [GatewayOutput] = []
    private var patientDue = Instant.distantFuture

    mutating func add(_ outputs: [GatewayOutput], at now: Instant) {
        for output in outputs {
            switch output.handling.commit {
            case .eventually where !isDurable:
                patientDue = min(patientDue, now + Self.patience)
                patient.append(output)
            case .eventually, .soon:
                isDurable = true
                waiting.append(output)
            case .never:
                waiting.append(output)
            }
        }
    }

    /// When `take` has something to give; in the distant future where nothing waits.
    package var due: Instant {
        if isDurable { return transactions.hasTokenAt }
        return waiting.isEmpty ? patientDue : .origin
    }

    /// What is to be committed and published now; what does not touch the disk waits only behind what does.
    ///
    /// - Parameter isLast: nothing more comes, so nothing is waited for.
    mutating func take(isLast: Bool, at now: Instant) -> [GatewayOutput] {
        guard isLast || due <= now else { return [] }
        if isDurable || isLast || patientDue <= now {
            transactions.takeAnyway(at: now)
            patientDue = .distantFuture
            // They were there before every change that waits.
            waiting.insert(contentsOf: patient, at: 0)
            patient = []
        }
        isDurable = false
        defer { waiting = [] }
        return waiting
    }
}
