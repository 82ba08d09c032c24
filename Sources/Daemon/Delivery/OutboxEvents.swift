import HCI
import MQTT
import Messages
import Outbox

/// The outbox as the source that the publisher delivers from: stated gaps first, then events in order.
///
/// Each gets a ticket, ascending in the order in which it is handed out. An outbox whose disk comes back may hand out
/// older events after newer ones, so its own positions would not do.
package struct OutboxEvents: EventSource {
    private enum Item {
        case event(QueuedEvent)
        case gap(OutboxGap)
    }

    private let outbox: Outbox
    /// Writes the messages that state gaps.
    private let composer: MessageComposer
    /// What the clocks say, for the time of a message. Those of a replay are its capture's.
    package var now: () -> (Instant, Timebase)
    private var underWay: [UInt64: Item] = [:]
    private var lastTicket: UInt64 = 0

    package init(_ dispatcher: Dispatcher, now: @escaping () -> (Instant, Timebase)) {
        outbox = dispatcher.outbox
        composer = dispatcher.composer
        self.now = now
    }

    package mutating func next(after sequence: UInt64?, limit: Int) -> [OutgoingEvent] {
        var outgoing: [OutgoingEvent] = []
        for gap in outbox.takeGaps() {
            let (now, timebase) = now()
            let message = composer.gap(
                epoch: gap.epoch, fromSeq: gap.fromSeq, toSeq: gap.toSeq, cause: gap.cause.rawValue,
                at: now, timebase)
            outgoing.append(ticket(.gap(gap), topic: message.topic, payload: message.payload))
        }
        for event in outbox.next(limit: limit) {
            outgoing.append(ticket(.event(event), topic: event.topic, payload: event.payload))
        }
        return outgoing
    }

    private mutating func ticket(_ item: Item, topic: String, payload: [UInt8]) -> OutgoingEvent {
        lastTicket += 1
        underWay[lastTicket] = item
        return OutgoingEvent(sequence: lastTicket, topic: topic, payload: payload)
    }

    package mutating func acknowledge(_ sequences: [UInt64]) {
        var positions: [Int64] = []
        for sequence in sequences {
            switch underWay.removeValue(forKey: sequence) {
            case .event(let event): positions.append(event.position)
            case .gap(let gap): outbox.confirm(gap)
            case nil: break
            }
        }
        outbox.acknowledge(positions)
    }

    package mutating func park(_ sequence: UInt64, reason: ReasonCode) {
        if case .event(let event) = underWay.removeValue(forKey: sequence) { outbox.park(event, reason: "\(reason)") }
    }
}
