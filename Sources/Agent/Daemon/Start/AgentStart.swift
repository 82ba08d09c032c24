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
        dispatcher = Dispatcher(
            settings, settings.identity.topics, .gateway, outbox, stored, location: engine.locationStatus,
            bootID: bootID, at: now)
    }
}

/// A store as it starts: as `AgentStart`, for the engine that joins gateways.
package struct SiteStart {
    package let engine: SiteEngine
    /// What the engine told when it was made.
    package let outputs: [GatewayOutput]
    package let dispatcher: Dispatcher
    /// The store's days, as an earlier process left them.
    package let today: StoreToday

    /// - Parameters:
    ///   - topics: the store's own.
    ///   - radio: what is said of it at first: a store has none, and says in its place whether any gateway hears.
    ///   - bootID: names the life of the clock that `now` is read from; `nil` where there is none but the time of day.
    ///   - newKey: the secret for pseudonyms, where there is none yet.
    ///   - localTime: the time of day in the store's zone.
    package init(
        _ site: SiteSettings, _ settings: Settings, _ topics: TopicTree, _ outbox: Outbox, radio: CoveredRadio,
        at now: Instant, _ timebase: Timebase, bootID: String?, newKey: @autoclosure () -> [UInt8],
        localTime: LocalTime = .utc, logger: Logger
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
        today = StoreToday(
            site, localTime, restoring: stored.records.compactMap { StoredDays($0.value, key: $0.key) }, at: now,
            timebase)
        dispatcher = Dispatcher(settings, topics, .store, outbox, stored, bootID: bootID, at: now)
    }
}

extension Dispatcher {
    /// Commits and composes as the configuration says.
    ///
    /// - Parameter topics: those of the gateway, or of the store.
    fileprivate convenience init(
        _ settings: Settings, _ topics: TopicTree, _ kind: HomeAssistantDiscovery.Kind, _ outbox: Outbox,
        _ stored: StoredState, location: LocationStatus? = nil, bootID: String?, at now: Instant
    ) {
        let composer = MessageComposer(
            topics, settings.privacy, settings.gateway, pseudonymKey: stored.pseudonymKey)
        self.init(
            composer, outbox: outbox, stored: stored, integrations: Integrations(settings, topics, for: kind),
            location: location, siteKey: settings.privacy.siteKey, bootID: bootID, at: now)
    }
}
