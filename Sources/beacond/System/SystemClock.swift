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
