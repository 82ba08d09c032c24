import Core
import Logging
import ServiceLifecycle

/// Tells the service manager that the agent is alive, for as long as it is: the I/O half of `Watchdog`.
struct WatchdogService: Service {
    let manager: ServiceManager
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        guard let patience_us = manager.patience_us else {
            try? await gracefulShutdown()
            return
        }
        // Pauses end at once where the agent stops.
        try? await cancelWhenGracefulShutdown {
            var watchdog = Watchdog(
                patience: TimeSpan(microseconds: patience_us), pulse.read(), at: SystemClock.now)
            while true {
                try await Task.sleep(for: .microseconds(watchdog.interval.microseconds))
                switch watchdog.look(pulse.read(), at: SystemClock.now) {
                case .alive: manager.tell(.alive)
                case .wait: break
                case .stuck(let loop, let silence):
                    logger.error("watchdog: the \(loop) loop has made no progress for \(Int(silence.seconds)) s")
                }
            }
        }
    }
}
