import HeapModule

/// A queue of timers in the order of time. Timers due at one instant come out in the order in which they were set.
///
/// The queue doesn't search for a timer whose subject ends or gets another deadline. The owner remembers the deadline
/// of each subject. A timer that differs from it is stale, and the owner ignores it when it comes out. `throwOutStale`
/// keeps the queue in proportion to its subjects.
///
/// Timers are numbered in 32 bits, so that one with a small subject takes 16 octets: there may be 100,000 of them.
struct TimerQueue<Subject: Sendable>: Sendable {
    struct Timer: Comparable, Sendable {
        let due: Instant
        let number: UInt32
        let subject: Subject

        static func < (left: Timer, right: Timer) -> Bool {
            left.due != right.due ? left.due < right.due : left.number < right.number
        }

        /// Compares numbers, which are unique within a queue.
        static func == (left: Timer, right: Timer) -> Bool { left.due == right.due && left.number == right.number }
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
    /// - Parameter isSet: returns whether its subject waits for this timer.
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
