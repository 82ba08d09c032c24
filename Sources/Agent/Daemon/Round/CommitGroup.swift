import Core

/// Groups outputs into transactions where there are many, so that a busy gateway does not wear out an SD card.
/// Otherwise each output is committed at once: neither a single event nor a few together are delayed. Outputs that come
/// while a transaction is under way share the next one in any case.
struct CommitGroup {
    /// The shortest average time between two transactions.
    static let interval = TimeSpan.milliseconds(50)
    /// The number of transactions that may follow each other at once, after a pause of as many intervals.
    static let burst: Int64 = 20

    /// The time for which outputs without urgency wait for another output to share its transaction.
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

    /// The time at which `take` has something; in the distant future where nothing waits.
    var due: Instant {
        if isDurable { return transactions.hasTokenAt }
        return waiting.isEmpty ? patientDue : .origin
    }

    /// The outputs to commit and publish now. An output without disk writes waits only for those before it.
    ///
    /// - Parameter isLast: whether no more outputs come, so that none waits.
    mutating func take(isLast: Bool, at now: Instant) -> [GatewayOutput] {
        guard isLast || due <= now else { return [] }
        if isDurable || isLast || patientDue <= now {
            transactions.takeAnyway(at: now)
            patientDue = .distantFuture
            // The patient outputs came before every change that waits.
            waiting.insert(contentsOf: patient, at: 0)
            patient = []
        }
        isDurable = false
        defer { waiting = [] }
        return waiting
    }
}
