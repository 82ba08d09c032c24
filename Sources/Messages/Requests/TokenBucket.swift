import HCI

/// Lets so many things a second through, and a few more at once after a pause.
///
/// The generic cell rate algorithm: it keeps the instant at which the bucket will be full again, so there is nothing to
/// fill and nothing to round.
struct TokenBucket: Sendable {
    private let interval: TimeSpan
    private let tolerance: TimeSpan
    private var fullAt = Instant.origin

    /// - Parameters:
    ///   - interval: from one token to the next.
    ///   - burst: how many tokens a full bucket has; at least 1.
    init(interval: TimeSpan, burst: Int64) {
        self.interval = interval
        self.tolerance = interval * (max(burst, 1) - 1)
    }

    /// Takes a token, if there is one.
    mutating func take(at now: Instant) -> Bool {
        let fullAt = max(self.fullAt, now)
        guard fullAt - now <= tolerance else { return false }
        self.fullAt = fullAt + interval
        return true
    }
}
