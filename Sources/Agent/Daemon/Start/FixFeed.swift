import Core
import Logging

/// Who knows gpsd's receivers: its client, or what stands in for that in a simulated world.
package protocol FixReceivers: Sendable {
    /// What was told since the last call, in its order.
    func take() -> [GPSDNews]

    /// Turns the receivers on, or lets them rest.
    func listen(_ isListening: Bool)
}

extension GPSDClient: FixReceivers {}

/// From gpsd's news to the engine, on the radio loop's thread.
package struct FixFeed {
    private let receivers: any FixReceivers
    private let clock: @Sendable (Instant) -> WallTime?
    private let logger: Logger
    private var isListening: Bool?
    /// The last failure of a connection, until one stands.
    private var saidFailure = SaidOnce<GPSDFailure>(limit: 1)

    /// - Parameter clock: the time of day at an instant just gone; `nil` while nobody has set the clock.
    package init(
        _ receivers: any FixReceivers, clock: @escaping @Sendable (Instant) -> WallTime?, logger: Logger
    ) {
        self.receivers = receivers
        self.clock = clock
        self.logger = logger
    }

    mutating func feed(_ engine: inout GatewayEngine, at now: Instant, outputs: inout [GatewayOutput]) {
        for news in receivers.take() { feed(news, to: &engine, at: now, outputs: &outputs) }
    }

    /// The receivers rest while nobody needs them.
    mutating func follow(listens: Bool) {
        guard listens != isListening else { return }
        isListening = listens
        receivers.listen(listens)
    }

    private mutating func feed(
        _ news: GPSDNews, to engine: inout GatewayEngine, at now: Instant, outputs: inout [GatewayOutput]
    ) {
        switch news {
        case .connected(let version):
            saidFailure.forget()
            logger.info("gpsd: connected to release \(version.release)")
        case .devices(let paths):
            engine.receivers(paths, at: now, outputs: &outputs)
        case .report(let report, let came):
            engine.receive(report, at: came, clock: clock(came), outputs: &outputs)
        case .malformed: engine.receiveMalformedFix()
        case .complaint(let text): logger.warning("gpsd: \(text)")
        case .lost(let failure):
            engine.lostReceivers(at: now, outputs: &outputs)
            if saidFailure.isNew(failure) { logger.warning("gpsd: \(failure): \(failure.remedy)") }
        }
    }
}
