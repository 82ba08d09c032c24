/// The passing of time: instances are left, settle, and become unknown, each in the seen time of its source.
extension RegionMonitor {
    /// The time of the next deadline.
    var nextDeadline: Instant { min(earliest().deadline, admission.due) }

    /// Returns the source with the first deadline; of several the one made first.
    private func earliest() -> (source: Int, deadline: Instant) {
        var earliest = (source: 0, deadline: Instant.distantFuture)
        for source in sources.indices {
            let deadline = sources[source].nextDeadline
            if deadline < earliest.deadline { earliest = (source, deadline) }
        }
        return earliest
    }

    /// Runs the first timer that is due before `limit`. Returns its time; `nil` where none is due.
    mutating func advance(before limit: Instant, transitions: inout [RegionTransition]) -> Instant? {
        let (source, sourceDue) = earliest()
        let now = min(sourceDue, admission.due)
        guard now < limit else { return nil }
        if admission.due == now {
            advanceAdmission(to: now)
            return now
        }
        guard sources.indices.contains(source) else { return nil }
        if sources[source].unknownDue == now {
            statesBecomeUnknown(EvidenceSourceID(index: source), at: now, transitions: &transitions)
        } else if sources[source].silenceDue == now {
            blinded(EvidenceSourceID(index: source), since: sources[source].listening.silentSince, at: now)
        } else if let timer = sources[source].popTimer(), instances[timer.subject].timerDue == timer.due {
            guard sources[source].isProved(until: timer) || isOvertaken(timer) else {
                sources[source].awaitProof(of: timer)
                return now
            }
            instances[timer.subject].timerDue = .distantFuture
            timerFired(timer.subject, seen: timer.due, at: now, transitions: &transitions)
        }
        return now
    }

    mutating func setTimer(_ slot: InstanceSlot, dueAtSeenTime due: Instant) {
        guard instances[slot].timerDue != due else { return }
        instances[slot].timerDue = due
        let source = instances[slot].source.index
        sources[source].setTimer(slot, dueAtSeenTime: due)
        // Regions that come and go leave stale timers behind.
        sources[source].throwOutStaleTimers(of: slots.count) { instances[$0.subject].timerDue == $0.due }
    }

    func seenTime(of slot: InstanceSlot, at now: Instant) -> Instant {
        sources[instances[slot].source.index].sight.seenTime(at: now)
    }

    /// Returns whether evidence of the inside came since the timer was set, so that the timer decides nothing.
    private func isOvertaken(_ timer: EvidenceSource.Timer) -> Bool {
        instances[timer.subject].standing.presence.map { $0.leavesAt > timer.due } ?? false
    }

    private mutating func timerFired(
        _ slot: InstanceSlot, seen: Instant, at now: Instant, transitions: inout [RegionTransition]
    ) {
        if case .pending = instances[slot].existence { return settled(slot) }
        // Timers are lazy: reports only moved the time of leaving.
        if let presence = instances[slot].standing.presence, presence.leavesAt > seen {
            return setTimer(slot, dueAtSeenTime: presence.leavesAt)
        }
        if let lapsesAt = candidacyLapses(slot), lapsesAt > seen {
            return setTimer(slot, dueAtSeenTime: lapsesAt)
        }
        left(slot, at: now, transitions: &transitions)
    }

    /// Takes evidence of the outside: silence, or the word of a source that perceives the outside.
    mutating func left(_ slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition]) {
        let keeper = instances[slot].beacons.keeper
        guard let change = instances[slot].standing.outside(at: now) else { return }
        let event = change.crossing.flatMap { crossing in
            region(of: slot).recorded.exitCause(keeper).map { RegionEvent(crossing, by: $0) }
        }
        if keeper != nil { instances[slot].beacons = .nobody }
        noteOutside(slot)
        announce(slot, change, event: event, at: now, transitions: &transitions)
    }
}
