import HCI
import HeapModule
import MQTT
import Messages

/// Everything that is going to happen, in the order of time; what is due at one instant happens in the order in which it
/// was put down.
struct Agenda {
    enum Occurrence {
        /// A device of the shop advertises.
        case advertising(device: Int)
        /// The controller answers a command.
        case controllerAnswers(life: Int, [UInt8])
        /// The kernel is done with changing the adapter's power.
        case repairEnds(life: Int, SimulatedRepair)
        /// A timer of the radio loop.
        case radioDue(life: Int)
        /// The delivery loop's next round.
        case deliveryDue(life: Int)
        case arrivesAtBroker(attempt: Int, ClientPacket)
        case arrivesAtClient(attempt: Int, ClientEvent, isOrdered: Bool)
        /// The client library's ping.
        case ping(attempt: Int)
        /// The broker looks whether it has heard from its client.
        case keepaliveCheck(attempt: Int)
        case fault(index: Int)
        case faultEnds(index: Int)
        case agentStarts
        case end
    }

    private struct Entry: Comparable {
        var at: Instant
        var number: UInt64
        var occurrence: Occurrence

        static func < (left: Entry, right: Entry) -> Bool { (left.at, left.number) < (right.at, right.number) }
        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
    }

    private var entries = Heap<Entry>()
    private var lastNumber: UInt64 = 0

    mutating func add(_ occurrence: Occurrence, at instant: Instant) {
        lastNumber += 1
        entries.insert(Entry(at: instant, number: lastNumber, occurrence: occurrence))
    }

    mutating func next() -> (at: Instant, occurrence: Occurrence)? {
        entries.popMin().map { ($0.at, $0.occurrence) }
    }

    var nextTime: Instant { entries.min?.at ?? .distantFuture }
}
