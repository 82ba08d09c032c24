import Agent
import Core
import Logging
import ServiceLifecycle

/// Decides when the service manager is notified that the agent is alive: each time both loops have made progress since the
/// last time. The manager kills and restarts an agent that does not report for the manager's patience.
///
/// A delivery loop that waits for a disk counts as alive. Killing the process would lose what waits in memory, and cure
/// nothing: a thread in such a wait can't be killed, and the next process would wait for the same disk. The radio goes
/// on meanwhile, and the queue between the two loops is bounded.
struct Watchdog {
    /// A message for the service manager or for the log.
    enum Verdict: Equatable {
        case alive
        /// A loop has made no progress, but not for long.
        case wait
        /// A loop has made no progress for half of the patience. Logged once, so that the log tells why the agent was
        /// killed.
        case stuck(loop: String, TimeSpan)
    }

    private let patience: TimeSpan
    private var lastReading: Pulse.Reading
    private var lastAlive: Instant
    private var isStuckSaid = false

    /// - Parameter patience: the time without a sign of life after which the manager kills the agent.
    init(patience: TimeSpan, _ reading: Pulse.Reading, at now: Instant) {
        self.patience = patience
        lastReading = reading
        lastAlive = now
    }

    /// The interval between checks: short enough that a late check still reports in time.
    var interval: TimeSpan { TimeSpan(microseconds: patience.microseconds / 8) }

    mutating func look(_ reading: Pulse.Reading, at now: Instant) -> Verdict {
        let hasRadioMoved = reading.radio != lastReading.radio
        let hasDeliveryMoved = reading.delivery != lastReading.delivery || reading.isDeliveryAtDisk
        if hasRadioMoved && hasDeliveryMoved {
            (lastReading, lastAlive, isStuckSaid) = (reading, now, false)
            return .alive
        }
        let silence = now - lastAlive
        guard silence >= patience - silence, !isStuckSaid else { return .wait }
        isStuckSaid = true
        return .stuck(loop: hasRadioMoved ? "delivery" : "radio", silence)
    }
}

/// Tells the service manager that the agent is alive, while it is: the I/O half of `Watchdog`.
struct WatchdogService: Service {
    let manager: ServiceManager
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        guard let patience_us = manager.patience_us else {
            try? await gracefulShutdown()
            return
        }
        // Pauses end at once when the agent stops.
        try? await cancelWhenGracefulShutdown {
            var watchdog = Watchdog(patience: TimeSpan(microseconds: patience_us), pulse.read(), at: SystemClock.now)
            while true {
                try await Task.sleep(for: .microseconds(watchdog.interval.microseconds))
                switch watchdog.look(pulse.read(), at: SystemClock.now) {
                case .alive: manager.notify(.alive)
                case .wait: break
                case .stuck(let loop, let silence):
                    logger.error("watchdog: the \(loop) loop has made no progress for \(Int(silence.seconds)) s")
                }
            }
        }
    }
}
