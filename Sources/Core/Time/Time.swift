/// A point on a monotonic clock: microseconds since an origin that the caller chooses. The origin is the boot for a
/// live radio and the first record for a capture.
///
/// `Core` reads no clock; an `Instant` is always an argument. The time of day is a `WallTime`.
package struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the origin.
    package var microseconds: Int64

    package static let origin = Instant(microseconds: 0)
    /// Later than every event: the deadline of a timer that is not set.
    package static let distantFuture = Instant(microseconds: .max)

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// Saturates at `distantFuture`.
    package static func + (left: Instant, right: TimeSpan) -> Instant {
        Instant(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    package static func - (left: Instant, right: TimeSpan) -> Instant {
        Instant(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    package static func - (left: Instant, right: Instant) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    package static func += (left: inout Instant, right: TimeSpan) { left = left + right }
}

/// A length of time in whole microseconds, possibly negative.
///
/// Arithmetic saturates instead of trapping, because spans come from capture files and configuration.
/// `TimeSpan.forever` is the largest span; adding to it changes nothing.
package struct TimeSpan: Hashable, Comparable, Sendable {
    package var microseconds: Int64

    package static let zero = TimeSpan(microseconds: 0)
    /// The longest span; adding to it changes nothing.
    package static let forever = TimeSpan(microseconds: .max)

    package init(microseconds: Int64) { self.microseconds = microseconds }

    /// Returns a span of `seconds`, rounded to a microsecond. NaN becomes zero; too long a span saturates.
    package static func seconds(_ seconds: Double) -> TimeSpan {
        let microseconds = (seconds * 1_000_000).rounded()
        if microseconds.isNaN { return .zero }
        if microseconds >= 9.2e18 { return .forever }
        if microseconds <= -9.2e18 { return TimeSpan(microseconds: .min) }
        return TimeSpan(microseconds: Int64(microseconds))
    }

    /// Returns a span of whole seconds, saturating. Unlike the floating-point version, the compiler folds it to a
    /// constant. A `static let` of it needs no initialisation at run time.
    package static func seconds(_ seconds: Int) -> TimeSpan {
        TimeSpan(microseconds: Int64(seconds).multipliedSaturating(by: 1_000_000))
    }

    /// Returns a span of whole milliseconds, saturating.
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
/// Wall times are only published or stored. No rule depends on them, because wall clocks are stepped.
package struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch.
    package var microseconds: Int64

    /// 1970-01-01T00:00:00 UTC.
    package static let unixEpoch = WallTime(microseconds: 0)

    package init(microseconds: Int64) { self.microseconds = microseconds }

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

extension TimeSpan {
    /// The largest step between two records of a recording that is taken for time that passed, or for a clock that was
    /// set. A larger one, forward or back, is a break.
    static let recordingStep = TimeSpan.seconds(3_600)
}

/// The time in the name of an epoch. The names are ULIDs: ten digits of base 32 for the milliseconds since 1970, and
/// sixteen random digits.
enum EpochTime {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Returns the beginning of the epoch; `nil` for a name of another form.
    static func beginning(ofEpoch name: String) -> WallTime? {
        let values = name.utf8.compactMap { digits.firstIndex(of: $0) }
        // Ten digits have 50 bits, and a time has 48.
        guard name.utf8.count == 26, values.count == 26, let first = values.first, first < 8 else { return nil }
        let milliseconds = values.prefix(10).reduce(Int64(0)) { $0 << 5 | Int64($1) }
        return WallTime(microseconds: milliseconds * 1_000)
    }
}
