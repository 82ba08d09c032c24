/// What the sight of its source does to states. That blindness stops the exit timers is `Sight`'s rule.
extension RegionMonitor {
    /// A source perceives nothing, or it is not known whether it does.
    ///
    /// - Parameters:
    ///   - since: its last report. Exits due after that and not made yet wait.
    ///   - now: when that was found out. States do not become unknown before.
    mutating func blinded(_ source: EvidenceSourceID, since: Instant, at now: Instant) {
        guard !sources[source.index].sight.isBlind else { return }
        sources[source.index].blinded(since: since, at: now)
        var earliest = Instant.distantFuture
        for slot in registrations.slots where registrations[slot].source == source && !registrations[slot].isFree {
            earliest = min(earliest, since + registrations[slot].region.unknownStateAfter)
        }
        sources[source.index].unknownDue = max(earliest, now)
    }

    /// A state was told while its source is blind, as one that an earlier process had stored: it becomes unknown like others.
    mutating func watchBlindness(of slot: InstanceSlot, at now: Instant) {
        let source = instances[slot].source.index
        guard let since = sources[source].sight.blindSince else { return }
        let due = max(now, since + region(of: slot).unknownStateAfter)
        sources[source].unknownDue = min(sources[source].unknownDue, due)
    }

    /// A source perceives again, or has proved that there is nothing to perceive.
    ///
    /// A region that was inside goes on: heard again, no event; not heard, its exit timer runs where it stood. One that
    /// was outside and whose state became unknown is outside again once the source has listened as long as for settling;
    /// who is heard before that has entered.
    ///
    /// A circle is told again once there have been fixes for `crossing_after_s`; see `SettlingCircles`.
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

    /// A receiver rests on purpose: that it perceives nothing makes no state unknown.
    mutating func rests(_ source: EvidenceSourceID, at now: Instant) { sources[source.index].rests(at: now) }

    /// It listens again.
    mutating func listens(_ source: EvidenceSourceID, at now: Instant) { sources[source.index].listens(at: now) }

    /// A timer came due in silence. It goes on once `proved` or `blinded` is called for its source.
    func isAwaitingProof(_ source: EvidenceSourceID) -> Bool { sources[source.index].isAwaitingProof }

    /// The source has perceived anything at all, or has answered.
    mutating func proved(_ source: EvidenceSourceID, at now: Instant) {
        // With every report; where nothing can be asked, nothing waits for it.
        guard sources[source.index].proof.isNeeded else { return }
        sources[source.index].proved(at: now)
    }

    /// A source is blind for `unknown_state_after_s`: nobody can say any more who is there.
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

/// The end of a registration, as Core Location's `stopMonitoring(for:)`. It is no crossing: what becomes of the stays under way is
/// for whoever ends it to say, see `RegionRecord.unmonitoredExit`.
extension RegionMonitor {
    /// Ends the monitoring of a region. Its place and those of its instances are used again.
    ///
    /// - Returns: the slots that are free now, and the instances that existed; empty where no region of that id is registered.
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
        // A region that was refused an instance may have one now, at once, and say so if it is refused again.
        if !ending.isEmpty {
            for other in registrations.slots { registrations[other].hasRefusedInstance = false }
            for other in admission.pending.values { instances[other].existence = .pending(refusedInMinute: nil) }
        }
        return (ending + pending, ended)
    }
}
