import Core
import Logging

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
            composer, outbox: outbox, stored: stored, words: OtherWords(settings, topics, for: .store),
            siteKey: settings.privacy.siteKey, bootID: bootID)
        dispatcher.resumeCoverage(stored.coverage, at: now)
    }
}
