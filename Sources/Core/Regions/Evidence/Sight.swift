/// A blind source proves nothing: the time for which it perceives nothing does not count towards an exit.
///
/// Exit timers and settling run on *seen time*: the time elapsed less all the time the source was blind. While it is
/// blind, seen time stands still, so no exit can come due.
struct Sight: Sendable {
    /// How long the source was blind in all, up to now or to the start of the present blindness.
    private var blindTime = TimeSpan.zero
    /// Since when it is blind: its last report, not when it was noticed. `nil` while it sees.
    private(set) var blindSince: Instant?

    var isBlind: Bool { blindSince != nil }

    /// The seen time at `now`.
    func seenTime(at now: Instant) -> Instant {
        min(now, blindSince ?? now) - blindTime
    }

    /// When seen time will be `seen`, if the source goes on seeing; never while it is blind.
    package func instant(ofSeenTime seen: Instant) -> Instant {
        isBlind ? .distantFuture : seen + blindTime
    }

    mutating func blinded(since: Instant) {
        if blindSince == nil { blindSince = since }
    }

    mutating func sees(at now: Instant) {
        guard let since = blindSince else { return }
        blindTime = blindTime + max(.zero, now - since)
        blindSince = nil
    }
}
