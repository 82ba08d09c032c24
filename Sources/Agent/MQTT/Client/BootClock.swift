import Core
import Glibc

/// The clock of delivery: it never jumps, and time that the machine sleeps counts, as it does for the broker.
enum BootClock {
    package static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000)
    }
}
