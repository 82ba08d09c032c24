/// The id of a source of evidence, made by its `RegionMonitor`.
struct EvidenceSourceID: Hashable, Sendable {
    private let number: UInt16

    init(index: Int) { number = UInt16(clamping: index) }

    var index: Int { Int(number) }
}

/// A source of evidence for regions: a radio, or a receiver of fixes.
///
/// Sight, proof and time belong to the source, not to the monitor. While one source is blind, the timers of its
/// instances stand still. Timers of instances with another source go on.
struct EvidenceSource: Sendable {
    /// A timer of one instance, in the seen time of its source.
    typealias Timer = TimerQueue<InstanceSlot>.Timer

    private(set) var sight = Sight()
    private(set) var proof: Proof
    private(set) var timers = TimerQueue<InstanceSlot>()
    /// The time at which the states of its instances become unknown while it is blind.
    private(set) var unknownDue = Instant.distantFuture
    /// The silence of a source for which silence is blindness.
    private(set) var listening = Listening()
    /// The time of its first timer, of blindness by silence, or of states becoming unknown. It is stored, because every
    /// report asks for it. Reading the heap each time would count references.
    private(set) var nextDeadline = Instant.distantFuture

    /// - Parameter canProbe: whether the source can be probed. Then a timer that comes due in silence waits for the
    ///   probe.
    init(canProbe: Bool) { proof = Proof(isNeeded: canProbe) }

    // MARK: - Sight and proof

    mutating func blinded(since: Instant, at now: Instant) {
        sight.blinded(since: since)
        // Waiting timers stand still now like all others, and need another proof once the source sees.
        resumeWaiting(at: now)
        schedule()
    }

    mutating func sees(at now: Instant) {
        sight.sees(at: now)
        statesBecomeUnknown(at: .distantFuture)
    }

    /// Sets the time at which the states of its instances become unknown, as long as it is blind.
    mutating func statesBecomeUnknown(at due: Instant) {
        unknownDue = due
        schedule()
    }

    /// Takes the proof that the source perceives. It comes with every report; where no probe is possible, no timer
    /// waits for it.
    mutating func proved(at now: Instant) {
        guard proof.isNeeded else { return }
        proof.proved(at: now)
        guard isAwaitingProof else { return }
        resumeWaiting(at: now)
        schedule()
    }

    /// True if a timer came due in silence and waits.
    var isAwaitingProof: Bool { !proof.waiting.isEmpty }

    /// Returns whether the source is known to have perceived until a timer came due.
    func isProved(until timer: Timer) -> Bool { proof.covers(sight.instant(ofSeenTime: timer.due)) }

    mutating func awaitProof(of timer: Timer) { proof.await(timer) }

    private mutating func resumeWaiting(at now: Instant) {
        for timer in proof.release(at: now) { timers.set(timer.subject, at: timer.due) }
    }

    // MARK: - Blindness by silence

    /// The time at which the source becomes blind unless it perceives before.
    var silenceDue: Instant { sight.isBlind ? .distantFuture : listening.due }

    /// Makes a silence of that length blindness, as long as the source does not rest.
    mutating func expect(within span: TimeSpan, at now: Instant) {
        listening.expect(within: span, at: now)
        schedule()
    }

    mutating func perceived(at now: Instant) {
        listening.perceived(at: now)
        schedule()
    }

    mutating func rests(at now: Instant) {
        listening.rests(at: now)
        schedule()
    }

    mutating func listens(at now: Instant) {
        listening.listens(at: now)
        schedule()
    }

    // MARK: - Timers

    /// Updates `nextDeadline`. The source calls it wherever a timer, the sight or the proof has changed.
    private mutating func schedule() {
        let timerDue = timers.first.map { max(sight.instant(ofSeenTime: $0.due), proof.releasedAt) }
        nextDeadline = min(timerDue ?? .distantFuture, unknownDue, silenceDue)
    }

    mutating func setTimer(_ slot: InstanceSlot, dueAtSeenTime due: Instant) {
        timers.set(slot, at: due)
        schedule()
    }

    mutating func popTimer() -> Timer? {
        defer { schedule() }
        return timers.removeFirst()
    }

