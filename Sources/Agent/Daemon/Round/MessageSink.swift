import Core
import Logging

/// The target of a round's messages: a broker, or standard output.
package protocol MessageSink: AnyObject {
    /// Takes the messages that were committed together. The durable ones are in the outbox.
    func take(_ items: [Dispatcher.Dispatched], at now: Instant)

    /// Clears the topics of this machine's previous site and gateway id.
    func clear(former messages: [Message])

    /// Sets the will, which tells that this process has vanished. A change takes effect with the next connection.
    func setWill(_ message: Message)

    /// The broker's messages since the last call.
    func takeIncoming() -> [IncomingMessage]

    /// Delivers, and waits for more at most `timeout`, or until `wake` is readable; −1 for none.
    func run(for timeout: TimeSpan, wake: Int32)

    /// The figures of delivery; `nil` where nothing is delivered, and `health` leaves the outbox out.
    var delivery: DeliveryCounters? { get }

    /// True if the broker has all messages, or the gaps that replace them.
    var isDelivered: Bool { get }

    /// Says goodbye with the offline status.
    func close(_ offline: Message, at now: Instant)
}

extension Publisher {
    /// One client for each gateway of a site. The separator is a slash, which no site and no id may have. With dashes,
    /// "north", "1-door" and "north-1", "door" would be one client, and disconnect each other.
    package static func clientID(_ topics: TopicTree) -> String { "beacond/" + topics.root }
}

