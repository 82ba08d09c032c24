public import Beacons
public import HCI

/// The rules of entering: heard at or above `entry_rssi_dbm` for `entry_after_s`.
extension RegionMonitor {
    /// Takes a report of a beacon in that belongs to the instance.
    ///
    /// - Parameter observe: how near the beacon is; asked only for an event.
    public mutating func receive(
        _ evidence: RegionEvidence, in slot: InstanceSlot, at now: Instant, transitions: inout [RegionTransition],
        observe: () -> BeaconObservation
    ) {
        if case .inside(let presence) = states[slot].occupancy {
            return heardInside(slot, presence, evidence, at: now, transitions: &transitions)
        }
        let rules = rules(of: slot)
        guard qualifies(evidence, threshold_dbm: rules.entryRSSI_dbm) else { return }
        let seen = radio.seenTime(at: now)
        var candidacy =
            states[slot].candidacy
            ?? RegionInstance.Candidacy(firstHeardAt: now, firstSeen: seen, lastSeen: seen)
        // The debounce starts anew after a silence in which a beacon inside would have left.
        if seen - candidacy.lastSeen > rules.exitAfter {
            candidacy = RegionInstance.Candidacy(firstHeardAt: now, firstSeen: seen, lastSeen: seen)
        }
        candidacy.lastSeen = seen
        states[slot].candidacy = candidacy
        if seen - candidacy.firstSeen >= rules.entryAfter {
            enter(slot, evidence, candidacy, at: now, transitions: &transitions, observe: observe)
        }
    }

    /// A report without any strength proves presence, but no nearness: it counts where any strength would.
    func qualifies(_ evidence: RegionEvidence, threshold_dbm: Double) -> Bool {
        let weakest = SignalLevel(rssi_dbm: -127)
        return (evidence.level ?? weakest).isAtLeast(threshold_dbm)
    }

    private mutating func enter(
        _ slot: InstanceSlot, _ evidence: RegionEvidence, _ candidacy: RegionInstance.Candidacy, at now: Instant,
        transitions: inout [RegionTransition], observe: () -> BeaconObservation
    ) {
        let region = region(of: slot)
        // Who was heard before the region had settled was there already: that is no crossing.
        let wasThere = states[slot].occupancy == .unsettled
        let enteredAt = wasThere ? candidacy.firstHeardAt : now
        let patience = evidence.patience.leaving(exitAfter: region.rules.exitAfter)
        let leavesAt = leavingTime(patience, rules: region.rules, at: now)
        states[slot].candidacy = nil
        states[slot].occupancy = .inside(
            RegionInstance.Presence(
                enteredAt: enteredAt, lastHeardAt: now,
                leavesAt: leavesAt, major: evidence.identity.major, minor: evidence.identity.minor,
                holder: evidence.transmitter, patience: patience, level: evidence.level,
                beginning: wasThere ? .partial : .observed, isRestored: false))
        setTimer(slot, dueAtSeenTime: leavesAt)
        var event: RegionEvent?
        if !wasThere, region.notifyOnEntry {
            event = RegionEvent(.enter, by: .beacon(evidence.identity, observe()))
        }
        announce(slot, .inside, since: enteredAt, at: now, event: event, transitions: &transitions)
    }

    /// Tells of a state. One that lasted no time and came with no event is not told: the next one takes its place.
    mutating func announce(
        _ slot: InstanceSlot, _ state: RegionState, since: Instant, at now: Instant, event: RegionEvent? = nil,
        transitions: inout [RegionTransition]
    ) {
        states[slot].state = state
        states[slot].since = since
        let id = states[slot].id
        let transition = RegionTransition(instance: id, state: state, since: since, at: now, event: event)
        // Looked for where it would stand and nowhere else, or a start with many regions would look through all for each.
        let latest = states[slot].announcement
        if transitions.indices.contains(latest), transitions[latest].instance == id, transitions[latest].at == now,
            transitions[latest].event == nil
        {
            transitions[latest] = transition
        } else {
            states[slot].announcement = transitions.count
            transitions.append(transition)
        }
    }
}
