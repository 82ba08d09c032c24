/// Names a source of evidence of a `RegionMonitor`, which made it.
package struct EvidenceSourceID: Hashable, Sendable {
    private let number: UInt16

    init(index: Int) { number = UInt16(clamping: index) }

    var index: Int { Int(number) }
}

/// Who can say that something is in a region or has left it. A radio is one; a receiver of fixes is another.
///
/// Sight, proof and time belong to the source and not to the monitor. Where one source is blind, the timers of its instances
/// stand still; those of instances that another one perceives run on.
struct EvidenceSource: Sendable {
    /// A timer of one instance, on the seen time of its source.
    typealias Timer = TimerQueue<InstanceSlot>.Timer

    private(set) var sight = Sight()
    private(set) var proof: Proof
    private(set) var timers = TimerQueue<InstanceSlot>()
    /// When the states of its instances become unknown while it is blind.
    var unknownDue = Instant.distantFuture { didSet { schedule() } }
    /// How long it has perceived nothing, where that makes it blind.
    private(set) var listening = Listening()
    /// When its first timer fires, it turns out to be blind or states become unknown. It is asked for with every report, so it is kept: to look at the heap
    /// each time would count references to it.
    private(set) var nextDeadline = Instant.distantFuture

    /// - Parameter canProbe: whether it can be asked if it perceives. Then a timer that comes due in silence waits for that.
    init(canProbe: Bool) { proof = Proof(isNeeded: canProbe) }

    // MARK: - Sight and proof

    mutating func blinded(since: Instant, at now: Instant) {
        sight.blinded(since: since)
        // Timers that wait stand still with all others now, and want another proof once the source sees.
        resumeWaiting(at: now)
        schedule()
    }

    mutating func sees(at now: Instant) {
        sight.sees(at: now)
        unknownDue = .distantFuture
    }

    mutating func proved(at now: Instant) {
        proof.proved(at: now)
        guard isAwaitingProof else { return }
        resumeWaiting(at: now)
        schedule()
    }

    /// A timer came due in silence.
    var isAwaitingProof: Bool { !proof.waiting.isEmpty }

    /// Whether the source is known to have perceived until a timer came due.
    func isProved(until timer: Timer) -> Bool { proof.covers(sight.instant(ofSeenTime: timer.due)) }

    mutating func awaitProof(of timer: Timer) { proof.await(timer) }

    private mutating func resumeWaiting(at now: Instant) {
        for timer in proof.release(at: now) { timers.set(timer.subject, at: timer.due) }
    }

    // MARK: - Silence that is blindness

    /// When it is blind unless it perceives anything before.
    var silenceDue: Instant { sight.isBlind ? .distantFuture : listening.due }

    /// It perceives so often, as long as it does not rest, that a silence of that length is blindness.
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

    /// To be called wherever a timer, the sight or the proof has changed.
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

    /// Throws timers out that were set again since, once they are most of the queue.
    mutating func throwOutStaleTimers(of instanceCount: Int, isSet: (Timer) -> Bool) {
        timers.throwOutStale(of: instanceCount, isSet: isSet)
        schedule()
    }
}

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

/// Finds a source blind that has perceived nothing for too long while it listened. A radio is found out by whoever owns it; of a
/// receiver of fixes silence is all there is to go by.
///
/// A receiver that rests on purpose is not blind: the time for which it rests does not count.
struct Listening: Sendable {
    /// After how much silence it is blind; `nil` where silence means nothing.
    private var limit: TimeSpan?
    /// Since when it has listened in vain, as if it had not rested in between; `nil` while it rests.
    private var since: Instant? = .origin
    /// How long it has listened in vain, for when it goes on.
    private var silence = TimeSpan.zero

    /// When it is blind unless it perceives anything before.
    package var due: Instant {
        guard let limit, let since else { return .distantFuture }
        return since + limit
    }

    /// Since when it has listened in vain.
    var silentSince: Instant { since ?? .distantFuture }

    /// Silence of that length is blindness, or a shorter one that was said before.
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

/// The last moment at which a source is known to have perceived, and how far that carries.
///
/// A radio that dies is found out some seconds later, and an exit told in between would be false. So a timer that comes
/// due in silence, which is when nothing of any kind has been heard for longer than `reach`, waits until the radio has
/// proved that it hears. Whoever owns the radio asks its controller meanwhile; where nothing can be asked, as in a replay,
/// no proof is needed.
struct Proof: Sendable {
    /// `exit_after_s` is one second at least, so no exit can be due so soon after the radio died.
    static let reach = TimeSpan.milliseconds(500)

    let isNeeded: Bool
    private(set) var provedAt = Instant(microseconds: .min)
    /// Timers that wait for a later proof.
    private(set) var waiting: [EvidenceSource.Timer] = []
    /// What has waited comes to pass at the proof, not before. A capture's time may begin before that of Unix.
    private(set) var releasedAt = Instant(microseconds: .min)

    func covers(_ due: Instant) -> Bool { !isNeeded || due <= provedAt + Self.reach }

    mutating func proved(at instant: Instant) { provedAt = max(provedAt, instant) }

    mutating func await(_ timer: EvidenceSource.Timer) { waiting.append(timer) }

    /// The timers that have waited; none waits any more.
    mutating func release(at instant: Instant) -> [EvidenceSource.Timer] {
        defer { waiting = [] }
        releasedAt = max(releasedAt, instant)
        return waiting
    }
}
