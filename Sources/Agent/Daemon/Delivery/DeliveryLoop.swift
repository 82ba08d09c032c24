import Core
import Logging

/// The delivery loop: takes what the engine tells, commits it, and delivers it. One thread; it may wait for the disk and
/// the broker as long as it takes.
///
/// It reads no clock and opens nothing of its own: `Machine` and `BrokerConnection` stand for what is outside.
package final class DeliveryLoop {
    static let longestRound = TimeSpan.seconds(1)
    package static let closingTime = TimeSpan.seconds(5)

    private let queue: DeliveryQueue
    private let dispatcher: Dispatcher
    private let publisher: Publisher
    private let logger: Logger
    private var outgoing: OutboxSource
    private var health: HealthReporter
    /// What the last health said of the connection.
    private var wasConnected = false
    /// `nil` where requests are not answered.
    private var requests: RequestHandler?
    /// A store's engine; `nil` in a gateway, whose engine is on the radio loop.
    private var store: StoreFeed?
    private var status: MessageComposer.RadioStatus
    private let machine: any Machine
    private let mayAdminister: Bool
    /// The epoch that `beginEpoch` was called for. A status that the radio gives rise to names the epoch too, but begins none.
    private var begunEpoch = ""
    private var healthDue: Instant
    private var lastOutboxTick = Instant.origin
    private var group = CommitGroup()
    private var statusLine = StatusLine()
    private var formerClearances: [Message]

    /// - Parameters:
    ///   - broker: how to speak to it.
    ///   - answersRequests: whether they are received at all.
    ///   - store: what joins the gateways of a store, in a process that is one.
    ///   - mayAdminister: the process has CAP_NET_ADMIN.
    ///   - seed: for the jitter of pauses between connections.
    package init(
        broker: BrokerSettings, link: any BrokerConnection, queue: DeliveryQueue, requests: RequestQueue,
        answersRequests: Bool, store: StoreFeed? = nil, dispatcher: Dispatcher, machine: any Machine,
        mayAdminister: Bool, seed: UInt64, logger: Logger
    ) {
        self.store = store
        self.queue = queue
        self.dispatcher = dispatcher
        self.machine = machine
        self.logger = logger
        self.mayAdminister = mayAdminister
        let radio = store?.status ?? .live(RadioCondition(.absent, mayAdminister: mayAdminister))
        status = radio
        let topics = dispatcher.composer.topics
        publisher = Publisher(
            broker, dispatcher, link: link, radio: radio, at: machine.now, machine.timebase,
            requestFilters: store?.filters ?? (answersRequests ? [topics.requestFilter] : []),
            limits: store == nil ? .requests : StoreFeed.limits, seed: seed, logger: logger)
        if answersRequests, store == nil {
            self.requests = RequestHandler(topics: topics, integrations: dispatcher.integrations, queue: requests)
        }
        outgoing = OutboxSource(dispatcher) { (machine.now, machine.timebase) }
        healthDue = machine.now
        health = HealthReporter(at: healthDue)
        formerClearances = dispatcher.formerClearances
        for message in dispatcher.clearances { publisher.setRetained(message) }
        publish { () throws(OutboxError) in try dispatcher.introduce(at: machine.now, machine.timebase) }
    }

    /// What the first status and the will say of the radio is known some milliseconds after the start: they wait for it.
    private static let radioPatience = TimeSpan.milliseconds(500)

    /// Works until the queue is finished, then says goodbye.
    package func run() {
        if store == nil { queue.waitForAvailability(for: Self.radioPatience) }
        while round() {}
        close()
    }

    /// One round: what waits in the queue, what is due, what goes to the broker and comes from it.
    ///
    /// - Returns: whether there will be more.
    func round() -> Bool {
        machine.deliveryMoves()
        let content = queue.take()
        receive(content)
        tellStore(isLast: content.isClosed)
        publish(group.take(isLast: content.isClosed, at: machine.now))
        look()
        publisher.run(for: content.isClosed ? .zero : wait(), wake: queue.wake, outgoing: &outgoing)
        tidy()
        receive(publisher.takeIncoming())
        return !content.isClosed
    }

    private func wait() -> TimeSpan {
        let due = min(min(healthDue, group.due), store?.nextDeadline ?? .distantFuture)
        return min(Self.longestRound, max(.zero, due - machine.now))
    }

    /// What the store's engine has to tell.
    private func tellStore(isLast: Bool) {
        guard store != nil else { return }
        let now = machine.now
        group.add((isLast ? store?.stop(at: now) : store?.take(at: now)) ?? [], at: now)
        if let figures = store?.takeFigures(at: now) { health.note(figures) }
        guard let told = store?.takeStatus() else { return }
        status = told
        group.add([.radio(told.covered, at: now)], at: now)
        announceStatus()
    }

    private func receive(_ content: DeliveryQueue.Content) {
        if let availability = content.availability {
            let condition = RadioCondition(availability, mayAdminister: mayAdminister)
            status = .live(condition)
            announceStatus()
            // That it scans is said by the radio, with the adapter's name.
            if !condition.remedy.isEmpty { logger.warning("radio: \(availability.rawValue): \(condition.remedy)") }
        }
        if let figures = content.figures {
            // The first ones are there a second after the start, when health has been said without them.
            if !health.hasFigures { healthDue = machine.now }
            health.note(figures, content.radio)
        }
        group.add(content.outputs, at: machine.now)
        if content.overflow.lostEvents > 0 {
            // They happened after everything that waits, so they have the numbers after it.
            publish(group.take(isLast: true, at: machine.now))
            stateLoss(content.overflow.lostEvents)
        }
        group.add(content.overflow.lastStates, at: machine.now)
    }

    private func stateLoss(_ count: Int64) {
        do throws(OutboxError) {
            try dispatcher.stateLoss(count)
        } catch {
            logger.error("\(error)")
        }
    }

    /// Requests of the right form go on to the engine; the others are refused at once.
    private func receive(_ incoming: [IncomingMessage]) {
        if store != nil {
            store?.receive(incoming, at: machine.now, machine.timebase)
            return
        }
        let refusals = requests?.receive(incoming, at: machine.now) ?? []
        for refusal in refusals {
            publisher.answer(dispatcher.composer.response(refusal, eventSeq: { _ in 0 }, machine.timebase))
        }
    }

    private func publish(_ outputs: [GatewayOutput]) {
        if outputs.isEmpty { return }
        let location = dispatcher.locationStatus
        publish { () throws(OutboxError) in try dispatcher.dispatch(outputs, machine.timebase) }
        guard dispatcher.locationStatus != location else { return }
        // The will says of the place what the status said just now.
        publisher.will = dispatcher.status(isOnline: false, radio: status, at: machine.now, machine.timebase)
    }

    private func publish(_ dispatch: () throws(OutboxError) -> [Dispatcher.Dispatched]) {
        do throws(OutboxError) {
            let items = try dispatch()
            if !items.isEmpty { publisher.publish(items, outgoing: &outgoing, logger: logger) }
        } catch {
            logger.error("\(error)")
        }
    }

    /// What is due by time: the outbox's own retries, a new epoch's birth, health.
    private func look() {
        let now = machine.now
        if now - lastOutboxTick >= Self.longestRound {
            lastOutboxTick = now
            let wall = machine.timebase.wall(now)
            dispatcher.outbox.tick(at: now, wallTime: wall)
            dispatcher.renewPseudonymKey(at: wall, random: machine.secret)
            publish { () throws(OutboxError) in try dispatcher.tellCoverage(at: now, machine.timebase) }
            clearFormerTopics()
            publisher.outgoingAvailable()
            if dispatcher.outbox.hasFormerOwner { publisher.formerEventsAvailable() }
        }
        for report in dispatcher.outbox.takeReports() { logger.warning("\(report)") }
        if dispatcher.outbox.numbering.epoch != begunEpoch { beginEpoch() }
        if let line = statusLine.news(radio: status.word, publisher.counters, dispatcher.outbox.health) {
            machine.tellStatus(line)
        }
        if now >= healthDue { healthDue = now + HealthReporter.interval } else if !isHealthStale { return }
        sayHealth(at: now)
    }

    /// The epoch is announced, and states that nobody knows are looked for.
    private func beginEpoch() {
        begunEpoch = dispatcher.outbox.numbering.epoch
        publisher.announceEpoch(dispatcher, radio: status, at: machine.now, machine.timebase)
        if !dispatcher.hasSearched { publisher.searchLeftovers() }
    }

    /// What the gateway that this one was has left comes after everything that is its own: the broker may refuse it, and some
    /// hang up instead.
    private func clearFormerTopics() {
        guard !formerClearances.isEmpty, publisher.counters.isConnected, publisher.isDrained else { return }
        for message in formerClearances { publisher.setRetained(message) }
        formerClearances = []
    }

    /// What is retained should not say for a minute that the broker which holds it is away, nor what was true before an
    /// outage.
    private var isHealthStale: Bool { wasConnected != publisher.counters.isConnected }

    private func sayHealth(at now: Instant) {
        wasConnected = publisher.counters.isConnected
        let live = HealthReporter.Live(
            delivery: publisher.counters, queue: queue.drops, requestFlood: requests?.floodCount ?? 0,
            process: machine.processUsage())
        let report = health.report(dispatcher.outbox.health, live, at: now)
        let timebase = machine.timebase
        publisher.setRetained(dispatcher.composer.health(report, at: now, timebase))
        let complaint = machine.writeMetrics {
            dispatcher.composer.metrics(
                report, radio: status, isClockSynced: timebase.isSynced,
                agent: store == nil ? nil : SiteSettings.gatewayID)
        }
        if let complaint { logger.warning("\(complaint)") }
    }

    private func tidy() {
        do throws(OutboxError) {
            if publisher.takeSearched() { dispatcher.noteSearched() }
            try dispatcher.tidy(clearedTopics: publisher.takeCleared())
        } catch {
            logger.error("\(error)")
        }
    }

    private func announceStatus() {
        publisher.announceStatus(dispatcher, radio: status, at: machine.now, machine.timebase)
    }

    /// The goodbye: the offline status, within `closingTime`, and the end of the outbox.
    func close() {
        publish { () throws(OutboxError) in try dispatcher.endCoverage(at: machine.now, machine.timebase) }
        let offline = dispatcher.status(isOnline: false, radio: status, at: machine.now, machine.timebase)
        let isDone = publisher.close(offline: offline, timeout: Self.closingTime, outgoing: &outgoing)
        if !isDone { logger.warning("mqtt: \(publisher.complaintOfClose)") }
        tidy()
        dispatcher.outbox.close()
        for report in dispatcher.outbox.takeReports() { logger.warning("\(report)") }
        logger.info("\(health.closingLine)")
    }
}
