/// How a circle stands that each fix is judged against, beside what every `RegionInstance` knows.
struct CircleStanding: Hashable, Sendable {
    /// Fixes on the other side of the boundary, one after the other.
    struct Run: Hashable, Sendable {
        var beganAt: Instant
        var time: FixTime
        var fixCount = 1

        init(at now: Instant, longestGap: TimeSpan) {
            beganAt = now
            time = FixTime(from: now, longestGap: longestGap)
        }

        /// A crossing needs two fixes, however short `crossing_after_s` is: one alone may be wild.
        func isCrossing(after span: TimeSpan) -> Bool { fixCount >= 2 && time.elapsed >= span }
    }

    var run: Run?
    /// What the first fixes said; `nil` where none was inside.
    var first: FirstFixes?
    /// Its state is to be told again and only the run keeps that waiting.
    var isOverdue = false

    /// The fixes since registration that were inside, until the first state is decided.
    struct FirstFixes: Hashable, Sendable {
        var insideCount = 0
        var insideSince: Instant
        var lastInsideAt: Instant
    }

    mutating func isInside(at now: Instant) {
        var first = first ?? FirstFixes(insideSince: now, lastInsideAt: now)
        first.insideCount += 1
        first.lastInsideAt = now
        self.first = first
    }
}

/// Circles that began to wait for their state at the same fix, by the same rules.
struct SettlingCircles: Sendable {
    let crossingAfter: TimeSpan
    var members: [InstanceSlot]
    private(set) var time: FixTime
    private(set) var fixCount = 1

    init(_ rules: CircleRules, at now: Instant) {
        crossingAfter = rules.crossingAfter
        members = []
        time = FixTime(from: now, longestGap: rules.unknownStateAfter)
    }

    /// Whether there have been fixes for long enough.
    var isOver: Bool { time.elapsed >= crossingAfter }

    mutating func use(at now: Instant) {
        time.use(at: now)
        fixCount += 1
    }
}
