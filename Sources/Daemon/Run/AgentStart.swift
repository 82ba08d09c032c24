import Configuration
import Gateway
import HCI
import Logging
import Messages
import Outbox

/// The agent as it starts: what an earlier process left in the outbox, and the parts that go on from there.
package struct AgentStart {
    package let engine: GatewayEngine
    /// What the engine told when it was made.
    package let outputs: [GatewayOutput]
    package let dispatcher: Dispatcher

    /// - Parameters:
    ///   - bootID: names the life of the clock that `now` is read from.
    ///   - newKey: the secret for pseudonyms, where there is none yet.
    package init(
        _ settings: Settings, _ outbox: Outbox, at now: Instant, _ timebase: Timebase, bootID: String,
        newKey: @autoclosure () -> [UInt8] = PseudonymKey.random(), logger: Logger
    ) {
        var stored = StoredState(outbox, timebase, bootID: bootID, newKey: newKey())
        let requested = settings.requestedRegions(stored.definitions, logger: logger)
        var outputs: [GatewayOutput] = []
        engine = GatewayEngine(
            settings, requested: requested, restoring: stored.regions.map(\.record), radioSees: false,
            canProbe: true, at: now, outputs: &outputs)
        stored.abandon(allBut: engine)
        self.outputs = stored.endings(at: now) + outputs
        let composer = MessageComposer(settings, pseudonymKey: stored.pseudonymKey)
        dispatcher = Dispatcher(composer, outbox: outbox, stored: stored, bootID: bootID)
        dispatcher.resumeCoverage(stored.coverage, at: now)
    }
}
