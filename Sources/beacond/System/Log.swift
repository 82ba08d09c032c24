import Core
import Dispatch
import Glibc
import Logging
import Synchronization

/// Writes lines to standard error, from which systemd's journal takes them with their priority.
enum Log {
    static func make(_ level: LogSettings.Level) -> Logger {
        var logger = Logger(label: "beacond") { _ in LineLogHandler() }
        logger.logLevel = Logger.Level(rawValue: level.rawValue) ?? .info
        return logger
    }
}

/// One line for each message: priority for the journal, text, metadata.
private struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var line = Self.prefix(event.level) + "\(event.message)"
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
        Output.complain(line)
    }

    /// sd-daemon's `<N>` for a journal; the level's word for a person.
    private static func prefix(_ level: Logger.Level) -> String {
        guard hasJournal else { return level >= .warning ? "\(level.rawValue): " : "" }
        return switch level {
        case .critical: "<2>"
        case .error: "<3>"
        case .warning: "<4>"
        case .notice: "<5>"
        case .info: "<6>"
        case .debug, .trace: "<7>"
        }
    }

    private static let hasJournal = Environment.has("JOURNAL_STREAM")
}

/// The process's environment.
enum Environment {
    static func has(_ name: String) -> Bool { getenv(name) != nil }

    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Waits on this thread for asynchronous work.
///
/// Only `run` has such work. With an asynchronous main function, every command would leave its thread to the runtime
/// before it begins. A profiler that emulates the processor can't follow that.
final class AsyncWork: Sendable {
    private let outcome = Mutex<Result<Void, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    private init() {}

    /// - Throws: the error of the work.
    static func finish(_ work: @escaping @Sendable () async throws -> Void) throws {
        let waiting = AsyncWork()
        Task.detached {
            let outcome: Result<Void, any Error>
            do {
                try await work()
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            waiting.outcome.withLock { $0 = outcome }
            waiting.done.signal()
        }
        waiting.done.wait()
        try waiting.outcome.withLock { $0 }?.get()
    }
}
