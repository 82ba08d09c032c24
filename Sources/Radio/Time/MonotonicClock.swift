import CBluetooth
import Glibc
public import HCI

/// The clocks of the machine. Pure code gets what they say as arguments.
public enum MonotonicClock {
    /// Microseconds since boot, without the time spent suspended: CLOCK_MONOTONIC, on which `poll` waits too.
    public static var now: Instant { Instant(microseconds: microseconds(CLOCK_MONOTONIC)) }

    /// CLOCK_REALTIME, which the kernel stamps packets with.
    public static var wall: WallTime { WallTime(microseconds: microseconds(CLOCK_REALTIME)) }

    /// Whether NTP or the like disciplines the time of day.
    public static var isWallSynced: Bool {
        var state = timex()
        return adjtimex(&state) >= 0 && state.status & STA_UNSYNC == 0
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
    }
}
