/// A point on a monotonic clock: microseconds since an origin that the caller chooses (boot for a live radio, the first
/// record for a capture).
///
/// No pure target reads a clock; an `Instant` is always an argument. It says nothing about the time of day: that is
/// `WallTime`.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the origin.
    public var microseconds: Int64

    /// Where the clock's count begins.
    public static let origin = Instant(microseconds: 0)
    /// Later than anything that happens: a timer that is not set.
    public static let distantFuture = Instant(microseconds: .max)

    @inlinable
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// Saturates at `distantFuture`.
    @inlinable
    public static func + (left: Instant, right: TimeSpan) -> Instant {
        Instant(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    @inlinable
    public static func - (left: Instant, right: TimeSpan) -> Instant {
        Instant(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    /// The span from `right` to `left`.
    @inlinable
    public static func - (left: Instant, right: Instant) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }

    @inlinable
    public static func += (left: inout Instant, right: TimeSpan) { left = left + right }
}
