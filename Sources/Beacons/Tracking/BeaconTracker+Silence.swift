public import HCI
import HeapModule

/// The rules of silence: unknown after 2 s, off the list after 10 s, longer for beacons that advertise slowly.
extension BeaconTracker {
    /// How many timers are held, stale ones among them.
    var timerCount: Int { timers.count }

    /// When `advance` has something to do next.
    public var nextDeadline: Instant { timers.min?.due ?? .distantFuture }

    /// Runs the first timer that is due before `limit`.
    ///
    /// - Returns: when it was due; `nil` where none is. The caller goes on with other timers up to that time, so that
    ///   everything happens in order.
    public mutating func advance(before limit: Instant, changes: inout [TrackerChange]) -> Instant? {
        guard let timer = timers.min, timer.due < limit else { return nil }
        let isSet = isSet(timer)
        if isSet, timer.subject == .silence, watchesOn(timer) { return timer.due }
        timers.removeMin()
        guard isSet else { return timer.due }
        switch timer.subject {
        case .silence: silenceTimerFired(timer.slot, at: timer.due, changes: &changes)
        case .resolving: resolvingTimerFired(timer.slot, at: timer.due, changes: &changes)
        }
        return timer.due
    }

    /// A timer that was set again, or whose transmitter is forgotten, is stale.
    private func isSet(_ timer: Timer) -> Bool {
        switch timer.subject {
        case .silence: timer.due == table.transmitters[timer.slot].silenceDue
        case .resolving: timer.due == resolvingDue[timer.slot]
        }
    }

    /// The silence after which a transmitter has no proximity.
    func unknownAfter(_ transmitter: Transmitter) -> TimeSpan {
        max(settings.unknownAfter, transmitter.interval.patience.silence)
    }

    /// Takes over what an earlier process had learned of a transmitter; nothing where this one knows better.
    public mutating func restorePatience(_ patience: TimeSpan, of slot: TransmitterSlot) {
        guard table.transmitters[slot].interval.isUnknown else { return }
        table.transmitters[slot].interval.restore(patience: patience)
    }

    /// When the transmitter's presence changes next if it stays silent.
    func silenceDeadline(of slot: TransmitterSlot) -> Instant {
        let patience = table.transmitters[slot].interval.patience.silence
        let lastHeard = table.transmitters[slot].lastHeard
        return switch table.transmitters[slot].presence {
        case .heard:
            lastHeard + min(max(settings.unknownAfter, patience) + pauseSince(lastHeard), unknownAtLast(patience))
        case .silent: lastHeard + max(settings.resolveAfter, patience)
        case .gone: lastHeard + max(Self.remembered, settings.resolveAfter, patience)
        }
    }

    /// How long nobody was heard since then.
    func pauseSince(_ lastHeard: Instant) -> TimeSpan { pause.overlap(lastHeard, pause.until) }

    /// However deaf the radio is, nobody's distance is told for longer after the last report than it would be listed.
    private func unknownAtLast(_ patience: TimeSpan) -> TimeSpan {
        max(settings.resolveAfter, settings.unknownAfter, patience)
    }

    /// Where several are heard and all fall silent at once, it is the radio that is silent: whether one of them left is seen
    /// when somebody is heard again.
    private func deafUntil(_ slot: TransmitterSlot, at now: Instant) -> Instant? {
        let transmitter = table.transmitters[slot]
        guard transmitter.presence == .heard, table.heardCount > 1, pause.isUnderWay(at: now) else { return nil }
        let atLast = transmitter.lastHeard + unknownAtLast(transmitter.interval.patience.silence)
        return atLast > now ? min(now + settings.unknownAfter, atLast) : nil
    }

    /// A transmitter that is heard may have turned out to be faster than it was: then its silence is looked at sooner.
    mutating func watchSilenceSooner(of slot: TransmitterSlot) {
        let due = table.transmitters[slot].silenceDue
        // No silence is looked at sooner than this, so that the beacons that advertise ordinarily need no more.
        guard table.transmitters[slot].lastHeard + settings.unknownAfter < due else { return }
        if silenceDeadline(of: slot) < due { watchSilence(of: slot) }
    }

    mutating func watchSilence(of slot: TransmitterSlot) {
        let due = silenceDeadline(of: slot)
        table.transmitters[slot].silenceDue = due
        setTimer(slot, due, .silence)
    }

