import Agent
import Core

/// The machine's clocks, read where the pure parts get time from.
enum SystemClock {
    /// What the radio stamps reports with.
    static var now: Instant { MonotonicClock.now }

    static var wall: WallTime { MonotonicClock.wall }

    /// How the two relate now.
    static var timebase: Timebase { Timebase(at: now, wall: wall, isSynced: MonotonicClock.isWallSynced) }

    /// The time of day at an instant just gone; `nil` while nobody has set the clock.
    static func syncedWall(_ instant: Instant) -> WallTime? {
        let timebase = timebase
        return timebase.isSynced ? timebase.wall(instant) : nil
    }

    /// Names the life of the monotonic clock; it is another one after each boot.
    static var bootID: String {
        do throws(FileError) {
            let octets = try InputFile.readAll("/proc/sys/kernel/random/boot_id", limit: 64)
            return String(decoding: octets.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
        } catch {
            // Without a name no two boots are taken for one.
            return "unknown-\(wall.microseconds)"
        }
    }
}

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
