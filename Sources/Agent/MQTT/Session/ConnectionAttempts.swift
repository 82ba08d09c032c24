import Core

/// How attempts to connect have gone: how long to wait for the next one, and what of it was said already.
struct ConnectionAttempts: Sendable {
    private var backoff: Backoff
    private var saidFailures = SaidOnce<ConnectionFailure>()
    /// Why the last attempt failed, if no connection has stood since.
    private var cause: ConnectionFailure?
    /// Whether the will of the next attempt is retained. A broker without retained messages refuses a retained one, and only
    /// that tells: the CONNACK which says so comes to those that it lets in.
    private(set) var isWillRetained = true
    private var hasSucceeded = false

    init(seed: UInt64) { backoff = Backoff(seed: seed) }

    /// A connection stands.
    ///
    /// - Returns: whether one has stood before, and whether this one is worth a line.
    mutating func succeeded() -> (isAgain: Bool, isNews: Bool) {
        defer {
            hasSucceeded = true
            cause = nil
            // The next broker under this name may keep them: it is asked anew.
            isWillRetained = true
        }
        return (hasSucceeded, !hasSucceeded || !saidFailures.isEmpty)
    }

    /// A connection that ends now stood for long.
    mutating func wasStable() {
        backoff.reset()
        saidFailures.forget()
    }

    /// The cause to tell: a broker that closes without a word may conceal the one that it told before.
    func toldCause(of failure: ConnectionFailure) -> ConnectionFailure {
        cause.map { failure.mayConceal($0) ? $0 : failure } ?? failure
    }

    /// - Returns: whether that is news.
    mutating func failed(_ failure: ConnectionFailure) -> Bool {
        cause = failure
        return saidFailures.isNew(failure)
    }

    /// Whether to try again at once, without a retained will.
    mutating func dropsRetainedWill(after failure: ConnectionFailure) -> Bool {
        guard failure == .refused(.retainNotSupported), isWillRetained else { return false }
        isWillRetained = false
        return true
    }

    /// How long to stay away.
    mutating func pause(after failure: ConnectionFailure, takenOver: TimeSpan) -> TimeSpan {
        failure == .disconnected(.sessionTakenOver) ? backoff.jittered(takenOver) : backoff.next()
    }
}
