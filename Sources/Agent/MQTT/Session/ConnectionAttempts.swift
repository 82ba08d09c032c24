import Core

/// The history of attempts to connect: the pause before the next one, and the causes that were logged already.
struct ConnectionAttempts: Sendable {
    private var backoff: Backoff
    private var saidFailures = SaidOnce<ConnectionFailure>()
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

    /// Notes that a connection is established.
    ///
    /// - Returns: whether there was one before, and whether this one is worth a line in the log.
    mutating func succeeded() -> (isAgain: Bool, isNews: Bool) {
        let isNews = !hasSucceeded || !saidFailures.isEmpty
        defer {
            hasSucceeded = true
            isConnectionReported = isNews
            cause = nil
            // The next broker under this name may retain messages, so it is asked anew.
            isWillRetained = true
        }
        return (hasSucceeded, isNews)
    }

    /// Notes the end of a connection. After a good one the pauses begin again with the shortest, and each cause is news again.
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
            saidFailures.forget()
        }
        return isGood
    }

    /// The cause to report: a broker that closes without a reason may hide the cause that it gave before.
    func toldCause(of failure: ConnectionFailure) -> ConnectionFailure {
        cause.map { failure.mayConceal($0) ? $0 : failure } ?? failure
    }

    /// - Returns: whether the log needs a line about the failure: it is news, or it ended a connection that the log has.
    mutating func failed(_ failure: ConnectionFailure) -> Bool {
        defer { isConnectionReported = false }
        cause = failure
        return saidFailures.isNew(failure) || isConnectionReported
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

/// The growing pauses between attempts: 1 s, doubled each time, at most 60 s.
///
/// Each pause is drawn from the upper half of that (equal jitter), so that the gateways of a chain do not reconnect in
/// step after their broker restarts. The caller gives the seed: the same seed gives the same pauses.
struct Backoff: Equatable, Sendable {
    static let longest = TimeSpan.seconds(60)
    private var random: SplitMix64
    private var ceiling = DoublingPause(TimeSpan.seconds(1)...Self.longest)

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    /// The pause before the next attempt; the following one is longer.
    mutating func next() -> TimeSpan { jittered(ceiling.next()) }

    /// A random span between half of `span` and all of it.
    mutating func jittered(_ span: TimeSpan) -> TimeSpan {
        let half = span.microseconds / 2
        guard half > 0 else { return span }
        return TimeSpan(microseconds: half + Int64.random(in: 0...half, using: &random))
    }

    mutating func reset() { ceiling.reset() }
}

/// Sebastiano Vigna's SplitMix64: eight bytes of state, and the same numbers on every machine.
private struct SplitMix64: RandomNumberGenerator, Equatable, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
