/// Lets so many things a second through, and a few more at once after a pause.
///
/// The generic cell rate algorithm: it keeps the instant at which the bucket will be full again, so there is nothing to
/// fill and nothing to round.
package struct TokenBucket: Sendable {
    private let interval: TimeSpan
    private let tolerance: TimeSpan
    private var fullAt = Instant.origin

    /// - Parameters:
    ///   - interval: from one token to the next.
    ///   - burst: how many tokens a full bucket has; at least 1.
    package init(interval: TimeSpan, burst: Int64) {
        self.interval = interval
        self.tolerance = interval * (max(burst, 1) - 1)
    }

    /// From when on there is a token.
    package var hasTokenAt: Instant { fullAt - tolerance }

    /// Takes a token, if there is one.
    mutating func take(at now: Instant) -> Bool {
        guard hasTokenAt <= now else { return false }
        takeAnyway(at: now)
        return true
    }

    /// Takes a token, even where there is none: then the next one comes later.
    package mutating func takeAnyway(at now: Instant) { fullAt = max(fullAt, now) + interval }
}
