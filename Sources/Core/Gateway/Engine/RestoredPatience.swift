/// The silence that an earlier process had learned to be ordinary, for the beacons of an instance. It holds for a while after
/// the start: until then each of them is heard anew.
struct RestoredPatience: Sendable {
    /// Three receptions of the slowest beacon, and more.
    private static let holdsFor = TimeSpan.seconds(15 * 60)

    private let end: Instant
    private var spans: [InstanceSlot: TimeSpan] = [:]

    init(at now: Instant) { end = now + Self.holdsFor }

    mutating func restore(_ patience: TimeSpan, of instance: InstanceSlot) {
        if patience > .zero { spans[instance] = patience }
    }

    /// The instance is monitored no more.
    mutating func end(_ instance: InstanceSlot) { spans[instance] = nil }

    /// Whether there may be any: asked with every report.
    var isEmpty: Bool { spans.isEmpty }

    /// What was ordinary for the beacons of these instances.
    mutating func patience(of instances: [InstanceSlot], at now: Instant) -> [TimeSpan] {
        if now >= end { spans.removeAll() }
        return instances.compactMap { spans[$0] }
    }
}
