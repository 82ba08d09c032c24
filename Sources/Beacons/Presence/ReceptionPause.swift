import HCI

/// The latest stretch in which nobody at all was heard, although somebody is there: the radio was busy, deaf or away.
///
/// Receivers share their antenna with Wi-Fi, adapters come and go, and some hear for four seconds in four minutes. Such a
/// silence says nothing of any one beacon. What is out of the ordinary depends on who is there: a crowd is never silent for a
/// second, and a single slow beacon is silent most of the time.
struct ReceptionPause: Sendable {
    /// A shorter one is nothing special.
    private static let shortest = TimeSpan.seconds(1)
    /// Nor is one of fewer gaps than this: as many packets in a row are lost where two in three are lost.
    private static let gaps: Int64 = 8
    /// The average looks back this number of gaps.
    private static let memory: Int64 = 16

    private(set) var from = Instant.origin
    private(set) var until = Instant.origin
    private var lastHeard: Instant?
    private var averageGap = TimeSpan.zero

    /// Somebody is heard.
    mutating func heard(at now: Instant) {
        guard let before = lastHeard else {
            (from, until, lastHeard) = (.origin, now, now)
            return
        }
        let gap = now - before
        guard gap > .zero else { return }
        lastHeard = now
        guard averageGap > .zero else {
            averageGap = gap
            return
        }
        let ordinary = ordinary
        if gap > ordinary { (from, until) = (before, now) }
        // A pause counts as what is ordinary, so that the average finds its way once most of the crowd has left.
        let step = (min(gap, ordinary).microseconds - averageGap.microseconds) / Self.memory
        averageGap = averageGap + TimeSpan(microseconds: step)
    }

    /// Whether nobody has been heard for longer than is ordinary.
    func isUnderWay(at now: Instant) -> Bool { lastHeard.map { now - $0 > ordinary } ?? false }

    /// How much of the time between two instants it takes up.
    func overlap(_ begin: Instant, _ end: Instant) -> TimeSpan {
        max(.zero, min(until, end) - max(from, begin))
    }

    /// The longest silence of everybody that says nothing of the radio.
    private var ordinary: TimeSpan {
        max(Self.shortest, TimeSpan(microseconds: Self.gaps * averageGap.microseconds))
    }
}
