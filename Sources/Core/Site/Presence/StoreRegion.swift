/// One region instance of the store: what its gateways claim, and how it stands because of that.
///
/// Presence is a union. It is inside while a gateway that can hear has it inside, and it is left when all of those have left it. What
/// only gateways that can't hear had inside is neither: it becomes unknown.
struct StoreRegion: StoreInstance {
    let id: RegionInstanceID
    /// The entry that waits for its admission; `nil` once the region exists.
    var pending: PendingEntry?
    var standing: RegionStanding
    private(set) var claims: [Claim] = []
    /// The last gateway's event; `nil` while none has told one, as after a start.
    var cause: Cause?
    /// When it is left; `distantFuture` while somebody is there.
    var exitDue = Instant.distantFuture
    /// When nobody can say any more who is there.
    var unknownDue = Instant.distantFuture
    /// The last evidence that it was inside.
    var lastHeardAt: Instant?
    /// What the gateways have told of stays that have ended.
    package var log = StayLog()
    /// When the next visit begins, where it is known when the last one has ended, or where the entry waits for gateways.
    var nextEntry: Instant?
    /// Since when an old entry waits for gateways that may tell an earlier one.
    var heldSince: Instant?
    /// The last evidence that belongs to the next visit.
    var nextHeardAt: Instant?
    /// When it is looked again whether an exit can be told; `nil` where none waits for gateways.
    var lookDue: Instant?
    /// When the claims are weighed again without any news.
    var reweighDue = Instant.distantFuture
    /// Gaps that were given up.
    var givenUp: UInt64 = 0
    /// The claim that is dated in the past and waits for gateways.
    package enum Deferral { case none, presence, entry }
    var deferral = Deferral.none
    /// Nothing is dated before: an earlier visit of the same instance has ended then.
    var notBefore = Instant.origin
    /// When anything was told of its zones last: it is not left before that.
    var zonesToldAt: Instant?
    /// Whether the gateways tell of exits: their operator may not want to know of them.
    var tellsExit = true
    /// When this process began, where an earlier one had stored the region; then when a gateway first said something of it.
    private var resumedAt: Instant?
    private var isSpokenOf = false
    /// Whether the last exit was told as one that nobody watched.
    var isInferred = false

    init(_ id: RegionInstanceID, at now: Instant) {
        self.id = id
        standing = RegionStanding(notices: RegionStanding.Notices(onEntry: true, onExit: true), at: now)
        _ = standing.begin(isSettling: true, isBlind: false, at: now)
    }

    /// What it has to do next.
    package var due: Instant { min(min(lookDue ?? exitDue, unknownDue), reweighDue) }

    /// Whether subscribers know that it is inside: while they don't, nothing is told of its zones. Nothing is told of them either
    /// while it is not decided whether it has been left.
    var isToldInside: Bool { standing.presence != nil && standing.state == .inside && !isUndecided && !isHeldByAway }
    /// Whether only gateways that can't hear have it inside.
    private var isHeldByAway = false

    /// Whether subscribers were told any state of it.
    var isTold = false

    /// What is to be told of a region that is new, where the gateways' claims decide nothing yet.
    func undecided(at now: Instant) -> Change? {
        guard !isTold, isMonitored, !standing.isSettled else { return nil }
        return Change(change: RegionStanding.Change(state: .unknown, since: standing.since, crossing: nil), at: now)
    }

    /// Whether a gateway still claims anything of it.
    var isMonitored: Bool { !claims.isEmpty }

    /// What a gateway claims, where it claims anything.
    func claim(of gateway: GatewayIndex) -> Claim? { claims.first { $0.gateway == gateway } }

    /// Changes what a gateway claims.
    mutating func change(_ gateway: GatewayIndex, _ change: (inout Claim) -> Void) {
        if let index = claims.firstIndex(where: { $0.gateway == gateway }) {
            change(&claims[index])
        } else {
            var claim = Claim(gateway)
            change(&claim)
            claims.append(claim)
        }
    }

    /// The gateway monitors it no more: it has nothing to say of it.
    mutating func withdraw(_ gateway: GatewayIndex) { claims.removeAll { $0.gateway == gateway } }

    /// A beacon of it was heard until then.
    mutating func heard(until instant: Instant) {
        guard let presence = standing.presence else {
            if heldSince != nil { nextHeardAt = max(nextHeardAt ?? instant, instant) }
            return
        }
        // It was left before that, as far as is known: the next visit has begun.
        guard lookDue == nil || instant < exitDue else {
            nextHeardAt = max(nextHeardAt ?? instant, instant)
            return
        }
        if presence.lastHeardAt < instant { standing.perceived(at: instant) }
    }

