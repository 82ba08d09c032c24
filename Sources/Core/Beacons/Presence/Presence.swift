/// The rules of silence: unknown after 2 s, off the list after 10 s, longer for beacons that advertise slowly.
///
/// It knows when nobody at all was heard, and looks at the silence of each transmitter when that is due. What follows from a
/// silence is `BeaconTracker`'s to do.
package struct Presence: Sendable {
    /// A transmitter off the list is remembered this long, so that it is the same track if it comes back, with its
    /// learned interval. A phone keeps an address for about as long.
    private static let remembered = TimeSpan.seconds(15 * 60)

    private let unknownAfter: TimeSpan
    private let resolveAfter: TimeSpan
    /// When nobody was heard.
    private(set) var pauses = ReceptionPauses()
    /// One for each transmitter; `Transmitter.silenceDue` says which one is set.
    private(set) var timers = TimerQueue<TransmitterSlot>()

    init(_ settings: TrackerSettings) {
        unknownAfter = settings.unknownAfter
        resolveAfter = settings.resolveAfter
        // The system backs it with memory where it is used first.
        timers.reserveCapacity(settings.maxTransmitters)
    }

    /// When somebody's silence is looked at next.
    var nextDue: Instant { timers.nextDue }

    /// Somebody is heard, of whatever kind.
    mutating func heardAnything(at now: Instant) { pauses.heard(at: now) }

    /// The silence of a transmitter is looked at when it means something. To be called when it is new, and when its presence
    /// has changed.
    mutating func watch(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        let due = deadline(of: slot, in: &table)
        table.transmitters[slot].silenceDue = due
        timers.set(slot, at: due)
        // In a flood of newcomers, transmitters are forgotten long before their timers are due.
        timers.throwOutStale(of: table.count) { table.transmitters[$0.subject].silenceDue == $0.due }
    }

    /// A transmitter that is heard may have turned out to be faster than it was: then its silence is looked at sooner.
    mutating func watchSooner(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        let due = table.transmitters[slot].silenceDue
        // No silence is looked at sooner than this, so that the beacons that advertise ordinarily need no more.
        guard table.transmitters[slot].lastHeard + unknownAfter < due else { return }
        if deadline(of: slot, in: &table) < due { watch(slot, in: &table) }
    }

    /// A transmitter is forgotten.
    mutating func forget(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        table.transmitters[slot].silenceDue = .distantFuture
    }

    /// Runs the first timer.
    ///
    /// Timers are lazy: one is set and reports only move `lastHeard`. When it is due, it is seen whether it was silence.
    /// Mostly it was not, and the next timer takes the place of this one.
    ///
    /// - Returns: whose silence it was; `nil` where it was none, or the timer was stale.
    mutating func runFirst(in table: inout TransmitterTable) -> TransmitterSlot? {
        guard let timer = timers.first else { return nil }
        let slot = timer.subject
        guard timer.due == table.transmitters[slot].silenceDue else {
            timers.removeFirst()
            return nil
        }
        let deadline = deadline(of: slot, in: &table)
        guard let due = deadline > timer.due ? deadline : deafUntil(slot, at: timer.due, in: &table) else {
            timers.removeFirst()
            return slot
        }
        table.transmitters[slot].silenceDue = due
        timers.moveFirst(to: due)
        return nil
    }

    /// Whose silence is looked at some time, by the timers that are set. For checks.
    func watched(isSet: (TimerQueue<TransmitterSlot>.Timer) -> Bool) -> Set<TransmitterSlot> {
        Set(timers.all.filter(isSet).map(\.subject))
    }

    /// From when on a predecessor is silent for long enough for another to take its place. Nobody was heard for part of that
    /// silence: who was then heard first took nobody's place.
    func silentEnough(_ predecessor: Transmitter) -> Instant {
        predecessor.lastHeard + max(unknownAfter, predecessor.interval.patience.silence)
            + pauseSince(predecessor.lastHeard)
    }

    /// When the transmitter's presence changes next if it stays silent.
    private func deadline(of slot: TransmitterSlot, in table: inout TransmitterTable) -> Instant {
        let patience = table.transmitters[slot].interval.patience.silence
        let lastHeard = table.transmitters[slot].lastHeard
        return switch table.transmitters[slot].presence {
        case .heard: lastHeard + min(max(unknownAfter, patience) + pauseSince(lastHeard), unknownAtLast(patience))
        case .silent: lastHeard + max(resolveAfter, patience, untilReplaced(patience, since: lastHeard))
        case .gone: lastHeard + max(Self.remembered, resolveAfter, patience)
        }
    }

    /// Where the radio was deaf, a silence is longer before it means anything. Who is listed when it hears again stays for as long
    /// as it takes to see who has taken its place, or everybody who rotated meanwhile would be somebody new: twice
    /// `unknown_after_s` longer at most.
    private func untilReplaced(_ patience: TimeSpan, since lastHeard: Instant) -> TimeSpan {
        let deaf = pauseSince(lastHeard)
        guard deaf > .zero else { return .zero }
        return min(max(unknownAfter, patience) + deaf, max(resolveAfter, patience) + unknownAfter) + unknownAfter
    }

    /// How long nobody was heard since then.
    private func pauseSince(_ lastHeard: Instant) -> TimeSpan { pauses.overlap(lastHeard, pauses.until) }

    /// However deaf the radio is, nobody's distance is told for longer after the last report than it would be listed.
    private func unknownAtLast(_ patience: TimeSpan) -> TimeSpan { max(resolveAfter, unknownAfter, patience) }

    /// Where several are heard and all fall silent at once, it is the radio that is silent: whether one of them left is seen
    /// when somebody is heard again.
    private func deafUntil(_ slot: TransmitterSlot, at now: Instant, in table: inout TransmitterTable) -> Instant? {
        guard table.transmitters[slot].presence == .heard, table.heardCount > 1, pauses.isUnderWay(at: now) else {
            return nil
        }
        let patience = table.transmitters[slot].interval.patience.silence
        let atLast = table.transmitters[slot].lastHeard + unknownAtLast(patience)
        return atLast > now ? min(now + unknownAfter, atLast) : nil
    }
}

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
