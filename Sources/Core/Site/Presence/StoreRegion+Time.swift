/// The effect of time on a store's region.
extension StoreRegion {
    /// Returns the next due change.
    ///
    /// - Parameter told: the time up to which the gateways have told their events.
    mutating func advance(to now: Instant, _ told: StoreGateways.Told, _ spans: Spans) -> Change? {
        if let entry = next.entry { return enterNext(entry, spans) }
        if exitDue <= now {
            guard exitDue <= told.until else { return wait(at: now, lookAt: told.look(at: exitDue), spans) }
            let due = exitDue
            (exitDue, lookDue) = (.distantFuture, nil)
            return leave(at: due, notBefore: now - spans.lateAfter, spans)
        }
        lookDue = nil
        return becomeUnknown(by: now)
    }

    /// Makes the region unknown once no gateway has known its state for long enough.
    mutating func becomeUnknown(by now: Instant) -> Change? {
        guard unknownDue <= now else { return nil }
        let at = unknownDue
        unknownDue = .distantFuture
        return standing.unknown(at: at).map { Change(change: $0, at: at) }
    }

    /// Delays an exit, because a gateway that is behind may still deny it. Meanwhile the region is inside, and later
    /// unknown.
    private mutating func wait(at now: Instant, lookAt look: Instant, _ spans: Spans) -> Change? {
        let unknownAt = exitDue + spans.unknownAfter
        unknownDue = .distantFuture
        lookDue = max(unknownAt > now ? min(look, unknownAt) : look, now + TimeSpan(microseconds: 1))
        guard unknownAt <= now else { return nil }
        return standing.unknown(at: max(unknownAt, standing.since)).map { Change(change: $0, at: $0.since) }
    }

    /// Begins a weighing.
    ///
    /// - Returns: whether an entry waited for it.
    mutating func beginWeighing() -> Bool {
        defer { reweighing = .never }
        return reweighing.isOfEntry
    }

    /// Postpones an entry or a state dated before the last change, until the gateways have told what followed it.
    mutating func postpone(isCrossing: Bool, until due: Instant) {
        reweighing = .deferred(isEntry: isCrossing || reweighing.isOfEntry, until: due)
    }

    /// The gateways that have it inside, where all entries are dated before its last exit.
    var pastEntries: [GatewayIndex]? {
        guard case .outside(let since) = standing.occupancy else { return nil }
        let there = claims.filter { $0.isThere && $0.unprovedSince == nil }
        return there.isEmpty || there.contains { $0.thereSince ?? since >= since } ? nil : there.map(\.gateway)
    }

    /// Returns the beginning of the visit that an old entry, or an old stay, shows; `nil` where a visit is open or
    /// nothing is old.
    ///
    /// - Parameter isCrossing: whether a gateway has just told an entry. The first state of a region is no entry.
    func oldEntry(isCrossing: Bool, at now: Instant, _ spans: Spans) -> Instant? {
        guard standing.presence == nil else { return nil }
        let earliest = standing.isSettled ? settledSince : notBefore
        let isHeld = next.heldSince != nil
        let hasEntry = isCrossing || isHeld
        let there = hasEntry ? claims.filter { $0.unprovedSince == nil }.compactMap(\.thereSince) : []
        let candidates = there + [log.first(after: earliest), isHeld ? next.entry : nil].compactMap { $0 }
        guard let begin = candidates.min(), begin >= earliest else { return nil }
        return now - begin > Arrival.longestTransit && now - begin <= spans.lateAfter ? begin : nil
    }

    /// Returns the gateways that have told their state at a time: a gateway tells its events in order.
    func gateways(thatToldUntil instant: Instant) -> GatewaySet {
        claims.reduce(into: GatewaySet()) { told, claim in
            guard claim.awaySince == nil, let last = claim.thereSince ?? claim.goneAt, last >= instant else { return }
            told.insert(claim.gateway)
        }
    }

    /// Holds an old entry back, as long as its visit may turn out to have begun earlier.
    mutating func hold(entryAt begin: Instant, from since: Instant, until due: Instant) {
        (next, lookDue) = (.held(at: begin, since: since), due)
    }

    /// Moves the check of an exit forward.
    mutating func look(at due: Instant) {
        lookDue = lookDue.map { min($0, due) }
        lookForLate(at: due)
    }

    /// Returns whether an exit or a late visit waits for gateways until after that time.
    func awaits(after instant: Instant) -> Bool {
        lookDue ?? .origin > instant || (lateDue > instant && lateDue < .distantFuture)
    }

    /// Returns the number of gaps and stays that were given up since the last call.
    mutating func takeGivenUp() -> UInt64 {
        defer { givenUp = 0 }
        return givenUp
    }

    /// Whether an exit, or the visit after it, is known but not told yet.
    var isUndecided: Bool { lookDue != nil || next.entry != nil }

    /// Leaves the region.
    private mutating func leave(at due: Instant, notBefore earliest: Instant, _ spans: Spans) -> Change? {
        let gap = gap(claims.filter { $0.unprovedSince == nil }, spans)
        let isPast = gap?.to != nil
        var at = due
        if let entry = gap?.to {
            // Events of zones after the beginning of the next visit belong to that visit.
            if let toldAt = zonesToldAt, toldAt < entry { at = max(due, toldAt) }
        } else {
            at = max(due, max(zonesToldAt ?? due, earliest))
        }
        if let gap, let entry = gap.to {
            next = .known(at: entry)
            let heard = gap.stay?.lastHeardAt ?? gap.from
            nextHeardAt = max(nextHeardAt ?? heard, standing.presence?.lastHeardAt ?? heard)
            if standing.presence?.isRestored == false { standing.perceived(at: heard) }
            cause = gap.stay?.cause ?? cause
            lookDue = at
        } else {
            continueVisit(until: at)
        }
        let presence = standing.presence
        lastHeardAt = presence?.lastHeardAt
        log.forget(until: gap?.from ?? at)
        notBefore = max(notBefore, at)
        guard var change = standing.outside(at: at) else { return nil }
        if case .exit(var stay)? = change.crossing {
            if isInferred { stay.ending = .inferred }
            change.crossing = tellsExit ? .exit(stay) : nil
        }
        isInferred = false
        if let presence { told.note(from: presence.enteredAt, to: at, since: earliest) }
        return Change(change: change, at: at, isPast: isPast)
    }

    /// Continues the open visit, which did not end as expected. Reports since then belong to it.
    mutating func continueVisit(until end: Instant = .distantFuture) {
        if let heard = nextHeardAt { standing.perceived(at: min(heard, end)) }
        nextHeardAt = nil
    }

    /// Returns the cause of the visit that begins at that time, where no entry of it has arrived.
    private func entryCause(at from: Instant) -> Cause? {
        if let known = log.stay(at: from)?.cause { return known }
        guard var told = cause, let claim = claims.first(where: { $0.thereSince == from }) else { return nil }
        told.gateway = claim.gateway
        return told
    }

    /// Enters the next visit, which was known already.
    private mutating func enterNext(_ from: Instant, _ spans: Spans) -> Change? {
        (next, lookDue) = (.none, nil)
        cause = log.cause(at: from) ?? entryCause(at: from) ?? cause
        if !standing.isSettled { _ = standing.begin(isSettling: false, isBlind: false, at: from) }
        let change = standing.inside(since: from, at: from)
        if let heard = [nextHeardAt, log.stay(at: from)?.lastHeardAt].compactMap({ $0 }).max(), heard > from {
            standing.perceived(at: heard)
        }
        nextHeardAt = nil
        return change.map { Change(change: $0, at: from) }
    }
}
