import Core
import Logging

/// The access to gpsd's receivers: its client, or a stand-in in a simulated world.
package protocol FixReceivers: Sendable {
    /// The updates since the last call, in order.
    func take() -> [GPSDUpdate]

    /// Turns the receivers on or off.
    func listen(_ isListening: Bool)
}

extension GPSDClient: FixReceivers {}

/// Passes gpsd's updates to the engine, on the radio loop's thread.
package struct FixFeed {
    private let receivers: any FixReceivers
    private let clock: @Sendable (Instant) -> WallTime?
    private let logger: Logger
    private var isListening: Bool?
    /// The last failure of the connection, until there is one again.
    private var loggedFailure = LogOnce<GPSDFailure>(limit: 1)

    /// - Parameter clock: the wall clock's time at a recent instant; `nil` while the clock is not set.
    package init(
        _ receivers: any FixReceivers, clock: @escaping @Sendable (Instant) -> WallTime?, logger: Logger
    ) {
        self.receivers = receivers
        self.clock = clock
        self.logger = logger
    }

    mutating func feed(_ engine: inout GatewayEngine, at now: Instant, outputs: inout [GatewayOutput]) {
        for update in receivers.take() { feed(update, to: &engine, at: now, outputs: &outputs) }
    }

    /// Turns the receivers off while nothing needs a fix.
    mutating func follow(listens: Bool) {
        guard listens != isListening else { return }
        isListening = listens
        receivers.listen(listens)
    }

    private mutating func feed(
        _ update: GPSDUpdate, to engine: inout GatewayEngine, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        switch update {
        case .connected(let version):
            loggedFailure.reset()
            logger.info("gpsd: connected to release \(version.release)")
        case .devices(let paths):
            engine.receivers(paths, at: now, outputs: &outputs)
        case .report(let report, let came):
            engine.receive(report, at: came, clock: clock(came), outputs: &outputs)
        case .malformed: engine.receiveMalformedFix()
        case .complaint(let text): logger.warning("gpsd: \(text)")
        case .lost(let failure):
            engine.lostReceivers(at: now, outputs: &outputs)
            if loggedFailure.isNew(failure) { logger.warning("gpsd: \(failure): \(failure.remedy)") }
        }
    }
}