/// The broker as a sink. The outbox is its source, and records what the broker has acknowledged.
package final class BrokerSink: MessageSink {
    static let closingTime = TimeSpan.seconds(5)
    /// The interval at which the outbox checks its disk, and messages of a former gateway are looked up.
    private static let upkeepInterval = TimeSpan.seconds(1)

    private let dispatcher: Dispatcher
    private let publisher: Publisher
    private var outgoing: OutboxSource
    /// The outbox's own clock, which a replay has too.
    private let outboxClock: () -> (now: Instant, wall: WallTime)
    private var upkeepDue = Instant.origin
    private var formerClearances: [Message] = []
    /// The last epoch in which unknown retained states were searched.
    private var searchedEpoch = ""
    private let logger: Logger

    /// - Parameters:
    ///   - link: the connection to the broker.
    ///   - radio: the radio's part of the birth message and the will.
    ///   - clock: dates the birth message, the will, and gaps.
    ///   - outboxClock: the machine's clocks; `nil` for `clock`.
    ///   - filters: topic filters to subscribe to on every connection, with the limits of their messages.
    ///   - seed: for the jitter of the pauses between connections.
    package init(
        _ broker: BrokerSettings, _ dispatcher: Dispatcher, link: any BrokerConnection,
        radio: MessageComposer.RadioStatus, clock: any RoundClock,
        outboxClock: (() -> (now: Instant, wall: WallTime))? = nil, filters: [String] = [],
        limits: IncomingLimits = .requests, seed: UInt64, logger: Logger
    ) {
        self.dispatcher = dispatcher
        self.logger = logger
        self.outboxClock = outboxClock ?? { (clock.now, clock.timebase.wall(clock.now)) }
        publisher = Publisher(
            settings: broker, link: link,
            online: dispatcher.status(isOnline: true, radio: radio, at: clock.now, clock.timebase),
            will: dispatcher.status(isOnline: false, radio: radio, at: clock.now, clock.timebase),
            requestFilters: filters, limits: limits, seed: seed, logger: logger)
        outgoing = OutboxSource(dispatcher) { (clock.now, clock.timebase) }
    }

    /// Events go out before the states that name them, as far as the window holds them. Where more events wait, states
    /// overtake them: states are the present, and must not wait.
    package func take(_ items: [Dispatcher.Dispatched], at now: Instant) {
        publisher.outgoingAvailable()
        publisher.run(for: .zero, wake: -1, outgoing: &outgoing)
        for item in items {
            switch item.content {
            case .message(let message): publisher.publish(message)
            case .failure(let failure): logger.error("\(failure)")
            case .notice(let notice): logger.warning("\(notice)")
            case .entityLimit(let limit): logger.warning("\(limit)")
            case .unlistedState(let topic):
                publisher.dropRetained(topic)
                publisher.searchLeftovers()
            }
        }
    }

    package func clear(former messages: [Message]) { formerClearances = messages }

    package func setWill(_ message: Message) { publisher.will = message }

    package func takeIncoming() -> [IncomingMessage] { publisher.takeIncoming() }

    package var delivery: DeliveryCounters? { publisher.counters }

    /// The broken rules of delivery among those that hold between two turns, a sentence for each; for tests.
    func checkInvariants() -> [String] { publisher.checkInvariants() }

    package func run(for timeout: TimeSpan, wake: Int32) {
        lookAfterOutbox()
        publisher.run(for: timeout, wake: wake, outgoing: &outgoing)
        tidy()
    }

    private func lookAfterOutbox() {
        let (now, wall) = outboxClock()
        if now >= upkeepDue {
            upkeepDue = now + Self.upkeepInterval
            dispatcher.outbox.tick(at: now, wallTime: wall)
            clearFormerTopics()
            publisher.outgoingAvailable()
            if dispatcher.outbox.hasFormerOwner { publisher.formerEventsAvailable() }
        }
        let epoch = dispatcher.outbox.numbering.epoch
        if searchedEpoch != epoch {
            searchedEpoch = epoch
            if !dispatcher.hasSearched { publisher.searchLeftovers() }
        }
    }

    /// The former gateway's topics come after all of this gateway's own. The broker may refuse them, and some brokers
    /// close the connection instead.
    private func clearFormerTopics() {
        guard !formerClearances.isEmpty, publisher.counters.isConnected, publisher.isDrained else { return }
        for message in formerClearances { publisher.setRetained(message) }
        formerClearances = []
    }

    private func tidy() {
        do throws(OutboxError) {
            if publisher.takeSearched() { dispatcher.recordSearch() }
            try dispatcher.tidy(clearedTopics: publisher.takeCleared())
        } catch {
            logger.error("\(error)")
        }
    }

    /// An event that the broker refuses because of its content stays in the outbox, and keeps this `false`.
    package var isDelivered: Bool {
        publisher.isDrained && formerClearances.isEmpty && !publisher.isSearching
            && dispatcher.outbox.health.queuedEvents == 0 && !dispatcher.outbox.hasGaps
    }

    /// Publishes the offline status within `closingTime`; otherwise the broker publishes the will.
    package func close(_ offline: Message, at now: Instant) {
        if !publisher.close(offline: offline, timeout: Self.closingTime, outgoing: &outgoing) {
            logger.warning("mqtt: \(publisher.complaintOfClose)")
        }
        tidy()
    }
}

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
    private let integrations: Integrations?
    /// The present time for a message. In a replay it is the capture's.
    package var now: () -> (Instant, Timebase)
    private var underWay: [UInt64: Item] = [:]
    private var lastTicket: UInt64 = 0
    /// Gaps that were taken from the outbox and are not published yet.
    private var gaps: [OutboxGap] = []
    /// Gaps in epochs of a former gateway, which are published under that gateway's topics first.
    private var formerGaps: [OutboxGap] = []

    init(_ dispatcher: Dispatcher, now: @escaping () -> (Instant, Timebase)) {
        outbox = dispatcher.outbox
        composer = dispatcher.composer
        integrations = dispatcher.integrations
        self.now = now
    }

    package mutating func next(limit: Int) -> [OutgoingMessage] {
        takeGaps()
        defer { gaps = [] }
        let (now, timebase) = now()
        return gaps.map { ticket($0) }
            + outbox.next(limit: limit).map { queued in
                ticket(
                    .queued(queued), Message(queued.message),
                    companions: integrations?.companions(of: queued.message) ?? [],
                    present: integrations?.present(after: queued.message, at: timebase.wall(now)))
            }
    }

    package mutating func nextOfFormerGateway(limit: Int) -> [OutgoingMessage] {
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

    /// A gap names the gateway of its epoch, under whichever topic it is published.
    private func writer(of gap: OutboxGap) -> MessageComposer {
        outbox.formerOwner(ofEpoch: gap.epoch).flatMap { TopicTree(root: $0) }.map(composer.with) ?? composer
    }

    /// - Parameter topics: where the gap is published; `nil` for this gateway's own topics.
    private mutating func ticket(_ gap: OutboxGap, under topics: TopicTree? = nil) -> OutgoingMessage {
        let (now, timebase) = now()
        var message = writer(of: gap).gap(
            epoch: gap.epoch, of: gap.series, fromSeq: gap.fromSeq, toSeq: gap.toSeq, cause: gap.cause.rawValue,
            at: now, timebase)
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
        _ item: Item, _ message: Message, givesUp: [UInt64] = [], companions: [Message] = [], present: String? = nil
    ) -> OutgoingMessage {
        lastTicket += 1
        underWay[lastTicket] = item
        return OutgoingMessage(
            sequence: lastTicket, message: message, givesUp: givesUp, companions: companions, present: present)
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

    /// Gives up a message of a former gateway. A gap that the broker refuses under the former topics is published under this
    /// gateway's.
    package mutating func giveUp(_ sequence: UInt64) {
        switch underWay.removeValue(forKey: sequence) {
        case .queued(let queued): outbox.giveUp(queued)
        case .gap(let gap): gaps.append(gap)
        case nil: break
        }
    }
}
