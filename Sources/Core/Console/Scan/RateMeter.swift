/// How many reports a second arrive, over the last seconds: a count for each of them.
struct RateMeter: Sendable {
    /// Seconds that are looked back on. Long enough that a beacon of one report a second does not flicker.
    static let window_s: Int64 = 5

    /// Reports of the second `latest` in the slot `latest % 6`, and of the five before it in the others.
    private var counts = InlineArray<6, UInt32>(repeating: 0)
    private var latest: Int64
    private let start: Instant

    init(at now: Instant) {
        start = now
        latest = Self.second(of: now)
    }

    mutating func count(at now: Instant) {
        turn(to: Self.second(of: now))
        counts[Self.slot(latest)] &+= 1
    }

    /// Reports a second over the last five; over less only where the meter is younger, but never over less than one.
    mutating func rate_hz(at now: Instant) -> Double {
        turn(to: Self.second(of: now))
        let inSecond = min(max(0, (now - Instant(microseconds: latest * 1_000_000)).seconds), 1)
        var sum = Double(counts[Self.slot(latest)])
        for age in 1..<Self.window_s { sum += Double(counts[Self.slot(latest - age)]) }
        // The oldest second counts for the part of it that still lies within the window.
        sum += Double(counts[Self.slot(latest - Self.window_s)]) * (1 - inSecond)
        return sum / min(max((now - start).seconds, 1), Double(Self.window_s))
    }

    private mutating func turn(to second: Int64) {
        guard second > latest else { return }
        for passed in max(latest + 1, second - Self.window_s)...second { counts[Self.slot(passed)] = 0 }
        latest = second
    }

    private static func second(of instant: Instant) -> Int64 { max(0, instant.microseconds) / 1_000_000 }

    private static func slot(_ second: Int64) -> Int {
        let slots = window_s + 1
        return Int(((second % slots) + slots) % slots)
    }
}
