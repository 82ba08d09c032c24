/// A time of day: microseconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
///
/// It is only ever published or stored. No rule is decided by it, because wall clocks are stepped.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since the Unix epoch.
    public var microseconds: Int64

    /// 1970-01-01T00:00:00 UTC.
    public static let unixEpoch = WallTime(microseconds: 0)

    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    @inlinable
    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    @inlinable
    public static func + (left: WallTime, right: TimeSpan) -> WallTime {
        WallTime(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    @inlinable
    public static func - (left: WallTime, right: TimeSpan) -> WallTime {
        WallTime(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    @inlinable
    public static func - (left: WallTime, right: WallTime) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }
}
