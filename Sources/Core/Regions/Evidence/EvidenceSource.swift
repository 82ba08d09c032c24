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
