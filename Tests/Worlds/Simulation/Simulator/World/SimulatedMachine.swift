@testable import Agent
@testable import Core

/// The gateway's clocks. The monotonic one drifts, and begins anew with each boot; the wall clock shows the time that
/// it was set to.
final class SimulatedMachine: Machine {
    private unowned let world: any Surroundings
    private var bootedAt = Instant.origin
    private var monotonicAtBoot = Instant.origin
    private(set) var bootNumber = 0
    /// The drift of the monotonic clock in parts per million.
    private let drift_ppm: Int64
    /// The error of the wall clock.
    var wallError = TimeSpan.zero { didSet { wasSet = wasSet || wallError != oldValue } }
    /// Whether the wall clock was ever set.
    private(set) var wasSet = false
    var isSynced = true
    /// The span by which a clock without a battery is behind until it is synchronised.
    private var lost = TimeSpan.zero

    /// The wall clock's time at the origin.
    static let begin = WallTime(microseconds: 1_767_225_600_000_000)

    init(_ world: any Surroundings, drift_ppm: Int64) {
        self.world = world
        self.drift_ppm = drift_ppm
    }

    func boot(_ chance: inout Chance) {
        bootNumber += 1
        bootedAt = world.now
        monotonicAtBoot = .origin + chance.span(3, 30)
    }

    /// The clock had no battery: it continues from an earlier day on the disk.
    func losesTime(_ behind: TimeSpan) {
        (lost, isSynced) = (behind, false)
        wallError = wallError - behind
    }

    /// The first synchronisation since.
    func synchronises() {
        wallError = wallError + lost
        (lost, isSynced) = (.zero, true)
    }

    var now: Instant { monotonic(world.now) }
    var bootID: String { "boot-\(bootNumber)" }
    var wall: WallTime { wall(at: world.now) }

    /// The wall clock's time at true time `time`, as it is set now.
    func wall(at time: Instant) -> WallTime { Self.begin + (time - .origin) + wallError }

    /// The true time, as satellites have it.
    var trueTime: WallTime { Self.wall(world.now) }

    /// The time of a right wall clock.
    static func wall(_ time: Instant) -> WallTime { begin + (time - .origin) }

    var timebase: Timebase { Timebase(at: now, wall: wall, isSynced: isSynced) }

    /// Always the same, so that a seed is enough to repeat a run.
    func secret() -> [UInt8] { [UInt8](repeating: 7, count: 32) }
    func deliveryMoves() {}
    func reportStatus(_ line: String) {}
    func processUsage() -> HealthReport.Process? { nil }
    func certificate() -> Certificate? { nil }
    func writeMetrics(_ octets: () -> [UInt8]) -> String? { nil }

    /// The monotonic clock's time at true time `time`.
    func monotonic(_ time: Instant) -> Instant {
        let elapsed = time - bootedAt
        return monotonicAtBoot + elapsed + TimeSpan(microseconds: elapsed.microseconds * drift_ppm / 1_000_000)
    }

    /// The true time at which the monotonic clock shows `instant` or a little more.
    func time(_ instant: Instant) -> Instant {
        if instant == .distantFuture { return instant }
        let elapsed = instant - monotonicAtBoot
        var time = bootedAt + elapsed - TimeSpan(microseconds: elapsed.microseconds * drift_ppm / 1_000_000)
        while monotonic(time) < instant {
            time += TimeSpan(microseconds: 1 + (instant - monotonic(time)).microseconds / 2)
        }
        return time
    }
}
