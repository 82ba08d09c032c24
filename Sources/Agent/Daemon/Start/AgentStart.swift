import Core
import Logging

/// The agent as it starts: what an earlier process left in the outbox, and the parts that go on from there. A live agent and a
/// replay start in the same way.
package struct AgentStart {
    /// The source of reports.
    package enum Air: Equatable {
        /// A radio that has yet to show that it hears, and a controller that can be asked.
        case radio
        /// Nobody can be asked, and nobody answers the requests of an earlier process. There may be a log of receivers.
        case capture(hasReceivers: Bool)

        var isLive: Bool { self == .radio }
    }

    package let engine: GatewayEngine
    /// What the engine told when it was made.
    package let outputs: [GatewayOutput]
    package let dispatcher: Dispatcher

    /// - Parameters:
    ///   - bootID: names the life of the clock that `now` is read from; `nil` where there is none but the time of day.
    ///   - newKey: the secret for pseudonyms, where there is none yet.
    package init(
        _ settings: Settings, _ outbox: Outbox, hearing air: Air = .radio, at now: Instant, _ timebase: Timebase,
        bootID: String?, newKey: @autoclosure () -> [UInt8] = PseudonymKey.random(), logger: Logger
    ) {
        var stored = StoredState(outbox, timebase, bootID: bootID, newKey: newKey())
        for notice in stored.kept.notices { logger.warning("\(notice)") }
        // Where requests are not answered any more, nobody could end their monitoring. Their records stay for the day when they
        // are again.
        let requested =
            air.isLive && settings.commands.isEnabled
            ? settings.gateway.regions.requested(by: stored.definitions, logger: logger) : []
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(
            settings.gateway, requested: requested, restoring: stored.regions.map(\.record), radioSees: !air.isLive,
            canProbe: air.isLive, at: now, outputs: &outputs)
        if air == .capture(hasReceivers: true) {
            // Which they are, their reports say. The first status says that there are some.
            var status: [GatewayOutput] = []
            engine.receivers(["log"], at: now, outputs: &status)
        }
        stored.abandon(unless: { engine.holds($0) }, goingOn: { engine.holds($0) })
        self.engine = engine
        // What the radio does is told by the radio. A capture is one that hears from the first record on.
        self.outputs =
            (air.isLive ? [] : [.radio(.replay, at: now)]) + stored.leftTrack(at: now) + stored.endings(at: now)
            + outputs
        let composer = MessageComposer(
            settings.identity.topics, settings.privacy, settings.gateway, pseudonymKey: stored.pseudonymKey)
        dispatcher = Dispatcher(
            composer, outbox: outbox, stored: stored,
            integrations: Integrations(settings, settings.identity.topics, for: .gateway),
            location: engine.locationStatus,
            siteKey: settings.privacy.siteKey, bootID: bootID, at: now)
    }
}

/// A store as it starts: as `AgentStart`, for the engine that joins gateways.
package struct SiteStart {
    package let engine: SiteEngine
    /// What the engine told when it was made.
    package let outputs: [GatewayOutput]
    package let dispatcher: Dispatcher

    /// - Parameters:
    ///   - topics: the store's own.
    ///   - radio: what is said of it at first: a store has none, and says in its place whether any gateway hears.
    ///   - bootID: names the life of the clock that `now` is read from; `nil` where there is none but the time of day.
    ///   - newKey: the secret for pseudonyms, where there is none yet.
    package init(
        _ site: SiteSettings, _ settings: Settings, _ topics: TopicTree, _ outbox: Outbox, radio: CoveredRadio,
        at now: Instant, _ timebase: Timebase, bootID: String?, newKey: @autoclosure () -> [UInt8], logger: Logger
    ) {
        var stored = StoredState(outbox, timebase, bootID: bootID, newKey: newKey())
        for notice in stored.kept.notices { logger.warning("\(notice)") }
        let plan = SiteEngine.Scope(site)
        stored.abandon(unless: { plan.holds($0) }, goingOn: { plan.holds($0.instance) })
        var outputs: [GatewayOutput] = []
        engine = SiteEngine(
            site, settings.gateway, tellsDevices: settings.privacy.siteKeyFile != nil,
            restoring: stored.regions.map(\.record), at: now, outputs: &outputs)
        self.outputs = [.radio(radio, at: now)] + stored.endings(at: now) + outputs
        let composer = MessageComposer(
            topics, settings.privacy, settings.gateway, pseudonymKey: stored.pseudonymKey)
        dispatcher = Dispatcher(
            composer, outbox: outbox, stored: stored, integrations: Integrations(settings, topics, for: .store),
            siteKey: settings.privacy.siteKey, bootID: bootID, at: now)
    }
}

/// The machine that the agent runs on: its clocks, and what the process costs. Everything that delivery knows of it comes
/// through here.
package protocol Machine: AnyObject {
    /// What the radio stamps reports with.
    var now: Instant { get }

    /// How the time of day relates to `now`.
    var timebase: Timebase { get }

    /// Names the life of the monotonic clock; it is another one after each boot.
    var bootID: String { get }

    /// 256 random bits, to be kept secret.
    func secret() -> [UInt8]

    /// The delivery loop makes progress: called in every round, on its own thread.
    func deliveryMoves()

    /// How things are, in one line for whoever looks after the service; called where it has changed.
    func tellStatus(_ line: String)

    /// Memory now, and CPU since the last call; `nil` where nobody wants to know.
    func processUsage() -> HealthReport.Process?

    /// Puts health for Prometheus where the configuration says, if it does.
    ///
    /// - Returns: what to log, on one line; `nil` where all is well or it was said before.
    func writeMetrics(_ octets: () -> [UInt8]) -> String?
}
