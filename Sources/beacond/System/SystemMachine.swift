import Agent
import Core

extension SystemClock {
    /// The id of this boot; each boot has another.
    static var bootID: String {
        do throws(FileError) {
            let octets = try InputFile.readAll("/proc/sys/kernel/random/boot_id", limit: 64)
            return String(decoding: octets.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        } catch {
            // Without an id, no two boots are taken for one.
            return "unknown-\(wall.microseconds)"
        }
    }
}

/// This machine. The delivery loop's thread owns it.
final class SystemMachine: Machine {
    private var usage = ProcessUsage()
    private var metrics: MetricsFile?
    private var watched: WatchedCertificate
    private let supervision: Supervision
    private var hasMoved = false
    private let beatsForRadio: Bool

    /// - Parameters:
    ///   - certificateFile: the agent's certificate; empty for none.
    ///   - isSite: whether it is a store's agent. That one has no radio loop with signs of life, and writes its figures
    ///     beside those of a gateway with the same configuration.
    init(_ health: HealthSettings, certificateFile: String, _ supervision: Supervision, isSite: Bool = false) {
        watched = WatchedCertificate(path: certificateFile)
        beatsForRadio = isSite
        self.supervision = supervision
        if !health.textfile.isEmpty {
            metrics = MetricsFile(path: isSite ? MetricsFile.ofSite(beside: health.textfile) : health.textfile)
        }
    }

    var now: Instant { SystemClock.now }
    var timebase: Timebase { SystemClock.timebase }

    func secret() -> [UInt8] { PseudonymKey.random() }

    func deliveryMoves() {
        if !hasMoved { supervision.pulse.beginDelivery() }
        hasMoved = true
        supervision.pulse.beatDelivery()
        if beatsForRadio { supervision.pulse.beatRadio() }
    }

    func reportStatus(_ line: String) { supervision.manager.notify(.status(line)) }

    func processUsage() -> HealthReport.Process? { usage.look() }

    func certificate() -> Certificate? { watched.look() }

    func writeMetrics(_ octets: () -> [UInt8]) -> String? { metrics?.write(octets()) }
}
