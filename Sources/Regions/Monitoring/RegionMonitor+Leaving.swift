import Beacons
public import HCI
import HeapModule

/// The rules of leaving: nothing heard at or above `exit_rssi_dbm` for `exit_after_s`, longer where beacons are slow.
extension RegionMonitor {
    /// A beacon is heard in a region that is inside.
    mutating func heardInside(
        _ slot: InstanceSlot, _ presence: RegionInstance.Presence, _ evidence: RegionEvidence, at now: Instant,
        transitions: inout [RegionTransition]
    ) {
        let rules = rules(of: slot)
        guard qualifies(evidence, threshold_dbm: rules.exitRSSI_dbm) else { return }
        var presence = presence
        let patience = evidence.patience.leaving(exitAfter: rules.exitAfter)
        let leavesAt = leavingTime(patience, rules: rules, at: now)
        // Of several beacons the one that may be silent longest decides; its own reports move that freely.
        if leavesAt >= presence.leavesAt || presence.holder == evidence.transmitter || presence.isRestored {
            presence.leavesAt = leavesAt
            presence.holder = evidence.transmitter
            presence.patience = patience
        }
        presence.lastHeardAt = now
        presence.level = evidence.level
        presence.isRestored = false
        states[slot].occupancy = .inside(presence)
        if presence.leavesAt < states[slot].due { setTimer(slot, dueAtSeenTime: presence.leavesAt) }
        // Heard again after the radio was blind, and inside before: no event.
        if states[slot].state != .inside {
            announce(slot, .inside, since: presence.enteredAt, at: now, transitions: &transitions)
        }
    }

    /// Seen time at which the region is left if nothing more is heard.
    func leavingTime(_ patience: TimeSpan, rules: RegionRules, at now: Instant) -> Instant {
        radio.seenTime(at: now) + max(rules.exitAfter, patience)
    }

    /// How many timers are held, stale ones among them.
    var timerCount: Int { timers.count }

    /// When `advance` has something to do next.
    public var nextDeadline: Instant {
        guard let timer = timers.min else { return unknownDue }
        return min(max(radio.instant(ofSeenTime: timer.due), proof.releasedAt), unknownDue)
    }

    /// The same for whoever asks with every report. It changes nothing, but what is not mutating gets a copy of the whole
    /// monitor when another module calls it.
    public mutating func nextDeadlineInPlace() -> Instant { nextDeadline }

    /// Runs the first timer that is due before `limit`, and returns when it was due; `nil` where none is.
    public mutating func advance(before limit: Instant, transitions: inout [RegionTransition]) -> Instant? {
        let now = nextDeadline
        guard now < limit else { return nil }
        if unknownDue == now {
            statesBecomeUnknown(at: now, transitions: &transitions)
        } else if let timer = timers.popMin(), states[timer.slot].due == timer.due {
            guard proof.covers(radio.instant(ofSeenTime: timer.due)) || isOvertaken(timer) else {
                proof.await(timer)
                return now
            }
            states[timer.slot].due = .distantFuture
            timerFired(timer.slot, seen: timer.due, at: now, transitions: &transitions)
        }
        return now
    }

    /// The beacon was heard since the timer was set, so it decides nothing.
    private func isOvertaken(_ timer: Timer) -> Bool {
        guard case .inside(let presence) = states[timer.slot].occupancy else { return false }
        return presence.leavesAt > timer.due
    }

    private mutating func timerFired(
        _ slot: InstanceSlot, seen: Instant, at now: Instant, transitions: inout [RegionTransition]
    ) {
        guard case .inside(let presence) = states[slot].occupancy else {
            return settlingTimerFired(slot, seen: seen, at: now, transitions: &transitions)
        }
        // Timers are lazy: reports only moved `leavesAt`.
        if presence.leavesAt > seen { return setTimer(slot, dueAtSeenTime: presence.leavesAt) }
        let region = region(of: slot)
        states[slot].occupancy = .outside
        states[slot].outsideSince = now
        var event: RegionEvent?
        if region.notifyOnExit {
            let stay = RegionStay(
                enteredAt: presence.enteredAt, lastHeardAt: presence.lastHeardAt, beginning: presence.beginning,
                ending: presence.isRestored ? .inferred : .observed)
            event = RegionEvent(.exit(stay), by: presence.keeper.exitCause(uuid: region.uuid))
        }
        announce(slot, .outside, since: now, at: now, event: event, transitions: &transitions)
    }
}
