/// The effect of claims on a store's region.
extension StoreRegion {
    /// Weighs the claims.
    ///
    /// - Parameters:
    /// - evidence: the event that has changed them.
    /// - now: the time of its arrival.
    mutating func weigh(_ evidence: StorePresence.Evidence, _ spans: Spans, now: Instant) -> Change? {
        // No event was told before it has settled.
        let at = max(standing.isSettled ? max(evidence.at, settledSince) : evidence.at, notBefore)
        (reweighing, isHeldByAway) = (.never, false)
        let proved = claims.filter { $0.unprovedSince == nil }
        let held = claims.filter { claim in
            claim.isThere && claim.unprovedSince != nil
                && !proved.contains { $0.outlives(claim) && !isHeld(claim, spans, at: now) }
        }
        giveUpGaps(held + proved, spans, at: now)
        if standing.presence?.isRestored == false, let gap = gap(held + proved, spans), gap.to != nil {
            // The visit has ended, and another one has begun. It is told once that is certain.
            (tellsExit, unknownDue) = (true, .distantFuture)
            setExit(after: gap.from, spans)
            return nil
        }
        if proved.contains(where: \.isThere) {
            (exitDue, unknownDue, lookDue) = (.distantFuture, .distantFuture, nil)
            tellsExit = true
            // A visit that is known already begins first: this evidence may continue it.
            if standing.presence == nil, next.entry != nil {
                lookDue = now
                return nil
            }
            continueVisit()
            let change = enter(isCrossing: evidence.isCrossing, since: evidence.since ?? at, at: at, now: now)
            return change.map { Change(change: $0, at: at) }
        }
        if !held.isEmpty {
            (exitDue, lookDue, isHeldByAway) = (.distantFuture, nil, true)
            if let away = held.filter({ claim in proved.contains { $0.outlives(claim) } }).compactMap(\.awaySince).max()
            {
                reweighing = .givingUp(at: away + spans.givenUpAfter + TimeSpan(microseconds: 1))
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
        // A stay known only by its exit, which began recently enough to be told.
        if next.entry == nil, standing.isSettled, let first = log.first(after: settledSince),
            now - first <= spans.lateAfter
        {
            next = .known(at: first)
        }
        if next.entry != nil {
            lookDue = now
            return nil
        }
        // A gateway that has not spoken yet may have a beacon inside.
        if !standing.isSettled, claims.contains(where: { !$0.isGone && $0.deafSince == nil }) { return nil }
        return standing.outside(at: at).map { Change(change: $0, at: at) }
    }

    /// Ignores gaps that ended too long ago to be told: late messages change no history.
    private mutating func giveUpGaps(_ claims: [Claim], _ spans: Spans, at now: Instant) {
        guard standing.presence != nil else { return }
        for _ in 0...StayLog.most {
            guard let gap = gap(claims, spans), let to = gap.to, now - (gap.from + spans.exitAfter) > spans.lateAfter
            else { return }
            _ = log.note(StayLog.Stay(from: gap.from, to: to, lastHeardAt: gap.from), apart: spans.exitAfter)
            givenUp += 1
        }
    }

    /// Returns whether a gateway that is offline may still have it inside. The gateway tells so once it is back.
    private func isHeld(_ claim: Claim, _ spans: Spans, at now: Instant) -> Bool {
        claim.awaySince.map { now - $0 <= spans.givenUpAfter } ?? false
    }

    /// Returns the end of the open visit, by these claims and the ended stays.
    func gap(_ claims: [Claim], _ spans: Spans) -> StayLog.Gap? {
        guard let presence = standing.presence else { return nil }
        return log.gap(
            after: presence.enteredAt, present: claims.compactMap(\.thereSince).min(), exitAfter: spans.exitAfter)
    }

    /// The time since which its state holds, apart from unknown times.
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

    /// Returns the first statement of this process that the instance is empty, where an earlier process had stored a
    /// visit. The gateways' first messages come one after the other and tell history. So the exit waits as long as any
    /// other, from then on.
    private mutating func firstWord(at instant: Instant) -> Instant? {
        guard standing.presence?.isRestored == true else { return nil }
        switch resumption {
        case .none: return nil
        case .spokenOf(let first): return first
        case .silent(let began):
            let first = max(began, instant)
            resumption = .spokenOf(at: first)
            return first
        }
    }

    private mutating func enter(isCrossing: Bool, since: Instant, at: Instant, now: Instant) -> RegionStanding.Change? {
        if let presence = standing.presence {
            if presence.isRestored { cover(presence.enteredAt, until: now, lastHeardAt: presence.lastHeardAt) }
            if isCrossing || presence.isRestored { standing.perceived(at: max(at, presence.lastHeardAt)) }
            return standing.known(at: max(at, standing.since))
        }
        if isCrossing, !standing.isSettled { _ = standing.begin(isSettling: false, isBlind: false, at: at) }
        // No gateway has seen it enter. So it is no crossing, and the stay is longer than known.
        if !isCrossing, standing.isSettled { _ = standing.begin(isSettling: true, isBlind: false, at: at) }
        // A visit does not begin before the end of the one told before. Without one, it may have begun before this process.
        let began = min(since, at)
        return standing.inside(since: notBefore > .origin ? max(began, notBefore) : began, at: at)
    }

    /// Covers the time between two processes and before the first message in this one, so that it is no gap.
    private mutating func cover(_ enteredAt: Instant, until now: Instant, lastHeardAt: Instant) {
        let stay = StayLog.Stay(from: enteredAt, to: max(now, enteredAt), lastHeardAt: lastHeardAt)
        _ = log.note(stay, apart: .zero)
    }

    /// Starts the time until `unknown`, from the moment at which the last claim stopped proving anything.
    private mutating func becomesUnknown(after claims: [Claim], _ spans: Spans, at: Instant) -> Change? {
        guard standing.state != .unknown, exitDue == .distantFuture,
            let since = claims.compactMap(\.unprovedSince).max()
        else { return nil }
        unknownDue = max(since + spans.unknownAfter, at)
        return nil
    }

    /// Restores a stored region. No gateway has told anything about it yet.
    mutating func restore(_ record: RegionRecord, at now: Instant, unknownAt due: Instant) -> RegionStanding.Change {
        unknownDue = due
        resumption = .silent(since: now)
        // The visits that an earlier process told are not known.
        told = ToldVisits(after: record.stay?.enteredAt ?? record.lastHeardAt)
        switch record.occupancy {
        case .outside(let since): return standing.restore(outsideSince: since)
        case .inside(let stay):
            cover(stay.enteredAt, until: now, lastHeardAt: stay.lastHeardAt)
            return standing.restore(stay, until: .distantFuture)
        }
    }
}
