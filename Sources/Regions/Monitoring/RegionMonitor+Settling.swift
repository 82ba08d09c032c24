import HCI

/// The rules of settling: a beacon that is there when monitoring of its region begins makes the state `inside` without
/// an event.
extension RegionMonitor {
    /// A new instance: unsettled while its region is, else nothing was there and it is outside.
    mutating func beginSettling(_ slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition]) {
        let settlesAt = registrations[states[slot].registration].settlesAt
        if radio.seenTime(at: now) < settlesAt {
            announce(slot, .unknown, since: now, at: now, transitions: &transitions)
            setTimer(slot, dueAtSeenTime: settlesAt)
        } else {
            states[slot].occupancy = .outside
            states[slot].outsideSince = now
            // A region that settles at once has no state to tell until a live radio has shown one.
            announce(slot, radio.isBlind ? .unknown : .outside, since: now, at: now, transitions: &transitions)
        }
    }

    /// Nothing was heard by now: it is outside. A beacon that is still on its way through the entry debounce was there
    /// before, so that is waited for.
    mutating func settlingTimerFired(
        _ slot: InstanceSlot, seen: Instant, at now: Instant, transitions: inout [RegionTransition]
    ) {
        if states[slot].occupancy == .unsettled, let candidacy = states[slot].candidacy {
            let lapsesAt = candidacy.lastSeen + rules(of: slot).exitAfter
            if lapsesAt > seen { return setTimer(slot, dueAtSeenTime: lapsesAt) }
        }
        if states[slot].occupancy != .outside { states[slot].outsideSince = now }
        states[slot].occupancy = .outside
        if states[slot].state != .outside {
            announce(slot, .outside, since: now, at: now, transitions: &transitions)
        }
    }
}
