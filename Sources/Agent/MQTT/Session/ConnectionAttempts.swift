import Core

/// The history of attempts to connect: the pause before the next one, and the causes that were logged already.
struct ConnectionAttempts: Sendable {
    private var backoff: Backoff
    private var loggedFailures = LogOnce<ConnectionFailure>()
    /// The cause of the last failure; `nil` once a connection was made.
    private var cause: ConnectionFailure?
    /// True if the will of the next attempt is retained. A broker without retained messages refuses a retained will.
    /// Only that refusal tells, since such a broker sends its limits in the CONNACK of an accepted login alone.
    private(set) var isWillRetained = true
    private var hasSucceeded = false
    /// The log has a line about the present connection, and so needs one about its end.
    private var isConnectionReported = false
    /// The broker closed the connection before without a reason.
    private var wasClosedUnexplained = false

    init(seed: UInt64) { backoff = Backoff(seed: seed) }

    /// Records that a connection is established.
    ///
    /// - Returns: whether there was one before, and whether this one is worth a line in the log.
    mutating func succeeded() -> (isAgain: Bool, isNew: Bool) {
        let isNew = !hasSucceeded || !loggedFailures.isEmpty
        defer {
            hasSucceeded = true
            isConnectionReported = isNew
            cause = nil
            // The next broker under this name may retain messages, so it is asked anew.
            isWillRetained = true
        }
        return (hasSucceeded, isNew)
    }

    /// Records the end of a connection. After a good one the pauses begin again with the shortest, and each cause is new again.
    ///
    /// Two agents with one client identifier end each other's connections, and brokers without MQTT 5's reasons do not explain that.
    /// So from the second unexplained end on, a connection is good once it has outlasted the longest pause of a rival.
    ///
    /// - Returns: whether the connection was a good one.
    mutating func ended(_ failure: ConnectionFailure, lasting span: TimeSpan, goodAfter: TimeSpan) -> Bool {
        let isUnexplained = failure == .closedByBroker
        let isGood = span >= (isUnexplained && wasClosedUnexplained ? max(goodAfter, Backoff.longest * 2) : goodAfter)
        wasClosedUnexplained = isUnexplained
        if isGood {
            backoff.reset()
            loggedFailures.reset()
        }
        return isGood
    }

    /// The cause to report: a broker that closes without a reason may hide the cause that it gave before.
    func reportedCause(of failure: ConnectionFailure) -> ConnectionFailure {
        cause.map { failure.mayConceal($0) ? $0 : failure } ?? failure
    }

    /// - Returns: whether the log needs a line about the failure: it is new, or it ended a connection that the log has.
    mutating func failed(_ failure: ConnectionFailure) -> Bool {
        defer { isConnectionReported = false }
        cause = failure
        return loggedFailures.isNew(failure) || isConnectionReported
    }

    /// Returns whether to try again at once, without a retained will.
    mutating func dropsRetainedWill(after failure: ConnectionFailure) -> Bool {
        guard failure == .refused(.retainNotSupported), isWillRetained else { return false }
        isWillRetained = false
        return true
    }

    /// The pause before the next attempt.
    mutating func pause(after failure: ConnectionFailure, takenOver: TimeSpan) -> TimeSpan {
        failure == .disconnected(.sessionTakenOver) ? backoff.jittered(takenOver) : backoff.next()
    }
}
