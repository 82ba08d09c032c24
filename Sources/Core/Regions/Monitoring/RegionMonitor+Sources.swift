/// The effect of a source's sight on states. `Sight` stops the exit timers of a blind source.
extension RegionMonitor {
    /// Marks a source as blind, or as possibly blind.
    ///
    /// - Parameters:
    /// - since: its last report. Exits that were due after it and have not been made wait.
    /// - now: the time of detection. States become unknown no earlier.
    mutating func blinded(_ source: EvidenceSourceID, since: Instant, at now: Instant) {
        guard !sources[source.index].sight.isBlind else { return }
        sources[source.index].blinded(since: since, at: now)
        var earliest = Instant.distantFuture
        for slot in registrations.slots where registrations[slot].source == source && !registrations[slot].isFree {
            earliest = min(earliest, since + registrations[slot].region.unknownStateAfter)
        }
        sources[source.index].unknownDue = max(earliest, now)
    }

    /// Lets a state become unknown that was restored from the store while its source is blind.
    mutating func watchBlindness(of slot: InstanceSlot, at now: Instant) {
        let source = instances[slot].source.index
        guard let since = sources[source].sight.blindSince else { return }
        let due = max(now, since + region(of: slot).unknownStateAfter)
        sources[source].unknownDue = min(sources[source].unknownDue, due)
    }

    /// Marks a source as seeing, or as proved to hear in quiet air.
    ///
    /// An inside region goes on: a report makes no event, and without one its exit timer continues. An outside region
    /// whose state became unknown is outside again once the source has listened for the settling time. A beacon heard
    /// before that has entered.
    ///
    /// A circle is announced again once fixes have come for `crossing_after_s`; see `SettlingCircles`.
    mutating func sees(_ source: EvidenceSourceID, at now: Instant) {
        guard sources[source.index].sight.isBlind else { return }
        sources[source.index].sees(at: now)
        let seen = sources[source.index].sight.seenTime(at: now)
        for slot in instances.slots where instances[slot].source == source {
            guard case .outside = instances[slot].standing.occupancy, instances[slot].standing.state == .unknown
            else { continue }
            guard let settle = region(of: slot).settle else { continue }
            setTimer(slot, dueAtSeenTime: seen + settle)
        }
    }

    /// Lets a receiver rest on purpose: its silence makes no state unknown.
    mutating func rests(_ source: EvidenceSourceID, at now: Instant) { sources[source.index].rests(at: now) }

    /// Takes the news that the receiver listens again.
    mutating func listens(_ source: EvidenceSourceID, at now: Instant) { sources[source.index].listens(at: now) }

    /// Returns whether a timer came due in silence. It goes on once `proved` or `blinded` is called for its source.
    func isAwaitingProof(_ source: EvidenceSourceID) -> Bool { sources[source.index].isAwaitingProof }

    /// Takes the proof that the source perceives: a report of any kind, or an answer.
    mutating func proved(_ source: EvidenceSourceID, at now: Instant) {
        // This runs with every report. Where no probe is possible, no timer waits for it.
        guard sources[source.index].proof.isNeeded else { return }
        sources[source.index].proved(at: now)
    }

    /// Makes states unknown, because a source is blind for `unknown_state_after_s`.
    mutating func statesBecomeUnknown(
        _ source: EvidenceSourceID, at now: Instant, transitions: inout [RegionTransition]
    ) {
        sources[source.index].unknownDue = .distantFuture
        guard let since = sources[source.index].sight.blindSince else { return }
        for slot in instances.slots
        where instances[slot].source == source && instances[slot].standing.state != .unknown {
            let due = since + region(of: slot).unknownStateAfter
            if due > now {
                sources[source.index].unknownDue = min(sources[source.index].unknownDue, due)
            } else if let change = instances[slot].standing.unknown(at: now) {
                announce(slot, change, at: now, transitions: &transitions)
                noteUnknown(slot)
            }
        }
    }
}

/// The end of a registration, as Core Location's `stopMonitoring(for:)`. It is no crossing. The caller decides about
/// open stays; see `RegionRecord.unmonitoredExit`.
extension RegionMonitor {
    /// Ends the monitoring of a region. Its slots and those of its instances are reused.
    ///
    /// - Returns: the slots that are free now, and the instances that existed; empty where no region of that id is
    ///   registered.
    mutating func unregister(_ region: String) -> (freed: [InstanceSlot], ended: [RegionInstanceID]) {
        guard let registration = registration(where: { $0.region.id == region }) else { return ([], []) }
        endRules(of: registration)
        registrations[registration].isFree = true
        registrations.remove(registration)
        let ending = usedSlots.filter { instances[$0].registration == registration }
        let pending = admission.pending.values.filter { instances[$0].registration == registration }
            .sorted { $0.number < $1.number }
        let ended = ending.map { instances[$0].id }
        for slot in ending {
            slots[instances[slot].id] = nil
            instances[slot].end()
            instances.remove(slot)
        }
        for slot in pending { discard(slot) }
        // A region whose instance was refused may have one now. If it is refused again, that is reported again.
        if !ending.isEmpty {
            for other in registrations.slots { registrations[other].hasRefusedInstance = false }
            for other in admission.pending.values { instances[other].existence = .pending(refusedInMinute: nil) }
        }
        return (ending + pending, ended)
    }
}
