import Core

/// Decides when the service manager is told that the agent is alive: each time both loops have made progress since it was
/// told last. It kills and starts anew an agent of which that has not been so for its patience.
///
/// A delivery loop that waits for a disk counts as alive. To kill it would lose what waits in memory until the disk
/// answers, and cure nothing: a thread in such a wait can't be killed, and the next process would wait for the same
/// disk. The radio goes on meanwhile, and the queue between the two loops is bounded.
struct Watchdog {
    /// What the service manager is told, and what the log.
    enum Verdict: Equatable {
        case alive
        /// Progress lacks, but not for long.
        case wait
        /// Half of the patience is over. Said once, so that a log tells why the agent was killed.
        case stuck(loop: String, TimeSpan)
    }

    private let patience: TimeSpan
    private var lastReading: Pulse.Reading
    private var lastAlive: Instant
    private var isStuckSaid = false

    /// - Parameter patience: after so long without a sign of life the manager kills the agent.
    init(patience: TimeSpan, _ reading: Pulse.Reading, at now: Instant) {
        self.patience = patience
        lastReading = reading
        lastAlive = now
    }

    /// How often to look: often enough that the manager hears in time, whatever a look is delayed by.
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
