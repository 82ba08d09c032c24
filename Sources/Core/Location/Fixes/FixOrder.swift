/// Which of a receiver's times are believed.
///
/// A time follows the one before when it is no earlier, and ahead of it by no more than has really passed and 10 s. A time
/// that does not is doubted: it went back, or is one wild time ahead. When doubted times have followed each other for 10 s,
/// the receiver has really been set to another time, and they are believed. One that follows the believed times again
/// ends the doubt.
struct FixOrder: Sendable {
    /// For how long times in a new order have to come, and how far ahead of what has passed a time may be.
    static let trial = TimeSpan.seconds(10)

    /// Times that follow each other.
    private struct Run {
        var first: WallTime
        var last: WallTime
        var lastCame: Instant

        init(_ at: WallTime, now: Instant) {
            first = at
            last = at
            lastCame = now
        }

        /// Adds a time; `false` when it does not follow.
        mutating func extend(_ at: WallTime, now: Instant) -> Bool {
            let passed = max(now - lastCame, .zero)
            guard at >= last, at - last <= passed + FixOrder.trial else { return false }
            last = at
            lastCame = now
            return true
        }
    }

    private var believed: Run?
    private var doubted: Run?

    /// Whether a fix's time is believed.
    ///
    /// - Parameter now: when it came. Where that is known by nothing but the fix's own time, as in a replay, no time can
    ///   be ahead of what has passed: a wild one is believed then, and those after it go back.
    mutating func believes(_ at: WallTime, now: Instant) -> Bool {
        if believed == nil { believed = Run(at, now: now) }
        if believed?.extend(at, now: now) == true {
            doubted = nil
            return true
        }
        guard var run = doubted, run.extend(at, now: now) else {
            doubted = Run(at, now: now)
            return false
        }
        guard run.last - run.first >= Self.trial else {
            doubted = run
            return false
        }
        believed = run
        doubted = nil
        return true
    }
}
