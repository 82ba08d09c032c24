import Agent
import Core
import Logging

/// Turns lines of gateways into the messages that a store is to publish, with the time of each.
struct SiteReplaySession {
    private(set) var engine: SiteEngine
    let dispatcher: Dispatcher
    let timebase: Timebase
    private let topics: TopicTree
    private var now = Instant.origin
    private var healthDue = Instant.origin + HealthReporter.interval
    private var reporter = HealthReporter(at: .origin)
    private var outputs: [GatewayOutput]
    private var items: [Dispatcher.Dispatched] = []

    init(
        _ site: SiteSettings, _ settings: Settings, _ topics: TopicTree, _ outbox: Outbox, _ timebase: Timebase,
        logger: Logger
    ) {
        let key = Array("replay of \(topics.prefix)/\(topics.site)".utf8)
        let parts = SiteStart(
            site, settings, topics, outbox, radio: .replay, at: .origin, timebase, bootID: nil, newKey: key,
            logger: logger)
        self.topics = topics
        self.timebase = timebase
        engine = parts.engine
        dispatcher = parts.dispatcher
        outputs = parts.outputs
        sayStatus(isOnline: true)
        say(dispatcher.clearances)
        do throws(OutboxError) {
            items += try dispatcher.introduce(at: now, timebase)
        } catch {
            logger.error("\(error)")
        }
        say(dispatcher.formerClearances)
    }

    /// Takes a line in, at its time.
    mutating func receive(_ line: MessageLog.Line) throws(OutboxError) {
        try advance(before: line.t)
        now = line.t
        do throws(GatewayNews.Refusal) {
            let news = try GatewayNews(topic: line.topic, fields: line.payload, store: topics)
            engine.receive(news, at: now, timebase, outputs: &outputs)
        } catch {
            if case .malformed = error { engine.receiveMalformed() }
        }
        try flush()
    }

    /// Time ends with the last line.
    mutating func finish() throws(OutboxError) {
        try advance(before: now + TimeSpan(microseconds: 1))
        engine.settle(at: now, outputs: &outputs)
        engine.tellSurges(at: engine.now, outputs: &outputs)
        outputs.append(.stays(engine.recordsOfStays))
        try flush()
        items += try dispatcher.endCoverage(at: now, timebase)
        // A replay is often shorter than a minute, and what was late is to be seen all the same.
        sayHealth()
        sayStatus(isOnline: false)
    }

    mutating func takeItems() -> [Dispatcher.Dispatched] {
        defer { items.removeAll(keepingCapacity: true) }
        return items
    }

    /// Everything that is due by then, each at its own time.
    private mutating func advance(before limit: Instant) throws(OutboxError) {
        if limit - now > ReplaySession.longestIdle, healthDue < limit {
            healthDue = limit
            reporter.skip(to: healthDue - HealthReporter.interval)
        }
        while true {
            if healthDue < limit, healthDue <= engine.nextDeadline {
                now = max(now, healthDue)
                items += try dispatcher.tellCoverage(at: now, timebase)
                sayHealth()
                healthDue += HealthReporter.interval
            } else if let due = engine.advance(before: limit, outputs: &outputs) {
                now = max(now, due)
                try flush()
            } else {
                return
            }
        }
    }

    /// What is told is told now, though it may have come to pass a little earlier.
    private mutating func flush() throws(OutboxError) {
        if outputs.isEmpty { return }
        items += try dispatcher.dispatch(outputs, timebase).map { .init(at: now, content: $0.content) }
        outputs.removeAll(keepingCapacity: true)
    }

    private mutating func sayHealth() {
        reporter.note(engine.figures(at: now))
        let report = reporter.report(nil, at: now)
        items.append(.init(at: now, content: .message(dispatcher.composer.health(report, at: now, timebase))))
    }

    private mutating func say(_ messages: [Message]) {
        for message in messages { items.append(.init(at: now, content: .message(message))) }
    }

    private mutating func sayStatus(isOnline: Bool) {
        let message = dispatcher.status(isOnline: isOnline, radio: .replay, at: now, timebase)
        items.append(.init(at: now, content: .message(message)))
    }
}