    mutating func setTimer(_ slot: TransmitterSlot, _ due: Instant, _ subject: Timer.Subject) {
        timers.insert(newTimer(slot, due, subject))
        // In a flood of newcomers, transmitters are forgotten long before their timers are due: stale timers are thrown
        // out once they are most of the queue, so that it stays in proportion to the table.
        if timers.count > Self.timersPerTransmitter * (table.count + 64) {
            timers = Heap(timers.unordered.filter(isSet))
        }
    }

    private mutating func newTimer(_ slot: TransmitterSlot, _ due: Instant, _ subject: Timer.Subject) -> Timer {
        timerNumber += 1
        return Timer(due: due, number: timerNumber, slot: slot, subject: subject)
    }

    /// Two at most are set for each transmitter; as many again may be stale.
    private static var timersPerTransmitter: Int { 4 }

    /// Timers are lazy: one is set and reports only move `lastHeard`. When it is due, it is seen whether it was silence.
    /// Mostly it was not, and the next timer takes the place of this one.
    private mutating func watchesOn(_ timer: Timer) -> Bool {
        let deadline = silenceDeadline(of: timer.slot)
        guard let due = deadline > timer.due ? deadline : deafUntil(timer.slot, at: timer.due) else { return false }
        table.transmitters[timer.slot].silenceDue = due
        timers.replaceMin(with: newTimer(timer.slot, due, .silence))
        return true
    }

    /// It was silence.
    private mutating func silenceTimerFired(_ slot: TransmitterSlot, at now: Instant, changes: inout [TrackerChange]) {
        let transmitter = table.transmitters[slot]
        switch transmitter.presence {
        case .heard:
            table.setPresence(slot, .silent)
            table.transmitters[slot].zone = .unknown
            watchSilence(of: slot)
            if isPredecessor(transmitter) { resolveRotations(of: transmitter.identitySlot, at: now) }
            changes.append(.listChanged(transmitter.identitySlot))
        case .silent:
            stopResolvingBeforeLeaving(slot)
            table.setPresence(slot, .gone)
            if !transmitter.isWanted { unwanted.remove(slot, in: &table.transmitters) }
            gone.append(slot, in: &table.transmitters)
            watchSilence(of: slot)
            if isPredecessor(transmitter) { resolveRotations(of: transmitter.identitySlot, at: now) }
            changes.append(.listChanged(transmitter.identitySlot))
        case .gone:
            forget(slot, changes: &changes)
        }
    }

    /// A silent transmitter is heard again.
    mutating func returned(
        _ slot: TransmitterSlot, from presence: Transmitter.Presence, at now: Instant, changes: inout [TrackerChange]
    ) {
        let transmitter = table.transmitters[slot]
        table.setPresence(slot, .heard)
        if presence == .gone {
            gone.remove(slot, in: &table.transmitters)
            if !transmitter.isWanted { unwanted.append(slot, in: &table.transmitters) }
            table.transmitters[slot].trackFirstHeard = now
            table.transmitters[slot].firstHeard = now
        }
        switch transmitter.standing {
        case .succeeded(let successor) where presence != .gone: provedDistinct(slot, from: successor, at: now)
        case .succeeded, .undecided: returnedWithoutTrack(slot, at: now)
        case .settled, .resolving: break
        }
        changes.append(.listChanged(transmitter.identitySlot))
    }

    /// Takes a transmitter out of everything that knows it.
    private mutating func forget(_ slot: TransmitterSlot, changes: inout [TrackerChange]) {
        let transmitter = table.transmitters[slot]
        if transmitter.presence == .gone {
            gone.remove(slot, in: &table.transmitters)
        } else if !transmitter.isWanted {
            unwanted.remove(slot, in: &table.transmitters)
        }
        if transmitter.standing == .resolving { table.endResolving(transmitter.identitySlot) }
        table.transmitters[slot].silenceDue = .distantFuture
        resolvingDue[slot] = nil
        if transmitter.isListed { changes.append(.listChanged(transmitter.identitySlot)) }
        if let identitySlot = table.remove(slot) { changes.append(.identityForgotten(identitySlot)) }
    }

    /// Makes room in a full table: those off the list first, the longest gone before the others, then, for a transmitter
    /// that a region wants, the oldest one that none does. What is tracked for a region stays.
    mutating func makeRoom(forWanted isWanted: Bool, changes: inout [TrackerChange]) -> Bool {
        guard let slot = gone.first ?? (isWanted ? unwanted.first : nil) else { return false }
        forget(slot, changes: &changes)
        return true
    }
}
