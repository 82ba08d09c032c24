import HeapModule

/// Timers in the order of time; of those that are due at one instant, the one that was set first.
///
/// A timer is not searched for when its subject ends or becomes due at another time. The owner remembers when each subject
/// is due, and a timer that says otherwise is stale: the owner passes it over when it comes out. `throwOutStale` keeps the
/// queue in proportion to its subjects.
///
/// Timers are numbered in 32 bits, so that one of a small subject takes 16 octets: there may be 100,000 of them.
struct TimerQueue<Subject: Sendable>: Sendable {
    /// What is due, and when.
    struct Timer: Comparable, Sendable {
        package let due: Instant
        let number: UInt32
        let subject: Subject

        package static func < (left: Timer, right: Timer) -> Bool {
            left.due != right.due ? left.due < right.due : left.number < right.number
        }

        /// No two timers of a queue have one number.
        package static func == (left: Timer, right: Timer) -> Bool {
            left.due == right.due && left.number == right.number
        }
    }

    var timers = Heap<Timer>()
    var lastNumber: UInt32

    init() { self.init(lastNumber: 0) }

    /// - Parameter lastNumber: the number of the timer before the first one.
    init(lastNumber: UInt32) { self.lastNumber = lastNumber }

    /// How many timers are held, stale ones among them.
    package var count: Int { timers.count }

    /// The timer that is due first; `nil` where there is none.
    var first: Timer? { timers.min }

    /// When the first timer is due; `distantFuture` where there is none.
    var nextDue: Instant { timers.min?.due ?? .distantFuture }

    /// Sets memory aside for so many timers.
    mutating func reserveCapacity(_ count: Int) { timers.reserveCapacity(count) }

    mutating func set(_ subject: Subject, at due: Instant) {
        let number = nextNumber()
        timers.insert(Timer(due: due, number: number, subject: subject))
    }

    /// Takes the first timer out.
    @discardableResult
    mutating func removeFirst() -> Timer? { timers.popMin() }

    /// Sets the first timer again, which costs half of taking it out and setting another. Nothing where there is none.
    mutating func moveFirst(to due: Instant) {
        guard let first = timers.min else { return }
        let number = nextNumber()
        timers.replaceMin(with: Timer(due: due, number: number, subject: first.subject))
    }

    /// Throws the stale timers out if they are most of the queue. To be called after `set` where timers may be left behind:
    /// it goes through all of them, but not before as many were set as there are subjects.
    ///
    /// - Parameters:
    ///   - subjectCount: how many subjects have a timer, or may have one.
    ///   - isSet: whether a timer is the one that its subject is waiting for.
    mutating func throwOutStale(of subjectCount: Int, isSet: (Timer) -> Bool) {
        guard timers.count > 2 * (subjectCount + 64) else { return }
        timers = Heap(timers.unordered.filter(isSet))
    }

    /// All timers in no particular order, stale ones among them. For checks.
    package var all: [Timer] { timers.unordered }

    mutating func nextNumber() -> UInt32 {
        if lastNumber == .max { renumber() }
        lastNumber &+= 1
        return lastNumber
    }

    /// The numbers are used up, after 49 days of 1,000 timers a second: those that are held get the first ones, in order.
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
