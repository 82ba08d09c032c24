/// The UTC hour that a heat map adds up, by a clock that may be set at any time.
///
/// The hour at hand is a number. It ends once the clock shows a later hour, so two readings of the clock that differ a
/// little never begin it twice. A clock that goes back, by an hour at most, changes nothing: the hour at hand goes on.
/// A clock that goes back further begins anew. No hour is published twice, except where the process ends in it, and none that
/// was added up for less than ten minutes: a clock that is set again and again would show who comes and who goes.
struct HeatHours: Sendable {
    /// The meaning of a moment for the seconds that were added up.
    enum Turn: Equatable {
        case goesOn
        /// Another hour begins, and the seconds of the one before are not published.
        case drops
        /// Another hour begins, and the seconds of the one before were spent in this time.
        case publishes(from: WallTime, to: WallTime)
    }

    /// The shortest part of an hour that is published, unless the process ends.
    static let shortest = TimeSpan.seconds(600)
    /// The most hours that are remembered as published. The oldest are forgotten.
    static let maxPublished = 1_000
    /// A difference below this is no part of an hour that the clock has skipped.
    private static let tolerance = TimeSpan.seconds(60)
    private static let hour = TimeSpan.seconds(3_600)

    /// The hour at hand, in hours since the Unix epoch.
    private var number: Int64
    /// The beginning of the time that is added up, by the clock at that moment and by the engine's clock.
    private var start: WallTime
    private var startedAt: Instant
    private var followedAt: Instant
    private var published: [Int64] = []

    init(at now: Instant, _ timebase: Timebase) {
        (start, startedAt, followedAt) = (timebase.wall(now), now, now)
        number = Self.number(of: start)
    }

    mutating func pass(to now: Instant, _ timebase: Timebase) -> Turn {
        let wall = timebase.wall(now)
        let current = Self.number(of: wall)
        guard current > number || current < number - 1 else {
            followedAt = max(followedAt, now)
            return .goesOn
        }
        let (from, to) = (start, end(at: now))
        let isPublished = current > number && to - from >= Self.shortest && !published.contains(number)
        if isPublished { remember() }
        begin(current, at: now, timebase)
        return isPublished ? .publishes(from: from, to: to) : .drops
    }

    /// Returns the time of the hour so far, where the process ends; `nil` where there is none.
    mutating func stop(at now: Instant, _ timebase: Timebase) -> (from: WallTime, to: WallTime)? {
        let to = min(start + (now - startedAt), Self.beginning(of: number + 1), timebase.wall(now))
        guard to > start, !published.contains(number) else { return nil }
        remember()
        return (start, to)
    }

    /// Returns the end of the time that was added up: that of the hour, unless the clock has skipped a part of it.
    private func end(at now: Instant) -> WallTime {
        let end = Self.beginning(of: number + 1)
        let reached = start + (now - startedAt)
        return reached >= end - Self.tolerance ? end : reached
    }

    private mutating func begin(_ current: Int64, at now: Instant, _ timebase: Timebase) {
        let beginning = Self.beginning(of: current)
        let ranThrough = timebase.wall(followedAt) < beginning + Self.tolerance
        (number, followedAt) = (current, now)
        start = ranThrough ? beginning : timebase.wall(now)
        startedAt = ranThrough ? min(now, timebase.instant(beginning)) : now
    }

    private mutating func remember() {
        if published.count == Self.maxPublished { published.removeFirst() }
        published.append(number)
    }

    private static func number(of wall: WallTime) -> Int64 {
        let (number, rest) = wall.microseconds.quotientAndRemainder(dividingBy: hour.microseconds)
        return rest < 0 ? number - 1 : number
    }

    private static func beginning(of number: Int64) -> WallTime {
        WallTime(microseconds: number.multipliedSaturating(by: hour.microseconds))
    }
}
