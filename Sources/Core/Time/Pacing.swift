/// A rate limit with bursts: one token per interval, and more at once after a pause.
///
/// This is the generic cell rate algorithm. It stores only the instant at which the bucket is full again, so there is
/// nothing to refill or to round.
package struct TokenBucket: Sendable {
    private let interval: TimeSpan
    private let tolerance: TimeSpan
    private var fullAt = Instant.origin

    /// - Parameter burst: the number of tokens in a full bucket, at least 1.
    package init(interval: TimeSpan, burst: Int64) {
        self.interval = interval
        self.tolerance = interval * (max(burst, 1) - 1)
    }

    /// The instant from which a token is available.
    package var hasTokenAt: Instant { fullAt - tolerance }

    package mutating func take(at now: Instant) -> Bool {
        guard hasTokenAt <= now else { return false }
        takeAnyway(at: now)
        return true
    }

    /// Takes a token even if there is none; the next token then comes later.
    package mutating func takeAnyway(at now: Instant) { fullAt = max(fullAt, now) + interval }
}

/// Growing pauses between retries: each is twice as long as the one before, within bounds.
package struct DoublingPause: Hashable, Sendable {
    private let range: ClosedRange<TimeSpan>
    private var upcoming: TimeSpan

    /// - Parameter range: the first pause and the longest pause.
    package init(_ range: ClosedRange<TimeSpan>) {
        self.range = range
        upcoming = range.lowerBound
    }

    /// The pause before the next attempt.
    package mutating func next() -> TimeSpan {
        defer { upcoming = min(upcoming * 2, range.upperBound) }
        return upcoming
    }

    /// Makes the first pause the next one again.
    package mutating func reset() { upcoming = range.lowerBound }
}

/// The growing pauses between attempts: 1 s, doubled each time, at most 60 s.
///
/// Each pause is drawn from the upper half of that (equal jitter), so that the gateways of a chain do not reconnect in
/// step after their broker restarts. The caller gives the seed: the same seed gives the same pauses.
package struct Backoff: Equatable, Sendable {
    package static let longest = TimeSpan.seconds(60)
    private var random: SplitMix64
    private var ceiling = DoublingPause(TimeSpan.seconds(1)...Self.longest)

    package init(seed: UInt64) { random = SplitMix64(state: seed) }

    /// The pause before the next attempt; the following one is longer.
    package mutating func next() -> TimeSpan { jittered(ceiling.next()) }

    /// A random span between half of `span` and all of it.
    package mutating func jittered(_ span: TimeSpan) -> TimeSpan {
        let half = span.microseconds / 2
        guard half > 0 else { return span }
        return TimeSpan(microseconds: half + Int64.random(in: 0...half, using: &random))
    }

    package mutating func reset() { ceiling.reset() }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): eight bytes of state, and the same numbers on every machine.
struct SplitMix64: RandomNumberGenerator, Equatable, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Remembers which causes have been logged, so that a lasting state is logged once.
package struct LogOnce<Cause: Hashable & Sendable>: Sendable {
    private let limit: Int
    private var logged: Set<Cause> = []

    /// - Parameter limit: the number of causes remembered. When it is reached, the memory is cleared. One is enough
    ///   where each cause replaces the one before.
    package init(limit: Int = 64) { self.limit = limit }

    /// Returns whether `cause` is new, and remembers it.
    package mutating func isNew(_ cause: Cause) -> Bool {
        if logged.contains(cause) { return false }
        if logged.count >= limit { logged.removeAll() }
        logged.insert(cause)
        return true
    }

    /// Removes all causes: the next one is new again.
    package mutating func reset() { logged.removeAll() }

    package var isEmpty: Bool { logged.isEmpty }
}
