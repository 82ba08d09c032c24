import HCI

/// The latest stretch in which no beacon at all was heard, although some are there: the radio was busy or deaf.
struct ReceptionPause: Sendable {
    /// A shorter one is nothing special.
    private static let shortest = TimeSpan.seconds(1)

    private(set) var from = Instant.origin
    private(set) var until = Instant.origin
    private var lastHeard = Instant.origin

    /// Some beacon is heard.
    mutating func heard(at now: Instant) {
        if now - lastHeard > Self.shortest { (from, until) = (lastHeard, now) }
        lastHeard = now
    }

    /// How much of the time between two instants it takes up.
    func overlap(_ begin: Instant, _ end: Instant) -> TimeSpan {
        max(.zero, min(until, end) - max(from, begin))
    }
}
