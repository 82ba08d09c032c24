import Core

/// The machine that the agent runs on: its clocks, and what the process costs. Everything that delivery knows of it comes
/// through here.
package protocol Machine: AnyObject {
    /// What the radio stamps reports with.
    var now: Instant { get }

    /// How the time of day relates to `now`.
    var timebase: Timebase { get }

    /// Names the life of the monotonic clock; it is another one after each boot.
    var bootID: String { get }

    /// 256 random bits, to be kept secret.
    func secret() -> [UInt8]

    /// The delivery loop makes progress: called in every round, on its own thread.
    func deliveryMoves()

    /// How things are, in one line for whoever looks after the service; called where it has changed.
    func tellStatus(_ line: String)

    /// Memory now, and CPU since the last call; `nil` where nobody wants to know.
    func processUsage() -> HealthReport.Process?

    /// Puts health for Prometheus where the configuration says, if it does.
    ///
    /// - Returns: what to log, on one line; `nil` where all is well or it was said before.
    func writeMetrics(_ octets: () -> [UInt8]) -> String?
}
