/// The latest stretches in which nobody at all was heard, although somebody is there: the radio was busy, deaf or away.
///
/// Receivers share their antenna with Wi-Fi, adapters come and go, and some hear for four seconds in four minutes. Such a
/// silence says nothing of any one beacon. What is out of the ordinary depends on who is there: a crowd is never silent for a
/// second, and a single slow beacon is silent most of the time.
struct ReceptionPauses: Sendable {
    private struct Pause {
        package var from = Instant.origin
        var until = Instant.origin
    }

    /// A shorter one is nothing special.
    private static let shortest = TimeSpan.seconds(1)
    /// Nor is one of fewer gaps than this. More, and of two beacons the one that was heard first would be out of the ordinary silent
    /// before the two together are.
    private static let gaps: Int64 = 6
    /// The average looks back this number of gaps.
    private static let memory: Int64 = 16
    /// How many pauses are remembered. Who was silent through more of them has been missed as often by a radio that heard.
    private static let most = 16

    /// A ring: the newest stands before `next`.
    private var pauses = InlineArray<16, Pause>(repeating: Pause())
    private var next = 0
    private var lastHeard: Instant?
    private var averageGap = TimeSpan.zero

    /// When the newest ended; before the first one, when somebody was first heard.
    private(set) var until = Instant.origin

    /// Somebody is heard.
    mutating func heard(at now: Instant) {
        guard let before = lastHeard else {
            // Before the first report of all, nobody was heard either.
            add(Pause(from: .origin, until: now))
            lastHeard = now
            return
        }
        let gap = now - before
        guard gap > .zero else { return }
        lastHeard = now
        guard averageGap > .zero else {
            averageGap = gap
            return
        }
        let isPause = gap > ordinary
        if isPause { add(Pause(from: before, until: now)) }
        // A pause says nothing of who is there. It counts as two gaps, so that the average finds its way once most of the crowd has left.
        let counted = isPause ? averageGap + averageGap : gap
        let step = (counted.microseconds - averageGap.microseconds) / Self.memory
        averageGap = averageGap + TimeSpan(microseconds: step)
    }

    /// Whether nobody has been heard for longer than is ordinary.
    func isUnderWay(at now: Instant) -> Bool { lastHeard.map { now - $0 > ordinary } ?? false }

    /// How much of the time between two instants they take up.
    func overlap(_ begin: Instant, _ end: Instant) -> TimeSpan {
        // With every report: nearly always the newest one is over already.
        until > begin ? sum(begin, end) : .zero
    }

    @inline(never)
    private func sum(_ begin: Instant, _ end: Instant) -> TimeSpan {
        var sum = TimeSpan.zero
        for age in 1...Self.most {
            let pause = pauses[(next + Self.most - age) % Self.most]
            guard pause.until > begin else { break }
            sum = sum + max(.zero, min(pause.until, end) - max(pause.from, begin))
        }
        return sum
    }

    private mutating func add(_ pause: Pause) {
        pauses[next] = pause
        next = (next + 1) % Self.most
        until = pause.until
    }

    /// The longest silence of everybody that says nothing of the radio.
    var ordinary: TimeSpan {
        max(Self.shortest, TimeSpan(microseconds: Self.gaps * averageGap.microseconds))
    }
}
