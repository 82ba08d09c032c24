/// What comes to pass without a report, because time passes. A source of another kind is one more case: `GatewayEngine` lists its
/// deadline, and has it do what is due.
enum TimedSource: Sendable {
    /// A beacon falls silent: the tracker's.
    case silence
    /// An instance is left, or its state becomes known or unknown: the monitor's.
    case monitoring
    /// The place is looked for, or said again; a request for it has waited long enough.
    case location
    /// The stays under way are stored.
    case stays
    /// The beacons of an instance are reported: the ranger's.
    case ranging
}

/// The source that is due first. At equal times it is the one that was listed first.
struct NextDeadline: Sendable {
    private(set) var source: TimedSource
    private(set) var due: Instant

    init(_ source: TimedSource, _ due: Instant) {
        self.source = source
        self.due = due
    }

    mutating func list(_ source: TimedSource, _ due: Instant) {
        if due < self.due { self = NextDeadline(source, due) }
    }
}
