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
