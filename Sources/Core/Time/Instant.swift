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
