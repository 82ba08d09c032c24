/// The rules of silence: unknown after 2 s, off the list after 10 s, later for beacons that advertise slowly.
///
/// `Presence` records when no transmitter at all was heard, and checks the silence of each transmitter when that is
/// due. `BeaconTracker` acts on the result.
struct Presence: Sendable {
    /// The time for which a transmitter off the list is remembered. If it comes back, it keeps its track and its
    /// learned interval. A phone keeps an address for about as long.
    private static let remembered = TimeSpan.seconds(15 * 60)
    /// The time for which a person's transmitter is remembered. Identities of people have to be gone within minutes.
    private static let rememberedOfPeople = TimeSpan.seconds(60)

    private let unknownAfter: TimeSpan
    private let resolveAfter: TimeSpan
    /// The times in which no transmitter was heard.
    private(set) var pauses = ReceptionPauses()
    /// One timer for each transmitter; `Transmitter.silenceDue` shows which one is valid.
    private(set) var timers = TimerQueue<TransmitterSlot>()

    init(_ settings: TrackerSettings) {
        unknownAfter = settings.unknownAfter
        resolveAfter = settings.resolveAfter
        // The system provides the memory only when it is first used.
        timers.reserveCapacity(settings.maxTransmitters)
    }

    /// The time of the next check of a silence.
    var nextDue: Instant { timers.nextDue }

    /// Learns that a device of any kind is heard.
    mutating func heardAnything(at now: Instant) { pauses.heard(at: now) }

    /// Sets the timer of a transmitter. The tracker calls it when the transmitter is new, and when its presence has
    /// changed.
    mutating func watch(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        let due = deadline(of: slot, in: &table)
        table.transmitters[slot].silenceDue = due
        timers.set(slot, at: due)
        // In a flood, transmitters are forgotten long before their timers are due.
        timers.throwOutStale(of: table.count) { table.transmitters[$0.subject].silenceDue == $0.due }
    }

    /// Moves the check of a heard transmitter forward where it has turned out to be faster.
    mutating func watchSooner(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        let due = table.transmitters[slot].silenceDue
        // No check comes earlier than this. So beacons with ordinary intervals cost nothing more.
        guard table.transmitters[slot].lastHeard + unknownAfter < due else { return }
        if deadline(of: slot, in: &table) < due { watch(slot, in: &table) }
    }

    /// Removes a transmitter's timer.
    mutating func remove(_ slot: TransmitterSlot, in table: inout TransmitterTable) {
        table.transmitters[slot].silenceDue = .distantFuture
    }

    /// Runs the first timer.
    ///
    /// Timers are lazy: a report only moves `lastHeard`. A due timer checks whether the transmitter was silent. Mostly
    /// it was not, and the next timer takes this one's place.
    ///
    /// - Returns: the silent transmitter; `nil` where none was silent, or the timer was stale.
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

    /// Returns what is wrong with the timers of transmitters; for tests.
    func checkInvariants(_ table: TransmitterTable) -> [String] {
        let watched = Set(timers.all.filter { table.transmitters[$0.subject].silenceDue == $0.due }.map(\.subject))
        return watched.isSuperset(of: table.usedSlots) ? [] : ["no timer watches the silence of a transmitter"]
    }

    /// Returns the time at which a predecessor has been silent for long enough for a newcomer to take over. Reception
    /// pauses do not count: a newcomer that is first heard after one takes over no track.
    func silentEnough(_ predecessor: Transmitter) -> Instant {
        predecessor.lastHeard + max(unknownAfter, predecessor.interval.patience.silence)
            + pauseSince(predecessor.lastHeard)
    }

    /// Returns when the transmitter's presence changes next if it stays silent.
    private func deadline(of slot: TransmitterSlot, in table: inout TransmitterTable) -> Instant {
        let patience = table.transmitters[slot].interval.patience.silence
        let lastHeard = table.transmitters[slot].lastHeard
        return switch table.transmitters[slot].presence {
        case .heard: lastHeard + min(max(unknownAfter, patience) + pauseSince(lastHeard), unknownAtLast(patience))
        case .silent: lastHeard + max(resolveAfter, patience, untilReplaced(patience, since: lastHeard))
        case .gone:
            lastHeard
                + max(
                    table.transmitters[slot].interest == .counted ? Self.rememberedOfPeople : Self.remembered,
                    resolveAfter, patience)
        }
    }

