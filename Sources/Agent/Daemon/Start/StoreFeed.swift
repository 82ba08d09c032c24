import Core

/// A store's engine on the delivery loop: what the broker delivers and time go in, outputs come out.
///
/// It needs no thread of its own, because there is no radio that a slow disk could delay.
package struct StoreFeed {
    /// What comes in a round: a store of 64 gateways tells as much in some seconds. What is beyond is dropped and counted.
    package static let limits = IncomingLimits(messages: 16_384, payload_bytes: 1 << 20)
    /// Figures are put together anew after so long.
    private static let figuresInterval = TimeSpan.seconds(10)

    private var engine: SiteEngine
    private let topics: TopicTree
    private var figuresDue = Instant.origin
    private var storeDue: Instant
    private var outputs: [GatewayOutput]
    /// Whether the last status said that a gateway hears.
    private var toldHearing: Bool?

    /// - Parameter outputs: what the engine told when it was made.
    package init(_ engine: SiteEngine, topics: TopicTree, outputs: [GatewayOutput], at now: Instant) {
        self.engine = engine
        self.topics = topics
        self.outputs = outputs
        storeDue = now + StaySchedule.interval
    }

    /// One that begins with nothing, for whoever only looks.
    package init(_ site: SiteSettings, _ settings: Settings, at now: Instant) {
        var outputs: [GatewayOutput] = []
        let engine = SiteEngine(
            site, settings.gateway, tellsDevices: false, restoring: [], at: now, outputs: &outputs)
        self.init(engine, topics: settings.topics(of: site), outputs: outputs, at: now)
    }

    /// What is heard of whom.
    package func storeFigures(at now: Instant) -> StoreFigures {
        engine.figures(at: now).store ?? StoreFigures(late: 0, malformed: 0, gateways: [])
    }

    /// What to subscribe to: what the store's gateways say of themselves and of their regions.
    package var filters: [String] {
        let gateways = topics.prefix + "/" + topics.site + "/+"
        return [gateways + "/status", gateways + "/region/#"]
    }

    var nextDeadline: Instant { engine.nextDeadline }

    /// Takes what the broker delivered.
    package mutating func receive(_ messages: [IncomingMessage], at now: Instant, _ timebase: Timebase) {
        for message in messages {
            guard case .bytes(let payload) = message.payload else {
                engine.receiveMalformed()
                continue
            }
            engine.advance(through: now, outputs: &outputs)
            do throws(GatewayNews.Refusal) {
                let news = try GatewayNews(topic: message.topic, payload: payload, store: topics)
                engine.receive(news, at: now, timebase, isRetained: message.isRetained, outputs: &outputs)
            } catch {
                if case .malformed = error { engine.receiveMalformed() }
            }
        }
    }

    /// Lets time pass, and hands over what there is to tell.
    mutating func take(at now: Instant) -> [GatewayOutput] {
        engine.advance(through: now, outputs: &outputs)
        if now >= storeDue {
            storeDue = now + StaySchedule.interval
            outputs.append(.stays(engine.recordsOfStays))
        }
        defer { outputs = [] }
        return outputs
    }

    /// Everything that outlives the process, as it is now.
    mutating func stop(at now: Instant) -> [GatewayOutput] {
        var last = take(at: now)
        engine.tellSurges(at: now, outputs: &last)
        return last + [.stays(engine.recordsOfStays)]
    }

    /// What a status says in place of a radio, where that has changed.
    mutating func takeStatus() -> MessageComposer.RadioStatus? {
        guard toldHearing != engine.isHearing else { return nil }
        toldHearing = engine.isHearing
        return status
    }

    /// A store has no radio. It hears while any of its gateways does.
    var status: MessageComposer.RadioStatus { .store(isHearing: engine.isHearing) }

    /// The figures, where it is time for them.
    mutating func takeFigures(at now: Instant) -> GatewayFigures? {
        guard now >= figuresDue else { return nil }
        figuresDue = now + Self.figuresInterval
        return engine.figures(at: now)
    }
}
