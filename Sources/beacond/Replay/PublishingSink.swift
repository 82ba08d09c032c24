import Agent
import Core
import Glibc
import Logging

/// Publishes through the same outbox and client as `run`, and waits for the broker as long as it takes.
struct PublishingSink: ReplaySink {
    private let dispatcher: Dispatcher
    private let publisher: Publisher
    private let logger: Logger
    private var outgoing: OutboxSource
    private let signals: StopSignals
    private var announcedEpoch: String

    /// A round of waiting is no longer, so that a signal is noticed soon.
    static let round = TimeSpan.milliseconds(100)

    /// - Parameter start: when the capture begins, which is the only time that messages know of.
    init(_ broker: BrokerSettings, dispatcher: Dispatcher, start: WallTime, signals: StopSignals, logger: Logger) {
        self.dispatcher = dispatcher
        self.signals = signals
        self.logger = logger
        announcedEpoch = dispatcher.outbox.numbering.epoch
        let (now, timebase) = (Instant(microseconds: start.microseconds), ReplaySession.initialTimebase)
        publisher = Publisher(
            broker, dispatcher,
            link: BrokerLink(settings: broker, clientID: Publisher.clientID(dispatcher.composer.topics)),
            radio: .replay, at: now,
            timebase, seed: .random(in: .min ... .max), logger: logger)
        outgoing = OutboxSource(dispatcher) { (now, timebase) }
    }

    var isStopped: Bool { signals.arePending }

    mutating func take(_ items: [Dispatcher.Dispatched], start: Instant, _ timebase: Timebase) {
        if let last = items.last?.at { outgoing.now = { (last, timebase) } }
        publisher.publish(items, outgoing: &outgoing, logger: logger)
        run(for: .zero)
    }

    mutating func wait(until deadline: Instant) {
        while !isStopped, SystemClock.now < deadline { run(for: min(Self.round, deadline - SystemClock.now)) }
    }

    mutating func waitForInput(_ descriptor: Int32) -> Bool {
        while !isStopped {
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&input, 1, 0) > 0 { return true }
            run(for: Self.round, wake: descriptor)
        }
        return false
    }

    mutating func finish() -> Replay.Problem? {
        publisher.outgoingAvailable()
        while !isStopped, !isEmpty {
            run(for: Self.round)
            // A disk that works again may have brought events back, and a former gateway's may have been given up.
            if publisher.isDrained, !isEmpty { publisher.outgoingAvailable() }
        }
        return isEmpty ? nil : .stopped
    }

    /// Everything has arrived, or has been stated as a gap that has. An event that the broker refuses for what it is stays in the
    /// outbox, and here too.
    private var isEmpty: Bool {
        publisher.isDrained && dispatcher.outbox.health.queuedEvents == 0 && !dispatcher.outbox.hasGaps
    }

    /// Says goodbye with the status that the capture ended with.
    mutating func close(offline: Message) {
        if !publisher.close(offline: offline, timeout: DeliveryLoop.closingTime, outgoing: &outgoing) {
            logger.warning("mqtt: \(publisher.complaintOfClose)")
        }
    }

    private mutating func run(for timeout: TimeSpan, wake: Int32 = -1) {
        dispatcher.outbox.tick(at: SystemClock.now, wallTime: SystemClock.wall)
        for report in dispatcher.outbox.takeReports() { logger.warning("\(report)") }
        if dispatcher.outbox.numbering.epoch != announcedEpoch { announceEpoch() }
        if dispatcher.outbox.hasFormerOwner { publisher.formerEventsAvailable() }
        publisher.run(for: timeout, wake: wake, outgoing: &outgoing)
        do throws(OutboxError) {
            try dispatcher.tidy(clearedTopics: publisher.takeCleared())
        } catch {
            logger.error("\(error)")
        }
    }

    private mutating func announceEpoch() {
        announcedEpoch = dispatcher.outbox.numbering.epoch
        let (now, timebase) = outgoing.now()
        publisher.announceEpoch(dispatcher, radio: .replay, at: now, timebase)
    }
}
