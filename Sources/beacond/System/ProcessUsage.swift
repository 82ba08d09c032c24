import Core
import Glibc

/// What this process costs.
struct ProcessUsage {
    private var lastCPU: TimeSpan
    private var lastLook: Instant

    init() {
        lastCPU = Self.cpu
        lastLook = SystemClock.now
    }

    /// Memory now, and CPU since the last call.
    mutating func look() -> HealthReport.Process {
        let (cpu, now) = (Self.cpu, SystemClock.now)
        let elapsed_s = max(0.001, (now - lastLook).seconds)
        let percent = (cpu - lastCPU).seconds / elapsed_s * 100
        (lastCPU, lastLook) = (cpu, now)
        return HealthReport.Process(rss_kib: Self.rss_kib, cpu_s: cpu.seconds, cpu_percent: percent)
    }

    private static var cpu: TimeSpan {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return TimeSpan(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000)
    }

    /// The second word of /proc/self/statm is the resident pages; 0 where it can't be read.
    private static var rss_kib: Int {
        guard let octets = try? InputFile.readAll("/proc/self/statm", limit: 256) else { return 0 }
        let words = String(decoding: octets, as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return 0 }
        return pages * (sysconf(Int32(_SC_PAGESIZE)) / 1024)
    }
}
