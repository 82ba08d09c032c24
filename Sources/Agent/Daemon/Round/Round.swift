import Core
import Logging

/// The main loop of a process that publishes, be it live or a replay, a gateway or a store. Each turn takes the
/// engine's update, commits it, publishes what is due by time, and lets the sink deliver.
///
/// One thread owns a round, which may wait for the disk and the broker as long as it takes. It reads no clock of its
/// own.
package final class Round {
    /// The kind of a round, which decides about `health` and the passing of time.
    package enum Kind {
        /// Time passes by itself, and the machine has figures.
        case live(any Machine)
        /// Time is the recording's, and the replay calls for what is due. Printed output is the same every time, so its
        /// pseudonyms keep their key. Published output has a new key every day, like a live process.
        case replay(renewsKey: Bool)
    }

    static let longest = TimeSpan.seconds(1)

    package let dispatcher: Dispatcher
    package let sink: any MessageSink
    private let engine: any Engine
    private let clock: any RoundClock
    private let kind: Kind
    private let logger: Logger
    private var group = CommitGroup()
    private var health: HealthReporter
    private var healthDue: Instant
    /// True if the last health had the engine's figures, and its state of the connection.
    private var publishedHealth = (hadFigures: false, wasConnected: false)
    private var secondBegan = Instant.origin
    private var radio: MessageComposer.RadioStatus
    /// The epoch that the last status named as begun.
    private var announcedEpoch: String
    private var hasBegun = false
    private var statusLine = StatusLine()
    /// The first error of the outbox, which is a fault of the agent.
    package private(set) var failure: OutboxError?

    /// - Parameter radio: the radio's part of the first status.
    package init(
        _ engine: any Engine, _ dispatcher: Dispatcher, to sink: any MessageSink, by clock: any RoundClock,
        _ kind: Kind, radio: MessageComposer.RadioStatus, logger: Logger
    ) {
        self.engine = engine
        self.dispatcher = dispatcher
        self.sink = sink
        self.clock = clock
        self.kind = kind
        self.radio = radio
        self.logger = logger
        healthDue = clock.now
        health = HealthReporter(at: clock.now)
        announcedEpoch = dispatcher.outbox.numbering.epoch
    }

    private var machine: (any Machine)? { if case .live(let machine) = kind { machine } else { nil } }

    /// Publishes the status, and clears what earlier processes have left. The first turn calls it.
    package func begin() {
        if hasBegun { return }
        hasBegun = true
        sink.setWill(status(isOnline: false))
        publish([status(isOnline: true)] + dispatcher.clearances)
        attempt { () throws(OutboxError) in try dispatcher.introduce(at: clock.now, clock.timebase) }
        sink.clear(former: dispatcher.formerClearances)
    }

    // MARK: - A turn

    /// One turn.
    ///
    /// - Returns: whether there will be more turns.
    @discardableResult
    package func turn() -> Bool {
        machine?.deliveryMoves()
        let update = engine.take(at: clock.now)
        receive(update)
        if machine != nil { look() }
        deliver(for: machine == nil || update.isLast ? .zero : wait, wake: engine.wake)
        let refusals = engine.receive(sink.takeIncoming(), at: clock.now, clock.timebase)
        commit(refusals.map { .message($0, at: $0.at) })
        return !update.isLast
    }

    /// Lets the sink deliver, and waits for more at most `span`, or until `wake` is readable. A replay calls it while
    /// real time passes.
    package func deliver(for span: TimeSpan, wake: Int32 = -1) {
        if dispatcher.outbox.numbering.epoch != announcedEpoch { announceEpoch() }
        for report in dispatcher.outbox.takeReports() { logger.warning("\(report)") }
        sink.run(for: span, wake: wake)
    }

    private var wait: TimeSpan {
        let due = min(min(healthDue, group.due), engine.nextDeadline)
        return min(Self.longest, max(.zero, due - clock.now))
    }

    private func receive(_ update: EngineUpdate) {
        if let radio = update.radio { self.radio = radio }
        if !hasBegun { begin() } else if update.radio != nil { announceStatus() }
        if let complaint = update.complaint { logger.warning("\(complaint)") }
        guard machine != nil else { return commit(update.outputs) }
        group.add(update.outputs, at: clock.now)
        if update.overflow.lostEvents > 0 {
            // These changes happened after all that waits, so their numbers come after it.
            commit(group.take(isLast: true, at: clock.now))
            attempt { () throws(OutboxError) in
                try dispatcher.stateLoss(update.overflow.lostEvents)
                return []
            }
        }
        group.add(update.overflow.lastStates, at: clock.now)
        commit(group.take(isLast: update.isLast, at: clock.now))
    }

    private func commit(_ outputs: [GatewayOutput]) {
        if outputs.isEmpty { return }
        if machine == nil { renewKey() }
        let location = dispatcher.locationStatus
        attempt { () throws(OutboxError) in try dispatcher.dispatch(outputs, clock.timebase) }
        // The will repeats the status's part about the place.
        if dispatcher.locationStatus != location { sink.setWill(status(isOnline: false)) }
    }

    private func attempt(_ dispatch: () throws(OutboxError) -> [Dispatcher.Dispatched]) {
        do throws(OutboxError) {
            let items = try dispatch()
            if !items.isEmpty { sink.take(items, at: clock.now) }
        } catch {
            failure = failure ?? error
            logger.error("\(error)")
        }
    }

    private func publish(_ messages: [Message]) {
        let items = messages.map { Dispatcher.Dispatched(at: clock.now, content: .message($0)) }
        if !items.isEmpty { sink.take(items, at: clock.now) }
    }

    // MARK: - Status

    private func status(isOnline: Bool) -> Message {
        dispatcher.status(isOnline: isOnline, radio: radio, at: clock.now, clock.timebase)
    }

    private func announceStatus() {
        publish([status(isOnline: true)])
        sink.setWill(status(isOnline: false))
    }

    /// Announces a new epoch: the status names it, and the states name no event of the former one.
    private func announceEpoch() {
        announcedEpoch = dispatcher.outbox.numbering.epoch
        announceStatus()
        publish(dispatcher.statesOfNewEpoch(clock.timebase))
    }

    /// Renews the day's secret for pseudonyms.
    func renewKey() {
        switch kind {
        case .live(let machine):
            dispatcher.renewPseudonymKey(at: clock.timebase.wall(clock.now), random: machine.secret)
        case .replay(renewsKey: true):
            dispatcher.renewPseudonymKey(at: clock.timebase.wall(clock.now), random: PseudonymKey.random)
        case .replay(renewsKey: false): break
        }
    }

    // MARK: - Timed work

    /// The timed work of a live process: coverage, the status line, health.
    private func look() {
        let now = clock.now
        if now - secondBegan >= Self.longest {
            secondBegan = now
            renewKey()
            publishCoverage()
        }
        if let line = statusLine.line(radio: radio.word, sink.delivery ?? DeliveryCounters(), dispatcher.outbox.health)
        {
            machine?.reportStatus(line)
        }
        if now >= healthDue || isHealthStale { publishHealth() }
    }

    /// True if health is due now. The retained health must not report for a minute that the broker is away, nor
    /// figures from before an outage. The engine's first figures come a second after the start, when health was published
    /// without them.
    private var isHealthStale: Bool {
        publishedHealth.wasConnected != sink.delivery?.isConnected
            || !publishedHealth.hadFigures && engine.figures(at: clock.now) != nil
    }

    private func publishCoverage() {
        attempt { () throws(OutboxError) in try dispatcher.publishCoverage(at: clock.now, clock.timebase) }
    }

    /// Ends a minute of a replay: coverage and health are published.
    package func endMinute() {
        publishCoverage()
        publishHealth()
    }

    /// Excludes the time until now from rates: no report could come in it.
    package func skipHealth(to instant: Instant) { health.skip(to: instant) }

    package func publishHealth() {
        let (now, timebase) = (clock.now, clock.timebase)
        let figures = engine.figures(at: now)
        if now >= healthDue || !publishedHealth.hadFigures { healthDue = now + HealthReporter.interval }
        publishedHealth = (figures != nil, sink.delivery?.isConnected ?? false)
        let report = health.report(
            figures, sink.delivery == nil ? nil : dispatcher.outbox.health, live(at: timebase.wall(now)), at: now)
        publish([dispatcher.composer.health(report, at: now, timebase)])
        let complaint = machine?.writeMetrics {
            dispatcher.composer.metrics(
                report, radio: radio, isClockSynced: timebase.isSynced,
                agent: report.engine.store == nil ? nil : SiteSettings.gatewayID)
        }
        if let complaint { logger.warning("\(complaint)") }
    }

    private func live(at wall: WallTime) -> HealthReporter.Live? {
        machine.map {
            HealthReporter.Live(
                delivery: sink.delivery ?? DeliveryCounters(), process: $0.processUsage(),
                certificate: $0.certificate().map { HealthReport.OwnCertificate($0, at: wall) })
        }
    }

    // MARK: - The end

    /// Ends the process's coverage.
    package func end() {
        attempt { () throws(OutboxError) in try dispatcher.endCoverage(at: clock.now, clock.timebase) }
    }

    /// Says goodbye and closes the outbox.
    package func close() {
        end()
        sink.close(status(isOnline: false), at: clock.now)
        dispatcher.outbox.close()
        for report in dispatcher.outbox.takeReports() { logger.warning("\(report)") }
        if machine != nil { logger.info("\(HealthReporter.closingLine(engine.figures(at: clock.now)))") }
    }

    /// Works until the engine's last update, then says goodbye.
    package func run() {
        engine.waitForRadio()
        while turn() {}
        close()
    }
}
