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

/// Pauses between attempts that grow: each twice as long as the one before, within bounds.
package struct DoublingPause: Hashable, Sendable {
    private let range: ClosedRange<TimeSpan>
    private var upcoming: TimeSpan

    /// - Parameter range: the first pause, and the longest.
    package init(_ range: ClosedRange<TimeSpan>) {
        self.range = range
        upcoming = range.lowerBound
    }

    /// The pause before the next attempt.
    package mutating func next() -> TimeSpan {
        defer { upcoming = min(upcoming * 2, range.upperBound) }
        return upcoming
    }

    /// The next pause is the first again.
    package mutating func reset() { upcoming = range.lowerBound }
}

/// What has been said already, so that a state that lasts is one line in the log and not one for each time it is met.
package struct SaidOnce<Cause: Hashable & Sendable>: Sendable {
    private let limit: Int
    private var said: Set<Cause> = []

    /// - Parameter limit: how many causes are remembered; when there are more it starts anew. One is enough where each takes the
    ///   place of the one before.
    package init(limit: Int = 64) { self.limit = limit }

    /// Whether `cause` is news. It isn't any more afterwards.
    package mutating func isNew(_ cause: Cause) -> Bool {
        if said.contains(cause) { return false }
        if said.count >= limit { said.removeAll() }
        said.insert(cause)
        return true
    }

    /// It is over: the next time is news again.
    package mutating func forget() {
        said.removeAll()
    }

    package var isEmpty: Bool { said.isEmpty }
}
