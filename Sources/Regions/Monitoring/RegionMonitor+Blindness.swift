public import HCI
import HeapModule

/// What a blind radio does to states. That it stops the exit timers is `BlindRadio`'s rule.
extension RegionMonitor {
    /// The radio hears nothing, or it is not known whether it does.
    ///
    /// - Parameters:
    ///   - since: its last report. Exits due after that and not made yet wait.
    ///   - now: when that was found out. States do not become unknown before.
    public mutating func blinded(since: Instant, at now: Instant) {
        guard !radio.isBlind else { return }
        radio.blinded(since: since)
        // They stand still with all others now, and want another proof once the radio sees.
        resumeWaiting(at: now)
        let registered = registrations.lazy.filter { !$0.isFree }
        let earliest = registered.map { since + $0.region.rules.unknownStateAfter }.min()
        unknownDue = max(earliest ?? .distantFuture, now)
    }

    /// A state was told while the radio is blind, as one that an earlier process had stored: it becomes unknown like others.
    mutating func watchBlindness(of slot: InstanceSlot, at now: Instant) {
        guard let since = radio.blindSince else { return }
        unknownDue = min(unknownDue, max(now, since + rules(of: slot).unknownStateAfter))
    }

    /// The radio hears again, or has proved that there is nothing to hear.
    ///
    /// A region that was inside goes on: heard again, no event; not heard, its exit timer runs where it stood. One that
    /// was outside and whose state became unknown is outside again once the radio has listened as long as for settling;
    /// who is heard before that has entered.
    public mutating func sees(at now: Instant) {
        guard radio.isBlind else { return }
        radio.sees(at: now)
        unknownDue = .distantFuture
        for slot in states.indices where states[slot].occupancy == .outside && states[slot].state == .unknown {
            setTimer(slot, dueAtSeenTime: radio.seenTime(at: now) + rules(of: slot).settle)
        }
    }

    /// A timer came due in silence. It goes on once `proved(at:)` or `blinded(since:at:)` is called.
    public var isAwaitingProof: Bool { !proof.waiting.isEmpty }

    /// The radio has heard anything at all, or its controller has answered.
    public mutating func proved(at now: Instant) {
        proof.proved(at: now)
        if isAwaitingProof { resumeWaiting(at: now) }
    }

    private mutating func resumeWaiting(at now: Instant) {
        for timer in proof.release(at: now) { timers.insert(timer) }
    }

    /// The radio is blind for `unknown_state_after_s`: nobody can say any more who is there. That is no crossing.
    mutating func statesBecomeUnknown(at now: Instant, transitions: inout [RegionTransition]) {
        unknownDue = .distantFuture
        guard let since = radio.blindSince else { return }
        for slot in states.indices where states[slot].state != .unknown {
            let due = since + rules(of: slot).unknownStateAfter
            if due <= now {
                announce(slot, .unknown, since: now, at: now, transitions: &transitions)
            } else {
                unknownDue = min(unknownDue, due)
            }
        }
    }
}
