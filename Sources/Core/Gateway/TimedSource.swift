/// The next deadline and the needs of an engine after its turn.
package struct EngineWait: Hashable, Sendable {
    /// The time of the next `advance`.
    package var due: Instant
    /// True if an exit has come due while no device has been heard just before. The beacon may be gone, or the radio
    /// may be dead. Then the owner probes the controllers. A proof, a report or another liveness follows within
    /// seconds.
    package var needsProof: Bool
    /// True if a receiver of fixes is needed.
    package var listensForFixes: Bool

    package init(due: Instant, needsProof: Bool = false, listensForFixes: Bool = false) {
        self.due = due
        self.needsProof = needsProof
        self.listensForFixes = listensForFixes
    }

    /// For an owner without timers.
    package static let forReports = EngineWait(due: .distantFuture)
}

/// The sources of timed work. `GatewayEngine` lists the deadline of each source and does its due work.
enum TimedSource: Sendable {
    /// The tracker: a beacon falls silent.
    case silence
    /// The monitor: an instance is left, or its state becomes known or unknown.
    case monitoring
    /// The location services: the receiver looks, an update is due, or a request times out.
    case location
    /// Storing the open stays.
    case stays
    /// The ranger: the beacons of an instance are reported.
    case ranging
    /// The register: a sample of the beacons in the air, or their list.
    case listing
    /// The counts of regions of people: a quarter of an hour ends, or a report to the store is due.
    case counting
}

/// The source with the first deadline. At equal times the one listed first wins.
struct NextDeadline: Sendable {
    private(set) var source: TimedSource
    private(set) var due: Instant

    mutating func list(_ source: TimedSource, _ due: Instant) {
        if due < self.due { self = NextDeadline(source: source, due: due) }
    }
}

/// The schedule of storing open stays: every minute while beacons are heard. So after a crash the agent infers an exit
/// to the minute.
package struct StaySchedule: Sendable {
    package static let interval = TimeSpan.seconds(60)
    private(set) var due = Instant.distantFuture

    /// Takes a report of a region's beacon.
    mutating func heard(at now: Instant) { if due == .distantFuture { due = now + Self.interval } }

    /// Clears the deadline; the next report sets it. Without a report there is nothing new to store.
    mutating func stored() { due = .distantFuture }
}
