import Agent
import Core
import Logging
import ServiceLifecycle
import Synchronization

/// Reads the configuration again on SIGHUP. It ends, with the whole group of services, once there is a new one to start
/// with.
///
/// A configuration with the same content, and the same files behind it, changes nothing. A faulty one is refused, and
/// the old one stays in force.
final class ReloadService: Service {
    private let path: String?
    private let role: CertificateIdentity.Role
    private let current: ConfigurationVersion
    private let signals: RunSignals
    private let manager: ServiceManager
    private let logger: Logger
    private let loaded = Mutex<ConfigurationFile.Loaded?>(nil)

    init(
        path: String?, role: CertificateIdentity.Role, current: ConfigurationVersion, signals: RunSignals,
        manager: ServiceManager, logger: Logger
    ) {
        self.path = path
        self.role = role
        self.current = current
        self.signals = signals
        self.manager = manager
        self.logger = logger
    }

    /// The new configuration; `nil` where there is none.
    var file: ConfigurationFile.Loaded? { loaded.withLock { $0 } }

    func run() async throws {
        let bell = signals.reloadBell()
        manager.notify(.ready)
        for await _ in bell.cancelOnGracefulShutdown() where signals.takeReload() {
            manager.notify(.reloading(at: SystemClock.now))
            if let file = reload() {
                loaded.withLock { $0 = file }
                return
            }
            manager.notify(.ready)
        }
        manager.notify(.stopping)
    }

    /// Returns the configuration to start with; `nil` where nothing has changed.
    private func reload() -> ConfigurationFile.Loaded? {
        do throws(ConfigurationFile.Problem) {
            let file = try ConfigurationFile.read(path, for: role, isRecording: true)
            let hasNewSettings = signals.takeNewSettings()
            guard ConfigurationVersion(file.settings) != current || hasNewSettings else {
                logger.notice("configuration read again: nothing has changed")
                return nil
            }
            logger.notice("configuration read again")
            return file
        } catch {
            for line in error.lines { logger.error("\(line)") }
            logger.error("the configuration was not changed: the old one stays in force")
            manager.notify(.status("new configuration refused, the old one is in force: \(error.lines.first ?? "")"))
            return nil
        }
    }
}
