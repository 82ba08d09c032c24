import Configuration
import Daemon
import HCI
import Messages

/// This machine. It belongs to the delivery loop's thread.
final class SystemMachine: Machine {
    private var usage = ProcessUsage()
    private var metrics: MetricsFile?

    init(_ settings: Settings) {
        if !settings.health.textfile.isEmpty { metrics = MetricsFile(path: settings.health.textfile) }
    }

    var now: Instant { SystemClock.now }
    var timebase: Timebase { SystemClock.timebase }
    var bootID: String { SystemClock.bootID }

    func processUsage() -> HealthReport.Process? { usage.look() }

    func writeMetrics(_ octets: () -> [UInt8]) -> String? { metrics?.write(octets()) }
}
