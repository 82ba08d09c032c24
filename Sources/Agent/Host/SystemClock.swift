import CLinux
import Core
import Glibc

/// The clocks of the machine. Pure code gets their times as arguments.
package enum SystemClock {
    /// Microseconds since boot, without the time spent suspended: CLOCK_MONOTONIC, which `poll` uses too. The radio loop
    /// stamps reports with it.
    package static var now: Instant { Instant(microseconds: microseconds(CLOCK_MONOTONIC)) }

    /// CLOCK_REALTIME, with which the kernel stamps packets.
    package static var wall: WallTime { WallTime(microseconds: microseconds(CLOCK_REALTIME)) }

    /// The relation between the two clocks now.
    package static var timebase: Timebase { Timebase(at: now, wall: wall, isSynced: isWallSynced) }

    /// The wall clock's time at a recent instant; `nil` while the clock is not set.
    package static func syncedWall(_ instant: Instant) -> WallTime? {
        let timebase = timebase
        return timebase.isSynced ? timebase.wall(instant) : nil
    }

    /// True if NTP or the like disciplines the wall clock.
    ///
    /// A sandbox that forbids setting the clock also forbids asking the kernel about it. The agent then trusts the file
    /// of systemd-timesyncd. An operator who knows that the clock is right, as in a container whose host is synced, sets
    /// `BEACOND_CLOCK=trusted`.
    private static var isWallSynced: Bool {
        if let word = getenv("BEACOND_CLOCK"), strcmp(word, "trusted") == 0 { return true }
        var state = timex()
        if adjtimex(&state) >= 0 { return state.status & STA_UNSYNC == 0 }
        var file = stat()
        guard errno == EPERM, stat(timesyncdFile, &file) == 0 else { return false }
        return isFresh(syncedAt: WallTime(microseconds: Int64(file.st_mtim.tv_sec) &* 1_000_000), at: wall)
    }

    /// systemd-timesyncd touches this file at each answer of a time server, at least every 34 minutes.
    private static let timesyncdFile = "/run/systemd/timesync/synchronized"

    /// Without a server the kernel gives up a clock after nine hours, when it may be wrong by 16 s at 500 ppm. The file
    /// counts for as long.
    static func isFresh(syncedAt: WallTime, at now: WallTime) -> Bool {
        let (age, limit) = (now - syncedAt, TimeSpan.seconds(9 * 3_600))
        return age < limit && age > .zero - limit
    }

    fileprivate static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
    }
}

/// A point on the boot clock: microseconds since boot, including the time that the machine slept. It is no `Instant`,
/// because the monotonic clock stands still while the machine sleeps.
package struct BootInstant: Hashable, Comparable, Sendable {
    /// Microseconds since boot.
    package var microseconds: Int64

    package static let origin = BootInstant(microseconds: 0)
    /// A timer that is not set: later than anything that happens.
    static let distantFuture = BootInstant(microseconds: .max)

    package static func < (left: BootInstant, right: BootInstant) -> Bool { left.microseconds < right.microseconds }

    /// Saturates at `distantFuture`.
    package static func + (left: BootInstant, right: TimeSpan) -> BootInstant {
        BootInstant(microseconds: left.microseconds.addingSaturating(right.microseconds))
    }

    package static func - (left: BootInstant, right: BootInstant) -> TimeSpan {
        TimeSpan(microseconds: left.microseconds.subtractingSaturating(right.microseconds))
    }
}

/// The clock of delivery, CLOCK_BOOTTIME. It never jumps, and counts the time that the machine sleeps, as the broker
/// does.
enum BootClock {
    static var now: BootInstant { BootInstant(microseconds: SystemClock.microseconds(CLOCK_BOOTTIME)) }
}