    /// Returns how much longer a silence has to be where the radio was deaf. A transmitter that is listed when the
    /// radio hears again stays listed until newcomers are resolved. Otherwise every beacon that rotated meanwhile would
    /// be a new one. At most twice `unknown_after_s`.
    private func untilReplaced(_ patience: TimeSpan, since lastHeard: Instant) -> TimeSpan {
        let deaf = pauseSince(lastHeard)
        guard deaf > .zero else { return .zero }
        return min(max(unknownAfter, patience) + deaf, max(resolveAfter, patience) + unknownAfter) + unknownAfter
    }

    /// Returns how long the radio has been in reception pauses since then.
    private func pauseSince(_ lastHeard: Instant) -> TimeSpan { pauses.overlap(lastHeard, pauses.until) }

    /// Returns the limit for publishing a distance after the last report: a deaf radio does not extend it beyond the time
    /// on the list.
    private func unknownAtLast(_ patience: TimeSpan) -> TimeSpan { max(resolveAfter, unknownAfter, patience) }

    /// Returns the next check where the radio is deaf, as it is where all of several heard transmitters fall silent at
    /// once; `nil` where it is not.
    private func deafUntil(_ slot: TransmitterSlot, at now: Instant, in table: inout TransmitterTable) -> Instant? {
        guard table.transmitters[slot].presence == .heard, table.heardCount > 1, pauses.isUnderWay(at: now) else {
            return nil
        }
        let patience = table.transmitters[slot].interval.patience.silence
        let atLast = table.transmitters[slot].lastHeard + unknownAtLast(patience)
        return atLast > now ? min(now + unknownAfter, atLast) : nil
    }
}

/// The latest reception pauses: no transmitter was heard although some are there, because the radio was busy, deaf or
/// away.
///
/// Receivers share their antenna with Wi-Fi, adapters come and go, and some hear for four seconds in four minutes. Such
/// a silence says nothing about a single beacon. The ordinary silence depends on the beacons in the air. A crowd is
/// never silent for a second, and a single slow beacon is silent most of the time.
struct ReceptionPauses: Sendable {
    private struct Pause {
        var from = Instant.origin
        var until = Instant.origin
    }

    /// The shortest silence that is a pause.
    private static let shortest = TimeSpan.seconds(1)
    /// The least number of average gaps that is a pause. With a higher number, the first of two beacons would be out of
    /// the ordinary silent before the two together are.
    private static let gaps: Int64 = 6
    /// The number of gaps that the average looks back.
    private static let memory: Int64 = 16
    /// The number of pauses remembered. A beacon silent through more of them was also missed as often by a hearing
    /// radio.
    private static let most = 16

    /// A ring: the newest is in front of `next`.
    private var pauses = InlineArray<16, Pause>(repeating: Pause())
    private var next = 0
    private var lastHeard: Instant?
    private var averageGap = TimeSpan.zero {
        didSet { ordinary = max(Self.shortest, TimeSpan(microseconds: Self.gaps * averageGap.microseconds)) }
    }
    /// The longest common silence that does not mean a deaf radio.
    private(set) var ordinary = ReceptionPauses.shortest

    /// The end of the newest pause; before the first one, the time of the first reception.
    private(set) var until = Instant.origin

    mutating func heard(at now: Instant) {
        guard let before = lastHeard else {
            // The time before the first report is a pause too.
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
        // A pause says nothing about the beacons in the air. It counts as two gaps, so that the average adapts after
        // most of a crowd has left.
        let counted = isPause ? averageGap + averageGap : gap
        let step = (counted.microseconds - averageGap.microseconds) / Self.memory
        averageGap = averageGap + TimeSpan(microseconds: step)
    }

    /// Returns whether the silence is longer than ordinary.
    func isUnderWay(at now: Instant) -> Bool { lastHeard.map { now - $0 > ordinary } ?? false }

    /// Returns how much of the time between two instants is pauses.
    func overlap(_ begin: Instant, _ end: Instant) -> TimeSpan {
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
}
