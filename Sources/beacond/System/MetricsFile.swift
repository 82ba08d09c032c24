import Agent
import Core
import Glibc

/// A file that another process reads at any time, such as node_exporter's textfile collector. A reader always finds a
/// complete one.
struct MetricsFile {
    private let path: String
    /// The last failure, which is logged once until it is over or changes.
    private var logged = LogOnce<String>(limit: 1)

    init(path: String) { self.path = path }

    /// The file of a store's agent, so that a store and a gateway on one machine can share the setting. It has the same
    /// name with `-site` appended, and still ends in `.prom`, because the collector takes nothing else.
    static func ofSite(beside path: String) -> String {
        let ending = ".prom"
        return path.hasSuffix(ending) ? path.dropLast(ending.count) + "-site" + ending : path + "-site"
    }

    /// Replaces the file by a new one.
    ///
    /// - Returns: a line for the log; `nil` where there is no fault, or it was logged before.
    mutating func write(_ octets: [UInt8]) -> String? {
        do throws(FileError) {
            // The collector runs as another user, so the agent's umask must not matter. It takes only names that end in .prom.
            try NamedFile.replace(path, by: octets, mode: 0o644, isDurable: false)
            logged.reset()
            return nil
        } catch {
            let line = "health.textfile \(error)"
            return logged.isNew(line) ? line : nil
        }
    }

    /// Checks that the file could be written, and leaves everything as it was.
    func tryWriting() throws(FileError) {
        if FileKind.ofFile(at: path) == .folder {
            throw FileError(path: path, operation: .create, cause: .kind(.folder))
        }
        try NamedFile.tryWriting(beside: path)
    }
}

/// The costs of this process.
struct ProcessUsage {
    private var lastCPU: TimeSpan
    private var lastLook: Instant

    init() {
        lastCPU = Self.cpu
        lastLook = SystemClock.now
    }

    /// Memory now, and CPU time since the last call.
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

    /// The second word of /proc/self/statm is the number of resident pages; 0 where it can't be read.
    private static var rss_kib: Int {
        guard let octets = try? InputFile.readAll("/proc/self/statm", limit: 256) else { return 0 }
        let words = String(decoding: octets, as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return 0 }
        return pages * (sysconf(Int32(_SC_PAGESIZE)) / 1024)
    }
}
