import HeapModule

/// A point on a monotonic clock: microseconds since an origin that the caller chooses. The origin is the boot for a
/// live radio and the first record for a capture.
///
/// `Core` reads no clock; an `Instant` is always an argument. The time of day is a `WallTime`.
package struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since the origin.
    package var microseconds: Int64

    /// The origin of the clock.
    package static let origin = Instant(microseconds: 0)
    /// Later than every event: the deadline of a timer that is not set.
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

    /// Returns the span from `right` to `left`.
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
    /// Microseconds.
    package var microseconds: Int64

    package static let zero = TimeSpan(microseconds: 0)
    /// The longest span; adding to it changes nothing.
    package static let forever = TimeSpan(microseconds: .max)

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

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

extension TimeSpan {
    /// The largest step between two records of a recording that is taken for time that passed, or for a clock that was
    /// set. A larger one, forward or back, is a break.
    static let recordingStep = TimeSpan.seconds(3_600)
}

/// A queue of timers in the order of time. Timers due at one instant come out in the order in which they were set.
///
/// The queue doesn't search for a timer whose subject ends or gets another deadline. The owner remembers the deadline
/// of each subject. A timer that differs from it is stale, and the owner ignores it when it comes out. `throwOutStale`
/// keeps the queue in proportion to its subjects.
///
/// Timers are numbered in 32 bits, so that one with a small subject takes 16 octets: there may be 100,000 of them.
struct TimerQueue<Subject: Sendable>: Sendable {
    /// A subject and its deadline.
    struct Timer: Comparable, Sendable {
        let due: Instant
        let number: UInt32
        let subject: Subject

        static func < (left: Timer, right: Timer) -> Bool {
            left.due != right.due ? left.due < right.due : left.number < right.number
        }

        /// Compares numbers, which are unique within a queue.
        static func == (left: Timer, right: Timer) -> Bool {
            left.due == right.due && left.number == right.number
        }
    }

    private var timers = Heap<Timer>()
    private(set) var lastNumber: UInt32

    init() { self.init(lastNumber: 0) }

    /// - Parameter lastNumber: the number before that of the first timer.
    init(lastNumber: UInt32) { self.lastNumber = lastNumber }

    /// The number of timers held, stale ones included.
    var count: Int { timers.count }

    /// The first timer that is due; `nil` where there is none.
    var first: Timer? { timers.min }

    /// The deadline of the first timer; `distantFuture` where there is none.
    var nextDue: Instant { timers.min?.due ?? .distantFuture }

    /// Reserves memory for `count` timers.
    mutating func reserveCapacity(_ count: Int) { timers.reserveCapacity(count) }

    mutating func set(_ subject: Subject, at due: Instant) {
        let number = nextNumber()
        timers.insert(Timer(due: due, number: number, subject: subject))
    }

    /// Removes the first timer.
    @discardableResult
    mutating func removeFirst() -> Timer? { timers.popMin() }

    /// Moves the first timer, if there is one, to another deadline. That costs half of removing it and setting another.
    mutating func moveFirst(to due: Instant) {
        guard let first = timers.min else { return }
        let number = nextNumber()
        timers.replaceMin(with: Timer(due: due, number: number, subject: first.subject))
    }

    /// Removes the stale timers if they are most of the queue. The caller calls it after `set` where stale timers may
    /// pile up. A call goes through all timers, but only after as many were set as there are subjects.
    ///
    /// - Parameters:
    /// - subjectCount: the number of subjects that have or may have a timer.
    /// - isSet: returns whether its subject waits for this timer.
    mutating func throwOutStale(of subjectCount: Int, isSet: (Timer) -> Bool) {
        guard timers.count > 2 * (subjectCount + 64) else { return }
        timers = Heap(timers.unordered.filter(isSet))
    }

    /// All timers in no particular order, stale ones included. For checks.
    var all: [Timer] { timers.unordered }

    private mutating func nextNumber() -> UInt32 {
        if lastNumber == .max { renumber() }
        lastNumber &+= 1
        return lastNumber
    }

    /// Numbers the timers anew, in order, when the numbers are used up: after 49 days of 1,000 timers a second.
    private mutating func renumber() {
        lastNumber = 0
        let ordered = timers.unordered.sorted()
        timers = Heap(
            ordered.map { timer in
                lastNumber &+= 1
                return Timer(due: timer.due, number: lastNumber, subject: timer.subject)
            })
    }
}
