import Configuration
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reads the configuration again on SIGHUP. It ends, and everything with it, once there is a new one to start with.
final class ReloadService: Service {
    private let path: String?
    private let logger: Logger
    private let loaded = Mutex<Settings?>(nil)

    init(path: String?, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// The new settings; `nil` where nobody asked for any.
    var settings: Settings? { loaded.withLock { $0 } }

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do throws(ConfigurationFile.Problem) {
                let settings = try ConfigurationFile.load(path)
                loaded.withLock { $0 = settings }
                logger.notice("configuration read again")
                return
            } catch {
                for line in error.lines { logger.error("\(line)") }
                logger.error("the configuration was not changed: the old one stays in force")
            }
        }
    }
}
