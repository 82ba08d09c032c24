import Agent
import Core

/// This machine. It belongs to the delivery loop's thread.
final class SystemMachine: Machine {
    private var usage = ProcessUsage()
    private var metrics: MetricsFile?
    private let supervision: Supervision
    private var hasMoved = false
    private let beatsForRadio: Bool

    /// - Parameter isSite: it is a store's agent: it has no radio loop that could give a sign of life of its own, and writes its figures
    ///   beside those of a gateway that has the same configuration.
    init(_ health: HealthSettings, _ supervision: Supervision, isSite: Bool = false) {
        beatsForRadio = isSite
        self.supervision = supervision
        if !health.textfile.isEmpty {
            metrics = MetricsFile(path: isSite ? MetricsFile.ofSite(beside: health.textfile) : health.textfile)
        }
    }

    var now: Instant { SystemClock.now }
    var timebase: Timebase { SystemClock.timebase }
    var bootID: String { SystemClock.bootID }

    func secret() -> [UInt8] { PseudonymKey.random() }

    func deliveryMoves() {
        if !hasMoved { supervision.pulse.beginDelivery() }
        hasMoved = true
        supervision.pulse.beatDelivery()
        if beatsForRadio { supervision.pulse.beatRadio() }
    }

    func tellStatus(_ line: String) { supervision.manager.tell(.status(line)) }

    func processUsage() -> HealthReport.Process? { usage.look() }

    func writeMetrics(_ octets: () -> [UInt8]) -> String? { metrics?.write(octets()) }
}
