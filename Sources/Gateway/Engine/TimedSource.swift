/// What comes to pass without a report, because time passes. A source of another kind is one more case: `GatewayEngine` asks each
/// for its deadline, and has it do what is due.
///
/// The order is the rule for equal times: who is there is decided before what regions make of it, and that before what is
/// stored and reported.
enum TimedSource: Int, Sendable {
    /// A beacon falls silent: the tracker's.
    case silence
    /// An instance is left, or its state becomes known or unknown: the monitor's.
    case monitoring
    /// The stays under way are stored.
    case stays
    /// The beacons of an instance are reported: the ranger's.
    case ranging

    /// All of them are gone through with every report. In this way no list of them is made.
    static let first = TimedSource.silence
    var next: TimedSource? { TimedSource(rawValue: rawValue &+ 1) }
}