    /// Removes timers that have been set again since, once they are most of the queue.
    mutating func throwOutStaleTimers(of instanceCount: Int, isSet: (Timer) -> Bool) {
        timers.throwOutStale(of: instanceCount, isSet: isSet)
        schedule()
    }
}

/// The sight of a source. A blind source proves nothing: its blind time does not count towards an exit.
///
/// Exit timers and settling run on *seen time*: the elapsed time without the time for which the source was blind. While
/// the source is blind, seen time stands still, so no exit can come due.
struct Sight: Sendable {
    /// The total blindness, up to now or to the start of the present blindness.
    private var blindTime = TimeSpan.zero
    /// The start of the blindness: the last report, not its detection. `nil` while the source sees.
    private(set) var blindSince: Instant?

    var isBlind: Bool { blindSince != nil }

    /// Returns the seen time at `now`.
    func seenTime(at now: Instant) -> Instant { min(now, blindSince ?? now) - blindTime }

    /// Returns when seen time will be `seen` if the source goes on seeing. While it is blind, never.
    func instant(ofSeenTime seen: Instant) -> Instant { isBlind ? .distantFuture : seen + blindTime }

    mutating func blinded(since: Instant) {
        if blindSince == nil { blindSince = since }
    }

    mutating func sees(at now: Instant) {
        guard let since = blindSince else { return }
        blindTime = blindTime + max(.zero, now - since)
        blindSince = nil
    }
}

/// Detects that a source is blind because it has perceived nothing for too long while it listened. Other code detects a
/// blind radio; for a receiver of fixes, silence is the only sign.
///
/// A receiver that rests on purpose is not blind: its rest does not count.
struct Listening: Sendable {
    /// The silence after which the source is blind; `nil` where silence means nothing.
    private var limit: TimeSpan?
    /// The start of the silence, moved on by any rests in between; `nil` while the source rests.
    private var since: Instant? = .origin
    /// The silence before the present rest.
    private var silence = TimeSpan.zero

    /// The time at which the source becomes blind unless it perceives before.
    var due: Instant {
        guard let limit, let since else { return .distantFuture }
        return since + limit
    }

    /// The start of the silence.
    var silentSince: Instant { since ?? .distantFuture }

    /// Makes a silence of that length blindness. A shorter limit set before stays.
    mutating func expect(within span: TimeSpan, at now: Instant) {
        if limit == nil, since != nil { since = now }
        limit = min(limit ?? span, span)
    }

    mutating func perceived(at now: Instant) {
        silence = .zero
        if since != nil { since = now }
    }

    mutating func rests(at now: Instant) {
        guard let since else { return }
        silence = max(.zero, now - since)
        self.since = nil
    }

    mutating func listens(at now: Instant) {
        if since == nil { since = now - silence }
    }
}

/// The last moment at which a source is known to have perceived.
///
/// The agent detects a dead radio some seconds late, and an exit published in between would be false. A timer comes due in
/// silence when no device has been heard for longer than `reach`. Such a timer waits until the radio has proved that it
/// hears; the owner of the radio probes it meanwhile. Where no probe is possible, as in a replay, no proof is needed.
struct Proof: Sendable {
    /// The time after a proof for which it holds. `exit_after_s` is at least one second, so no exit can be due so soon
    /// after the radio died.
    static let reach = TimeSpan.milliseconds(500)

    let isNeeded: Bool
    private(set) var provedAt = Instant(microseconds: .min)
    /// Timers that wait for a later proof.
    private(set) var waiting: [EvidenceSource.Timer] = []
    /// The time of the proof, before which no waiting timer fires. A capture's time may begin before Unix time.
    private(set) var releasedAt = Instant(microseconds: .min)

    func covers(_ due: Instant) -> Bool { !isNeeded || due <= provedAt + Self.reach }

    mutating func proved(at instant: Instant) { provedAt = max(provedAt, instant) }

    mutating func await(_ timer: EvidenceSource.Timer) { waiting.append(timer) }

    /// Returns the waiting timers; none waits any more.
    mutating func release(at instant: Instant) -> [EvidenceSource.Timer] {
        defer { waiting = [] }
        releasedAt = max(releasedAt, instant)
        return waiting
    }
}
