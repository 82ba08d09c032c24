import Agent
import Core
import Logging

/// Turns lines of gateways into the messages of a store, with their times.
struct SiteReplaySession {
    private(set) var engine: SiteEngine
    let round: Round
    private let recorded: RecordedEngine
    private let topics: TopicTree
    private var healthDue = Instant.origin + HealthReporter.interval
    private var outputs: [GatewayOutput]
    private var today: StoreToday
    private var heat: HeatMap?

    /// - Parameter makeSink: makes the sink for messages.
    init(
        _ site: SiteSettings, _ settings: Settings, _ topics: TopicTree, _ outbox: Outbox, _ timebase: Timebase,
        logger: Logger, to makeSink: (Dispatcher) -> any MessageSink
    ) {
        let key = Array("replay of \(topics.prefix)/\(topics.site)".utf8)
        let parts = SiteStart(
            site, settings, topics, outbox, radio: .replay, at: .origin, timebase, bootID: nil, newKey: key,
            // Without a name the days are not the machine's: the same input gives the same output everywhere.
            localTime: site.timeZone.isEmpty ? .utc : MachineTimeZone.use(site.timeZone), logger: logger)
        today = parts.today
        heat = parts.heat
        self.topics = topics
        engine = parts.engine
        outputs = parts.outputs
        recorded = RecordedEngine(at: .origin, timebase)
        round = Round(
            recorded, parts.dispatcher, to: makeSink(parts.dispatcher), by: recorded, .replay(renewsKey: false),
            radio: .replay, logger: logger)
        round.begin()
    }

    private var now: Instant {
        get { recorded.now }
        nonmutating set { recorded.now = newValue }
    }

    /// Handles a line at its time.
    mutating func receive(_ line: MessageLog.Line) {
        advance(before: line.t)
        now = line.t
        if line.topic == topics.topic(.gateway(.zones)) {
            receive(zones: line.payload)
            return flush()
        }
        do throws(GatewayMessage.Refusal) {
            let message = try GatewayMessage(
                topic: line.topic, fields: line.payload, store: topics, learns: engine.settings.learns)
            engine.receive(message, at: now, recorded.timebase, outputs: &outputs)
        } catch {
            if case .malformed = error { engine.receiveMalformed() }
        }
        flush()
    }

    /// Takes a zone map, which may be a line like any message.
    private mutating func receive(zones fields: PayloadFields?) {
        do throws(PayloadError) {
            _ = engine.use(try ZonesPayload.map(of: fields), at: now, outputs: &outputs)
        } catch {
            engine.receiveMalformed()
        }
    }

    /// Ends time with the last line.
    mutating func finish() {
        advance(before: now + TimeSpan(microseconds: 1))
        engine.publishWaiting(at: now, outputs: &outputs)
        engine.publishSurges(at: engine.now, outputs: &outputs)
        outputs.append(.stays(engine.recordsOfStays))
        follow(.published)
        turn()
        round.end()
        // A replay is often shorter than a minute, but its late messages have to be reported.
        recorded.figures = engine.figures(at: now)
        round.publishHealth()
        round.close()
    }

    /// Handles everything that is due by then, each at its own time.
    private mutating func advance(before limit: Instant) {
        if limit - now > ReplaySession.longestIdle, healthDue < limit {
            healthDue = limit
            round.skipHealth(to: healthDue - HealthReporter.interval)
        }
        while true {
            if healthDue < limit, healthDue <= engine.nextDeadline {
                now = max(now, healthDue)
                follow()
                turn()
                recorded.figures = engine.figures(at: now)
                round.endMinute()
                healthDue += HealthReporter.interval
            } else if let due = engine.advance(before: limit, outputs: &outputs) {
                now = max(now, due)
                flush()
            } else {
                return
            }
        }
    }

    /// Tells the outputs with the present time, though they may have happened a little earlier.
    private mutating func flush() {
        if outputs.isEmpty { return }
        follow()
        turn()
    }

    /// Counts what the engine has published, for the day and the heat map.
    private mutating func follow(_ demand: StoreToday.Demand = .asDue) {
        let now = now
        heat?.follow(&outputs, at: now, isLast: demand == .published)
        today.follow(&outputs, isHearing: engine.isHearing, isCatchingUp: engine.isCatchingUp(at: now), at: now, demand)
    }

    private mutating func turn() {
        if outputs.isEmpty { return }
        swap(&recorded.outputs, &outputs)
        round.turn()
    }
}
