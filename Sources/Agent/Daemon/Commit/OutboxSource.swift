import Core

/// The outbox as the publisher's source: gaps first, then durable messages in order.
///
/// Each message gets a ticket; tickets ascend in the order of sending. Positions in the outbox would not do: an outbox
/// whose disk comes back may send older messages after newer ones.
struct OutboxSource: OutgoingSource {
    private enum Item {
        case queued(QueuedMessage)
        case gap(OutboxGap)
    }

    private let outbox: Outbox
    /// Writes the `gap` messages.
    private let composer: MessageComposer
    private let integrations: Integrations
    /// The present time for a message. In a replay it is the capture's.
    package var now: () -> (Instant, Timebase)
    private var underWay: [UInt64: Item] = [:]
    private var lastTicket: UInt64 = 0
    /// Gaps that were taken from the outbox and are not told yet.
    private var gaps: [OutboxGap] = []
    /// Gaps in epochs of a former gateway, which are told under that gateway's topics first.
    private var formerGaps: [OutboxGap] = []

    init(_ dispatcher: Dispatcher, now: @escaping () -> (Instant, Timebase)) {
        outbox = dispatcher.outbox
        composer = dispatcher.composer
        integrations = dispatcher.integrations
        self.now = now
    }

    package mutating func next(after sequence: UInt64?, limit: Int) -> [OutgoingMessage] {
        takeGaps()
        defer { gaps = [] }
        let (now, timebase) = now()
        return gaps.map { ticket($0) }
            + outbox.next(limit: limit).map { queued in
                ticket(
                    .queued(queued), Message(queued.message), companions: integrations.companions(of: queued.message),
                    present: integrations.present(after: queued.message, at: timebase.wall(now)))
            }
    }

    package mutating func nextOfFormerGateway(after sequence: UInt64?, limit: Int) -> [OutgoingMessage] {
        takeGaps()
        defer { formerGaps = [] }
        return formerGaps.map { ticket($0, under: writer(of: $0).topics) }
            + outbox.nextOfFormerOwners(limit: limit).map { ticket(.queued($0), Message($0.message)) }
    }

    private mutating func takeGaps() {
        for gap in outbox.takeGaps() {
            let isFormer = outbox.formerOwner(ofEpoch: gap.epoch).map { $0 != composer.topics.root } ?? false
            if isFormer { formerGaps.append(gap) } else { gaps.append(gap) }
        }
    }

    /// A gap names the gateway of its epoch, under whichever topic it is told.
    private func writer(of gap: OutboxGap) -> MessageComposer {
        outbox.formerOwner(ofEpoch: gap.epoch).flatMap { TopicTree(root: $0) }.map(composer.speaking) ?? composer
    }

    /// - Parameter topics: where the gap is told; `nil` for this gateway's own topics.
    private mutating func ticket(_ gap: OutboxGap, under topics: TopicTree? = nil) -> OutgoingMessage {
        let (now, timebase) = now()
        var message = writer(of: gap).gap(
            epoch: gap.epoch, of: gap.series, fromSeq: gap.fromSeq, toSeq: gap.toSeq, cause: gap.cause.rawValue,
            at: now,
            timebase)
        message.topic = (topics ?? composer.topics).gap
        return ticket(.gap(gap), message, givesUp: underWay(within: gap))
    }

    /// Tickets of messages that were sent before the outbox dropped them. They must not follow the gap that has their
    /// numbers.
    private func underWay(within gap: OutboxGap) -> [UInt64] {
        let tickets = underWay.filter { item in
            guard case .queued(let queued) = item.value, queued.number.epoch == gap.epoch,
                queued.number.series == gap.series
            else { return false }
            return gap.numbers.contains(queued.number.seq)
        }
        return tickets.keys.sorted()
    }

    private mutating func ticket(
        _ item: Item, _ message: Message, givesUp: [UInt64] = [], companions: [Message] = [],
        present: String? = nil
    ) -> OutgoingMessage {
        lastTicket += 1
        underWay[lastTicket] = item
        return OutgoingMessage(
            sequence: lastTicket, message, givesUp: givesUp, companions: companions, present: present)
    }

    package mutating func acknowledge(_ sequences: [UInt64]) {
        var positions: [Position] = []
        for sequence in sequences {
            switch underWay.removeValue(forKey: sequence) {
            case .queued(let queued): positions.append(queued.position)
            case .gap(let gap):
                outbox.confirm(gap)
                for ticket in underWay(within: gap) { underWay[ticket] = nil }
            case nil: break
            }
        }
        outbox.acknowledge(positions)
    }

    package mutating func park(_ sequence: UInt64) {
        if case .queued(let queued) = underWay.removeValue(forKey: sequence) {
            outbox.park(queued)
        }
    }

    /// Gives up a message of a former gateway. A gap that the broker refuses under the former topics is told under this
    /// gateway's.
    package mutating func giveUp(_ sequence: UInt64) {
        switch underWay.removeValue(forKey: sequence) {
        case .queued(let queued): outbox.giveUp(queued)
        case .gap(let gap): gaps.append(gap)
        case nil: break
        }
    }
}