    /// A gateway had something inside, and saw it leave.
    ///
    /// - Returns: false where it comes too late to be told as it was.
    mutating func note(_ stay: StayLog.Stay, _ spans: Spans) -> Bool {
        guard let presence = standing.presence else {
            if case .outside(let since) = standing.occupancy {
                if stay.to <= since { return false }
                // The end of a stay that was told to be over makes no visit.
                if stay.from < since { return true }
            }
            return log.note(stay, apart: spans.exitAfter)
        }
        guard stay.from < presence.enteredAt, !presence.isRestored else {
            return log.note(stay, apart: spans.exitAfter)
        }
        // It comes after the entry was told. The exit says when the visit began. Where no entry was told, it stays partial.
        guard stay.to + spans.exitAfter > presence.enteredAt else { return false }
        standing.began(
            at: max(stay.from, notBefore), presence.beginning == .partial ? .partial : stay.beginning)
        return log.note(stay, apart: spans.exitAfter) && stay.from >= notBefore
    }

    /// A gateway's entry, which may turn out to begin the next visit.
    mutating func note(_ entry: StayLog.Entry) {
        let isVisited =
            standing.presence != nil && exitDue == .distantFuture
            && claims.contains { $0.isThere && $0.unprovedSince == nil }
        if !isVisited { log.note(entry) }
    }

    /// The exit was told as one that nobody watched, or not told at all.
    mutating func noteExit(isTold: Bool, isInferred: Bool) {
        tellsExit = isTold
        self.isInferred = isInferred
    }
}

/// What the claims make of it.
extension StoreRegion {
    /// Times that the claims are weighed by.
    struct Spans: Sendable {
        var exitAfter: TimeSpan
        var unknownAfter: TimeSpan
        /// What is older at its arrival changes no history.
        var lateAfter: TimeSpan
        /// A gateway that is away for so long is given up: what it had inside is left with what others have told.
        var givenUpAfter: TimeSpan
    }

    /// What is to be told, and by whom it was decided.
    struct Change: Sendable {
        var change: RegionStanding.Change
        package var at: Instant
        /// Whether the next visit has begun already.
        var isPast = false
    }

    /// Weighs the claims anew.
    ///
    /// - Parameters:
    ///   - isCrossing: whether a gateway has told an entry; what is there without one was there before.
    ///   - since: since when something is there, where that is earlier than `at`.
    ///   - at: when that happened which changed them.
    ///   - now: when it came.
    mutating func weigh(
        _ spans: Spans, isCrossing: Bool, since: Instant? = nil, at instant: Instant, now: Instant
    ) -> Change? {
        // Nothing was told before it has settled.
        let at = max(standing.isSettled ? max(instant, settledSince) : instant, notBefore)
        (deferral, isHeldByAway, reweighDue) = (.none, false, .distantFuture)
        let proved = claims.filter { $0.unprovedSince == nil }
        let held = claims.filter { claim in
            claim.isThere && claim.unprovedSince != nil
                && !proved.contains { $0.outlives(claim) && !isHeld(claim, spans, at: now) }
        }
        giveUpGaps(held + proved, spans, at: now)
        if standing.presence?.isRestored == false, let gap = gap(held + proved, spans), gap.to != nil {
            // The visit has ended, and another one has begun: told once it is sure.
            (tellsExit, unknownDue) = (true, .distantFuture)
            setExit(after: gap.from, spans)
            return nil
        }
        if proved.contains(where: \.isThere) {
            (exitDue, unknownDue, lookDue) = (.distantFuture, .distantFuture, nil)
            tellsExit = true
            continueVisit()
            return enter(isCrossing: isCrossing, since: since ?? at, at: at, now: now).map {
                Change(change: $0, at: at)
            }
        }
        if !held.isEmpty {
            (exitDue, lookDue, isHeldByAway) = (.distantFuture, nil, true)
            if let away = held.filter({ claim in proved.contains { $0.outlives(claim) } }).compactMap(\.awaySince).max()
            {
                reweighDue = away + spans.givenUpAfter + TimeSpan(microseconds: 1)
            }
            return becomesUnknown(after: held, spans, at: max(at, standing.since))
        }
        guard proved.contains(where: \.isGone), let last = claims.compactMap(\.goneAt).max() else {
            return becomesUnknown(after: claims, spans, at: max(at, standing.since))
        }
        unknownDue = .distantFuture
        if standing.presence != nil {
            setExit(after: max(last, gap([], spans)?.from ?? last), spans)
            if let first = firstWord(at: now) {
                exitDue = max(exitDue, first + max(spans.exitAfter, Arrival.eventPatience))
            }
            return nil
        }
        // A stay that was told by its exit alone, and began not too long ago to be told.
        if nextEntry == nil, standing.isSettled, let first = log.first(after: settledSince),
            now - first <= spans.lateAfter
        {
            nextEntry = first
        }
        if nextEntry != nil {
            lookDue = now
            return nil
        }
        // A gateway that has not said anything yet may have a beacon inside.
        if !standing.isSettled, claims.contains(where: { !$0.isGone && $0.deafSince == nil }) { return nil }
        return standing.outside(at: at).map { Change(change: $0, at: at) }
    }

