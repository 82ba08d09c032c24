/// A point on a monotonic clock: microseconds since an origin that the caller chooses (boot for a live radio, the first
/// record for a capture).
///
/// No pure target reads a clock; an `Instant` is always an argument. It says nothing about the time of day: that is
/// `WallTime`.
package struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the origin.
    package var microseconds: Int64

    /// Where the clock's count begins.
    package static let origin = Instant(microseconds: 0)
    /// Later than anything that happens: a timer that is not set.
    package static let distantFuture = Instant(microseconds: .max)

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// Saturates at `distantFuture`.
    package static func + (left: Instant, right: TimeSpan) -> Instant {
        Instant(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    package static func - (left: Instant, right: TimeSpan) -> Instant {
        Instant(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    /// The span from `right` to `left`.
    package static func - (left: Instant, right: Instant) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    package static func += (left: inout Instant, right: TimeSpan) { left = left + right }
}

/// A length of time in whole microseconds. It may be negative.
///
/// Arithmetic saturates instead of trapping: spans are made from capture files and configuration, so any value may
/// come in. `TimeSpan.forever` is the largest span and stays it.
package struct TimeSpan: Hashable, Comparable, Sendable {
    /// Microseconds.
    package var microseconds: Int64

    package static let zero = TimeSpan(microseconds: 0)
    /// The longest span; what is added to it changes nothing.
    package static let forever = TimeSpan(microseconds: .max)

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// A span of `seconds`, to the nearest microsecond. What is not a number is zero; what is too long saturates.
    package static func seconds(_ seconds: Double) -> TimeSpan {
        let microseconds = (seconds * 1_000_000).rounded()
        if microseconds.isNaN { return .zero }
        if microseconds >= 9.2e18 { return .forever }
        if microseconds <= -9.2e18 { return TimeSpan(microseconds: .min) }
        return TimeSpan(microseconds: Int64(microseconds))
    }

    /// A span of whole seconds. What is too long saturates. Unlike one of a floating-point number it is a constant where its
    /// argument is one, so that a `static let` of it is not initialised, and asked for that, at run time.
    package static func seconds(_ seconds: Int) -> TimeSpan {
        TimeSpan(microseconds: Int64(seconds).multipliedSaturating(by: 1_000_000))
    }

    /// A span of whole milliseconds. What is too long saturates.
    package static func milliseconds(_ milliseconds: Int64) -> TimeSpan {
        TimeSpan(microseconds: milliseconds.multipliedSaturating(by: 1_000))
    }

    /// Seconds, as a floating-point number.
    package var seconds: Double { Double(microseconds) / 1_000_000 }

    package static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.microseconds < right.microseconds }

    package static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    package static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    package static func * (left: TimeSpan, right: Int64) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.multipliedSaturating(by: right))
    }
}

extension Int64 {
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    package func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    func multipliedSaturating(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

/// A time of day: microseconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
///
/// It is only ever published or stored. No rule is decided by it, because wall clocks are stepped.
package struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch.
    package var microseconds: Int64

    /// 1970-01-01T00:00:00 UTC.
    package static let unixEpoch = WallTime(microseconds: 0)

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    package static func + (left: WallTime, right: TimeSpan) -> WallTime {
        WallTime(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    package static func - (left: WallTime, right: TimeSpan) -> WallTime {
        WallTime(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    package static func - (left: WallTime, right: WallTime) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }
}
