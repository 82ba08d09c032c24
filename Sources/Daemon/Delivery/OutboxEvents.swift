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
    /// Gaps that were taken from the outbox and wait to be told.
    private var gaps: [OutboxGap] = []
    /// Those in epochs of a former gateway, which are told under its topics first.
    private var formerGaps: [OutboxGap] = []

    package init(_ dispatcher: Dispatcher, now: @escaping () -> (Instant, Timebase)) {
        outbox = dispatcher.outbox
        composer = dispatcher.composer
        self.now = now
    }

    package mutating func next(after sequence: UInt64?, limit: Int) -> [OutgoingEvent] {
        takeGaps()
        defer { gaps = [] }
        return gaps.map { ticket($0, topic: composer.topics.gap) } + outbox.next(limit: limit).map { ticket($0) }
    }

    package mutating func nextOfFormerGateway(after sequence: UInt64?, limit: Int) -> [OutgoingEvent] {
        takeGaps()
        defer { formerGaps = [] }
        return formerGaps.map { ticket($0, topic: writer(of: $0).topics.gap) }
            + outbox.nextOfFormerOwners(limit: limit).map { ticket($0) }
    }

    private mutating func takeGaps() {
        for gap in outbox.takeGaps() {
            let isFormer = outbox.formerOwner(ofEpoch: gap.epoch).map { $0 != composer.topics.root } ?? false
            if isFormer { formerGaps.append(gap) } else { gaps.append(gap) }
        }
    }

    /// A gap is its epoch's gateway's to state, wherever it is told.
    private func writer(of gap: OutboxGap) -> MessageComposer {
        outbox.formerOwner(ofEpoch: gap.epoch).flatMap { TopicTree(root: $0) }.map(composer.speaking) ?? composer
    }

    private mutating func ticket(_ gap: OutboxGap, topic: String) -> OutgoingEvent {
        let (now, timebase) = now()
        let message = writer(of: gap).gap(
            epoch: gap.epoch, of: gap.kind == .coverage ? .spans : .events, fromSeq: gap.fromSeq, toSeq: gap.toSeq,
            cause: gap.cause.rawValue, at: now, timebase)
        return ticket(.gap(gap), topic: topic, payload: message.payload, givesUp: underWay(within: gap))
    }

    /// What was handed out before the outbox dropped it. It must not come after the gap that has its number.
    private func underWay(within gap: OutboxGap) -> [UInt64] {
        let tickets = underWay.filter { item in
            guard case .event(let event) = item.value, event.epoch == gap.epoch, event.kind == gap.kind else {
                return false
            }
            return gap.fromSeq <= event.seq && event.seq <= gap.toSeq
        }
        return tickets.keys.sorted()
    }

    /// An access list that was written before there were spans of coverage must not hold up the events.
    private mutating func ticket(_ event: QueuedEvent) -> OutgoingEvent {
        var outgoing = ticket(.event(event), topic: event.topic, payload: event.payload)
        outgoing.isOptional = event.kind == .coverage
        return outgoing
    }

    private mutating func ticket(
        _ item: Item, topic: String, payload: [UInt8], givesUp: [UInt64] = []
    ) -> OutgoingEvent {
        lastTicket += 1
        underWay[lastTicket] = item
        return OutgoingEvent(sequence: lastTicket, topic: topic, payload: payload, givesUp: givesUp)
    }

    package mutating func acknowledge(_ sequences: [UInt64]) {
        var positions: [Int64] = []
        for sequence in sequences {
            switch underWay.removeValue(forKey: sequence) {
            case .event(let event): positions.append(event.position)
            case .gap(let gap):
                outbox.confirm(gap)
                for ticket in underWay(within: gap) { underWay[ticket] = nil }
            case nil: break
            }
        }
        outbox.acknowledge(positions)
    }

    package mutating func park(_ sequence: UInt64, reason: ReasonCode) {
        if case .event(let event) = underWay.removeValue(forKey: sequence) { outbox.park(event, reason: "\(reason)") }
    }

    /// The numbers that a former gateway loses so are told under this one's topics, where its own are closed to us.
    package mutating func giveUp(_ sequence: UInt64) {
        switch underWay.removeValue(forKey: sequence) {
        case .event(let event): outbox.giveUp(event)
        case .gap(let gap): gaps.append(gap)
        case nil: break
        }
    }
}
