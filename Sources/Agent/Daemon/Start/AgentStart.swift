import Core
import Logging

/// The start of an agent: it reads what an earlier process left in the outbox, and makes the parts that continue from
/// there. A live agent and a replay start in the same way.
package struct AgentStart {
    /// The source of reports.
    package enum Air: Equatable {
        /// A radio that has not shown yet that it hears, and a controller that can be asked.
        case radio
        /// A capture: no controller answers, and requests of an earlier process do not count. There may be a log of
        /// receivers.
        case capture(hasReceivers: Bool)

        var isLive: Bool { self == .radio }
    }

    package let engine: GatewayEngine
    package let outputs: [GatewayOutput]
    package let dispatcher: Dispatcher

    /// - Parameters:
    ///   - bootID: identifies the boot of `now`'s clock; `nil` where there is only the wall clock.
    ///   - report: the outcome of the latest settings over MQTT; `nil` for none.
    ///   - newKey: the first secret for pseudonyms.
    ///   - localTime: the time of day in the store's zone, by which days of people end.
    package init(
        _ settings: Settings, _ outbox: Outbox, hearing air: Air = .radio, at now: Instant, _ timebase: Timebase,
        bootID: String?, reporting report: SettingsReport? = nil,
        newKey: @autoclosure () -> [UInt8] = PseudonymKey.random(), localTime: LocalTime = .utc, logger: Logger
    ) {
        var stored = StoredState(outbox, timebase, bootID: bootID, newKey: newKey())
        for notice in stored.kept.notices { logger.warning("\(notice)") }
        // Where requests are disabled, no client could end a region that a request registered. So it is not monitored,
        // but its record stays for the time when requests are enabled again.
        let requested =
            air.isLive && settings.commands.isEnabled
            ? settings.gateway.regions.requested(by: stored.definitions, logger: logger) : []
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(
            settings.gateway, requested: requested, restoring: stored.regions.map(\.record),
            settled: stored.settled, heard: stored.heardBeacons(settings, at: now, timebase), radioSees: !air.isLive,
            canProbe: air.isLive, at: now, timebase, localTime: localTime, outputs: &outputs)
        if air == .capture(hasReceivers: true) {
            // The reports name the receivers. The first status only tells that there are some.
            var status: [GatewayOutput] = []
            engine.receivers(["log"], at: now, outputs: &status)
        }
        stored.abandon(unless: { engine.holds($0) }, goingOn: { engine.holds($0) })
        self.engine = engine
        // A region of people stores nothing, and removes what another region of its name has stored.
        let people = Set(settings.gateway.regions.beacons.filter(\.isOfPeople).map(\.id))
        let monitored = Set(settings.gateway.regions.configured.map(\.id) + stored.definitions.compactMap(\.id))
            .subtracting(people)
        let ended = stored.settled.regions.filter { !monitored.contains($0) }
        // A radio reports its own state. A capture hears from its first record on.
        self.outputs =
            (air.isLive ? [] : [.radio(.replay, at: now)]) + stored.leftTrack(at: now) + stored.endings(at: now)
            + outputs + ended.map { .settled(nil, region: $0, at: now) }
            + [report].compactMap(\.self).map {
                .message(SettingsOutcome($0, digest: settings.inEffect?.digest ?? ""), at: now)
            }
        dispatcher = Dispatcher(
            settings, settings.identity.topics, .gateway, outbox, stored, location: engine.locationStatus,
            advertises: air.isLive ? settings.advertise?.frame : nil, bootID: bootID, at: now)
    }
}

/// The start of a store: it makes the engine that joins gateways.
package struct SiteStart {
    package let engine: SiteEngine
    package let outputs: [GatewayOutput]
    package let dispatcher: Dispatcher
    /// The store's days, as an earlier process left them.
    package let today: StoreToday
    /// The store's heat map; `nil` where the configuration has none.
    package let heat: HeatMap?
    /// The joint count of people; `nil` where the configuration has none.
    package let people: StorePeople?

    /// - Parameters:
    ///   - topics: the store's own.
    ///   - radio: the first state in place of a radio: whether any gateway hears.
    ///   - bootID: identifies the boot of `now`'s clock; `nil` where there is only the wall clock.
    ///   - newKey: the first secret for pseudonyms.
    ///   - localTime: the time of day in the store's zone.
    package init(
        _ site: SiteSettings, _ settings: Settings, _ topics: TopicTree, _ outbox: Outbox, radio: CoveredRadio,
        at now: Instant, _ timebase: Timebase, bootID: String?, newKey: @autoclosure () -> [UInt8],
        localTime: LocalTime = .utc, logger: Logger
    ) {
        var stored = StoredState(outbox, timebase, bootID: bootID, newKey: newKey())
        for notice in stored.kept.notices { logger.warning("\(notice)") }
        let walked = stored.records.lazy.compactMap { WalkedZones($0.value, key: $0.key) }.first?.names ?? []
        let plan = SiteEngine.Scope(site, walked: Set(walked))
        stored.abandon(unless: { plan.holds($0) }, goingOn: { plan.holds($0.instance) })
        var outputs: [GatewayOutput] = []
        engine = SiteEngine(
            site, settings.gateway, distinguishesDevices: settings.privacy.siteKeyFile != nil,
            restoring: stored.regions.map(\.record),
            learning: StoreLearning(
                site, localTime, restoring: stored.records.compactMap { StoredLearning($0.value, key: $0.key) }),
            at: now, outputs: &outputs)
        self.outputs = [.radio(radio, at: now)] + stored.endings(at: now) + outputs
        people = StorePeople(site, settings, topics, at: now, timebase, localTime)
        today = StoreToday(
            site, localTime, people: people.map { Array($0.regionIDs) } ?? [],
            restoring: stored.records.compactMap { StoredDays($0.value, key: $0.key) }, at: now, timebase)
        heat = HeatMap(site, at: now, timebase)
        dispatcher = Dispatcher(settings, topics, .store, outbox, stored, bootID: bootID, at: now)
    }
}

extension Dispatcher {
    /// Creates a dispatcher by the configuration.
    ///
    /// - Parameters:
    ///   - topics: the topics of the gateway, or of the store.
    ///   - advertises: the frame that the gateway sends itself; `nil` where it sends none.
    fileprivate convenience init(
        _ settings: Settings, _ topics: TopicTree, _ kind: HomeAssistantDiscovery.Kind, _ outbox: Outbox,
        _ stored: StoredState, location: LocationStatus? = nil, advertises: IBeaconFrame? = nil,
        bootID: String?, at now: Instant
    ) {
        let composer = MessageComposer(
            topics, settings.privacy, settings.gateway, pseudonymKey: stored.pseudonymKey,
            inEffect: kind == .gateway ? settings.inEffect : nil, advertises: advertises)
        self.init(
            composer, outbox: outbox, stored: stored, integrations: Integrations(settings, topics, for: kind),
            location: location, takesSettings: kind == .gateway && settings.fleet.takesSettings,
            listsBeacons: kind == .gateway && settings.gateway.beacons != nil,
            learns: kind == .store && settings.site?.learns == true, siteKey: settings.privacy.siteKey,
            bootID: bootID, at: now)
    }
}

/// The version that `beacond --version` and `status` report.
package enum Version {
    package static let current = "0.2.0"
}
