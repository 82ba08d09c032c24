@testable import Core

/// All future events in the order of time. Events of one instant keep the order in which they were added.
struct Agenda<Occurrence> {
    private var timers = TimerQueue<Int>()
    /// Indexed by the subject of the timer: an occurrence may hold an object of this thread's, which a timer's subject
    /// may not.
    private var occurrences: [Int: Occurrence] = [:]
    private var lastNumber = 0

    mutating func add(_ occurrence: Occurrence, at instant: Instant) {
        lastNumber += 1
        occurrences[lastNumber] = occurrence
        timers.set(lastNumber, at: instant)
    }

    mutating func next() -> (at: Instant, occurrence: Occurrence)? {
        guard let timer = timers.removeFirst(), let occurrence = occurrences.removeValue(forKey: timer.subject) else {
            return nil
        }
        return (timer.due, occurrence)
    }

    var nextTime: Instant { timers.nextDue }
}

extension World {
    /// A future event.
    enum Occurrence {
        /// A device of the shop advertises.
        case advertising(device: Int)
        /// The controller answers a command.
        case controllerAnswers(life: Int, [UInt8])
        /// The kernel has finished changing the adapter's power.
        case repairEnds(life: Int, SimulatedRepair)
        /// A timer of the radio loop.
        case radioDue(life: Int)
        /// The delivery loop's next round.
        case deliveryDue(life: Int)
        /// An event on the connection to the broker.
        case wire(WireEvent)
        /// The van has moved, and its receiver reports that.
        case receiverSpeaks
        case fault(index: Int)
        case faultEnds(index: Int)
        case agentStarts
        case end
    }
}