    /// A gap that ended too long ago to be told is none: what comes late changes no history.
    private mutating func giveUpGaps(_ claims: [Claim], _ spans: Spans, at now: Instant) {
        guard standing.presence != nil else { return }
        for _ in 0...StayLog.most {
            guard let gap = gap(claims, spans), let to = gap.to, now - (gap.from + spans.exitAfter) > spans.lateAfter
            else { return }
            _ = log.note(StayLog.Stay(from: gap.from, to: to, lastHeardAt: gap.from), apart: spans.exitAfter)
            givenUp += 1
        }
    }

    /// A gateway whose line is down, or that is stopped, may still have it inside. It tells so once it is back.
    private func isHeld(_ claim: Claim, _ spans: Spans, at now: Instant) -> Bool {
        claim.awaySince.map { now - $0 <= spans.givenUpAfter } ?? false
    }

    /// Where the visit under way ends, as far as these claims and the stays that have ended show.
    func gap(_ claims: [Claim], _ spans: Spans) -> StayLog.Gap? {
        guard let presence = standing.presence else { return nil }
        return log.gap(
            after: presence.enteredAt, present: claims.compactMap(\.thereSince).min(), exitAfter: spans.exitAfter)
    }

    /// Since when it is as it is, whatever was unknown meanwhile.
    var settledSince: Instant {
        switch standing.occupancy {
        case .unsettled: standing.since
        case .outside(let since): since
        case .inside(let presence): presence.enteredAt
        }
    }

    private mutating func setExit(after end: Instant, _ spans: Spans) {
        let due = max(max(end, standing.presence?.enteredAt ?? end) + spans.exitAfter, notBefore)
        if due != exitDue { lookDue = nil }
        exitDue = due
    }

    /// When a gateway first said in this process that nothing is there, where an earlier one had stored a visit. The gateways' words come
    /// one after the other, and what was told before is history: so the exit waits as long as any, from then on.
    private mutating func firstWord(at instant: Instant) -> Instant? {
        guard let resumedAt, standing.presence?.isRestored == true else { return nil }
        if !isSpokenOf {
            isSpokenOf = true
            self.resumedAt = max(resumedAt, instant)
        }
        return self.resumedAt
    }

    private mutating func enter(isCrossing: Bool, since: Instant, at: Instant, now: Instant) -> RegionStanding.Change? {
        if let presence = standing.presence {
            if presence.isRestored { cover(presence.enteredAt, until: now, lastHeardAt: presence.lastHeardAt) }
            if isCrossing || presence.isRestored { standing.perceived(at: max(at, presence.lastHeardAt)) }
            return standing.known(at: max(at, standing.since))
        }
        if isCrossing, !standing.isSettled { _ = standing.begin(isSettling: false, isBlind: false, at: at) }
        // No gateway has seen it enter, so it is no crossing, and the stay is longer than known.
        if !isCrossing, standing.isSettled { _ = standing.begin(isSettling: true, isBlind: false, at: at) }
        return standing.inside(since: min(since, at), at: at)
    }

    /// Nothing is known of the time between two processes and before the first word in this one, so that time is no gap.
    private mutating func cover(_ enteredAt: Instant, until now: Instant, lastHeardAt: Instant) {
        let stay = StayLog.Stay(from: enteredAt, to: max(now, enteredAt), lastHeardAt: lastHeardAt)
        _ = log.note(stay, apart: .zero)
    }

    /// The timer runs from the moment at which it was known that the last of them proves nothing.
    private mutating func becomesUnknown(after claims: [Claim], _ spans: Spans, at: Instant) -> Change? {
        guard standing.state != .unknown, exitDue == .distantFuture,
            let since = claims.compactMap(\.unprovedSince).max()
        else { return nil }
        unknownDue = max(since + spans.unknownAfter, at)
        return nil
    }

    /// What an earlier process has stored goes on. No gateway has said anything of it yet.
    mutating func restore(_ record: RegionRecord, at now: Instant, unknownAt due: Instant) -> RegionStanding.Change {
        unknownDue = due
        resumedAt = now
        switch record.occupancy {
        case .outside(let since): return standing.restore(outsideSince: since)
        case .inside(let stay):
            cover(stay.enteredAt, until: now, lastHeardAt: stay.lastHeardAt)
            return standing.restore(stay, until: .distantFuture)
        }
    }
}
