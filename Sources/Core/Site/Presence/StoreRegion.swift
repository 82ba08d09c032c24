/// One region instance of the store: its gateways' claims, and the resulting state. A claim is what one gateway reports
/// about the instance.
///
/// Presence is a union. The region is inside while a gateway that scans reports it inside, and is left when all of them
/// have left it. If only gateways that are offline or do not scan reported it inside, it becomes unknown.
struct StoreRegion: StoreInstance {
    /// The time limits of evaluating claims.
    struct Spans: Sendable {
        var exitAfter: TimeSpan
        var unknownAfter: TimeSpan
        /// The age beyond which what an arriving message reports is not published any more.
        var lateAfter: TimeSpan
        /// The time offline after which a gateway's claim no longer keeps the region inside against the others' exits.
        var givenUpAfter: TimeSpan
    }

    /// A change to publish, and the time that decided it.
    struct Change: Sendable {
        var change: RegionStateMachine.Change
        var at: Instant
        /// True if the next visit has begun already.
        var isPast = false
    }

    let id: RegionInstanceID
    /// The entry that waits for its admission; `nil` once the region exists.
    private(set) var pending: PendingEntry?
    private(set) var machine: RegionStateMachine
    private(set) var claims: [Claim] = []
    /// The cause of the last event of a gateway; `nil` before the first, for example after a start.
    private(set) var cause: Cause?
    /// The time of leaving; `distantFuture` while it is inside.
    private(set) var exitDue = Instant.distantFuture
    /// The time at which it becomes unknown; `distantFuture` for none.
    private(set) var unknownDue = Instant.distantFuture
    /// The last report of the visit that ended last.
    private(set) var lastHeardAt: Instant?
    /// The ended stays reported by the gateways.
    private(set) var log = StayLog()
    /// The stays before the open visit, or before the end of the last one: visits that become known late.
    private var lateStays = StayLog()
    /// The next check whether the first of the late stays can be published; `distantFuture` for none.
    private(set) var lateDue = Instant.distantFuture
    private var visits = PublishedVisits()
    /// The visit after the open one, or after the last one, while it is not published.
    private(set) var next = NextVisit.none
    /// The last evidence that belongs to the next visit.
    private var nextHeardAt: Instant?
    /// The next check whether an exit can be published; `nil` where none waits for gateways.
    private(set) var lookDue: Instant?
    private(set) var reevaluation = Reevaluation.never
    /// The number of gaps and late stays that were not published.
    private var givenUp: UInt64 = 0
    /// The earliest date of any event: an earlier visit of the instance ended then.
    private(set) var notBefore = Instant.origin
    /// The last event of its zones: the region is not left before it.
    private(set) var zonesPublishedAt: Instant?
    /// True if its exit makes an event. False if all gateways' exits of this visit came without one: their operator has
    /// switched these events off.
    private var hasExitEvent = true
    /// True if a gateway's exit of the open visit came with an event.
    private var hasGatewayExit = false
    private var resumption = Resumption.none
    /// True if only gateways that are offline or do not scan have it inside.
    private var isHeldByAway = false
    private var isPublished = false

    /// - Parameter ended: the end of an earlier visit of the instance.
    init(_ id: RegionInstanceID, after ended: Instant = .origin, at now: Instant) {
        self.id = id
        (notBefore, visits) = (ended, PublishedVisits(after: ended))
        machine = RegionStateMachine(notices: RegionStateMachine.Notices(onEntry: true, onExit: true), at: now)
        _ = machine.begin(isSettling: true, isBlind: false, at: now)
    }

    var due: Instant { min(presenceDue, lateDue) }

    /// The time of the next deadline of its presence.
    var presenceDue: Instant { min(min(lookDue ?? exitDue, unknownDue), reevaluation.due) }

    /// True if subscribers know that it is inside. Otherwise, and while an exit is undecided, no events of its zones
    /// are published.
    var isPublishedInside: Bool { machine.presence != nil && machine.state == .inside && !isUndecided && !isHeldByAway }

    /// Returns the first state of a new region, where the gateways' claims decide nothing yet.
    func undecided(at now: Instant) -> Change? {
        guard !isPublished, isMonitored, !machine.isSettled else { return nil }
        return Change(change: RegionStateMachine.Change(state: .unknown, since: machine.since, crossing: nil), at: now)
    }

    var isMonitored: Bool { !claims.isEmpty }

    /// The claims of gateways that scan, and whose reports arrive.
    private var proved: [Claim] { claims.filter { $0.unprovedSince == nil } }

    func claim(of gateway: GatewayIndex) -> Claim? { claims.first { $0.gateway == gateway } }

    mutating func change(_ gateway: GatewayIndex, _ change: (inout Claim) -> Void) {
        if let index = claims.firstIndex(where: { $0.gateway == gateway }) {
            change(&claims[index])
        } else {
            var claim = Claim(gateway)
            change(&claim)
            claims.append(claim)
        }
    }

    /// Removes the claim of a gateway that does not monitor it any more.
    mutating func removeClaim(of gateway: GatewayIndex) { claims.removeAll { $0.gateway == gateway } }

    /// Takes a report of a beacon at that time.
    mutating func heard(until instant: Instant) {
        // A report after the known end of a visit belongs to the next one.
        let isOfNext = machine.presence == nil ? next.heldSince != nil : lookDue != nil && instant >= exitDue
        if isOfNext {
            nextHeardAt = max(nextHeardAt ?? instant, instant)
        } else if let presence = machine.presence, presence.lastHeardAt < instant {
            machine.perceived(at: instant)
        }
    }

    /// Takes an ended stay of a gateway.
    ///
    /// - Returns: false where it comes too late to be published as it was.
    mutating func add(_ stay: StayLog.Stay, _ spans: Spans, at now: Instant) -> Bool {
        if case .outside(let since) = machine.occupancy, stay.from < since { return addLate(stay, spans, at: now) }
        guard let presence = machine.presence, stay.from < presence.enteredAt, !presence.isRestored else {
            return log.add(stay, apart: spans.exitAfter)
        }
        // It arrives after the entry was published. The exit says when the visit began. Without an entry, the stay
        // remains partial.
        guard stay.to + spans.exitAfter > firstEvidence(of: presence) else { return addLate(stay, spans, at: now) }
        return join(stay, spans)
    }

    /// The beginning of the open visit as far as is known: a gateway that still has it inside may have reported an entry
    /// before the one that began the visit.
    private func firstEvidence(of presence: RegionStateMachine.Presence) -> Instant {
        claims.compactMap(\.thereSince).reduce(presence.enteredAt, min)
    }

    /// Joins an earlier stay, and the late ones that it touches, with the open visit.
    private mutating func join(_ stay: StayLog.Stay, _ spans: Spans) -> Bool {
        var (isKept, next) = (true, Optional(stay))
        while let stay = next {
            let isWhole = machine.presence?.beginning != .partial && stay.from >= notBefore
            machine.began(at: max(stay.from, notBefore), isWhole ? stay.beginning : .partial)
            isKept = log.add(stay, apart: spans.exitAfter) && stay.from >= notBefore && isKept
            next = lateStays.removeLast(touching: stay.from, apart: spans.exitAfter)
        }
        return isKept
    }

    /// Takes a stay that was over before the open visit began, or before the last one ended.
    private mutating func addLate(_ stay: StayLog.Stay, _ spans: Spans, at now: Instant) -> Bool {
        guard now - stay.to <= spans.lateAfter, visits.hasRoom(for: stay, apart: spans.exitAfter) else { return false }
        let isKept = lateStays.add(stay, apart: spans.exitAfter)
        lateDue = now
        guard let presence = machine.presence,
            let last = lateStays.removeLast(touching: firstEvidence(of: presence), apart: spans.exitAfter)
        else { return isKept }
        return join(last, spans) && isKept
    }

    /// The time of an exit, or of a late visit's exit, that waits for gateways; `nil` where none does.
    func awaitedUntil(_ spans: Spans) -> Instant? {
        let exit = lookDue == nil || next.entry != nil ? nil : exitDue
        let late = lateDue == .distantFuture ? nil : lateStays.stays.first.map { $0.to + spans.exitAfter }
        return [exit, late].compactMap { $0 }.min()
    }

    /// Returns the first late stay, once all gateways have reported what they know of the time until its exit.
    ///
    /// - Parameter reported: the time up to which the gateways have reported their events.
    mutating func takeLate(_ reported: StoreGateways.Reported, _ spans: Spans, at now: Instant) -> StayLog.Stay? {
        lateDue = .distantFuture
        while let first = lateStays.stays.first {
            let exit = first.to + spans.exitAfter
            guard exit <= reported.until else {
                lateDue = max(reported.look(at: exit), now + TimeSpan(microseconds: 1))
                return nil
            }
            _ = lateStays.removeFirst()
            // The open visit may have begun after the stay became known.
            if let presence = machine.presence, !presence.isRestored, exit > firstEvidence(of: presence) {
                if !join(first, spans) { givenUp += 1 }
                continue
            }
            if visits.hasRoom(for: first, apart: spans.exitAfter) {
                lateDue = now
                visits.add(from: first.from, to: exit, since: now - spans.lateAfter)
                notBefore = max(notBefore, exit)
                return first
            }
            givenUp += 1
        }
        return nil
    }

    /// Takes a gateway's entry, which may begin the next visit.
    mutating func add(_ entry: StayLog.Entry) {
        if machine.presence == nil || exitDue < .distantFuture || !proved.contains(where: \.isThere) { log.add(entry) }
    }

    /// Limits the number of ended stays that wait, as long as all instances together have too many.
    mutating func limitLog(to limit: Int) { log.limit = limit }

    /// Sets the entry that waits for its admission; `nil` once the region exists.
    mutating func wait(for entry: PendingEntry?) { pending = entry }

    /// Takes the gateway and beacon of an event, as the cause of the next change.
    mutating func caused(by cause: Cause?) { self.cause = cause }

    /// Takes the gateway whose state ended a stay.
    mutating func caused(by gateway: GatewayIndex) { cause?.gateway = gateway }

    /// Takes the publication of a state.
    mutating func published() { isPublished = true }

    /// Takes an event of one of its zones: the region is not left before it.
    mutating func zonePublished(at instant: Instant) { zonesPublishedAt = instant }

    /// Takes whether a gateway's exit came with an event. One with an event decides for the whole visit.
    mutating func exited(withEvent hasEvent: Bool) {
        hasGatewayExit = hasGatewayExit || hasEvent
        hasExitEvent = hasGatewayExit
    }

    /// Returns whether it exists and has been outside since that instant.
    func isOutside(since instant: Instant) -> Bool { pending == nil && machine.occupancy == .outside(since: instant) }

    /// Evaluates the claims.
    ///
    /// - Parameters:
    ///   - evidence: the event that has changed them.
    ///   - now: the time at which the event arrived.
    mutating func evaluate(_ evidence: ClaimEvidence, _ spans: Spans, now: Instant) -> Change? {
        // Once it has settled, no event is dated before the last change.
        let at = max(evidence.at, settledSince ?? evidence.at, notBefore)
        (reevaluation, isHeldByAway) = (.never, false)
        let proved = proved
        let held = held(beside: proved, spans, at: now)
        giveUpGaps(held + proved, spans, at: now)
        if machine.presence?.isRestored == false, let gap = gap(held + proved, spans), gap.to != nil {
            // The visit has ended, and another one has begun. It is published once that is certain.
            (hasExitEvent, unknownDue) = (true, .distantFuture)
            setExit(after: gap.from, spans)
            return nil
        }
        if proved.contains(where: \.isThere) {
            (exitDue, unknownDue, lookDue) = (.distantFuture, .distantFuture, nil)
            hasExitEvent = true
            // A visit that is known already begins first: this evidence may continue it.
            if machine.presence == nil, next.entry != nil {
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
                reevaluation = .givingUp(at: away + spans.givenUpAfter + TimeSpan(microseconds: 1))
            }
            setUnknown(after: held, spans, at: max(at, machine.since))
            return nil
        }
        guard proved.contains(where: \.isGone), let last = claims.compactMap(\.goneAt).max() else {
            setUnknown(after: claims, spans, at: max(at, machine.since))
            return nil
        }
        unknownDue = .distantFuture
        if machine.presence != nil {
            setExit(after: max(last, gap([], spans)?.from ?? last), spans)
            if let first = firstEmptyReport(at: now) {
                exitDue = max(exitDue, first + max(spans.exitAfter, Arrival.eventPatience))
            }
            return nil
        }
        // A stay known only by its exit, which began recently enough to be published.
        if next.entry == nil, let settledSince, let first = log.first(after: settledSince),
            now - first <= spans.lateAfter
        {
            next = .known(at: first)
        }
        if next.entry != nil {
            lookDue = now
            return nil
        }
        // A gateway that has not spoken yet may have a beacon inside.
        if !machine.isSettled, claims.contains(where: { !$0.isGone && $0.deafSince == nil }) { return nil }
        return machine.outside(at: at).map { Change(change: $0, at: at) }
    }

    /// Ignores gaps that ended too long ago to be published: late messages change no history.
    private mutating func giveUpGaps(_ claims: [Claim], _ spans: Spans, at now: Instant) {
        guard machine.presence != nil else { return }
        for _ in 0...StayLog.most {
            guard let gap = gap(claims, spans), let to = gap.to, now - (gap.from + spans.exitAfter) > spans.lateAfter
            else { return }
            _ = log.add(StayLog.Stay(from: gap.from, to: to, lastHeardAt: gap.from), apart: spans.exitAfter)
            givenUp += 1
        }
    }

    /// Returns the claims that prove nothing, of gateways that may have it inside all the same.
    private func held(beside proved: [Claim], _ spans: Spans, at now: Instant) -> [Claim] {
        claims.filter { claim in
            claim.isThere && claim.unprovedSince != nil
                && !proved.contains { $0.outlives(claim) && !isHeld(claim, spans, at: now) }
        }
    }

    /// Returns whether a gateway that is offline may still have it inside. The gateway says so once it is back.
    private func isHeld(_ claim: Claim, _ spans: Spans, at now: Instant) -> Bool {
        claim.awaySince.map { now - $0 <= spans.givenUpAfter } ?? false
    }

    /// Returns the end of the open visit, and the beginning of the next one where that is known, by these claims and the
    /// ended stays.
    private func gap(_ claims: [Claim], _ spans: Spans) -> StayLog.Gap? {
        guard let presence = machine.presence else { return nil }
        return log.gap(
            after: presence.enteredAt, present: claims.compactMap(\.thereSince).min(), exitAfter: spans.exitAfter)
    }

    /// Since when it is inside or outside, whether or not that was unknown in between; `nil` before the first state.
    private var settledSince: Instant? {
        switch machine.occupancy {
        case .unsettled: nil
        case .outside(let since): since
        case .inside(let presence): presence.enteredAt
        }
    }

    private mutating func setExit(after end: Instant, _ spans: Spans) {
        let due = max(max(end, machine.presence?.enteredAt ?? end) + spans.exitAfter, notBefore)
        if due != exitDue { lookDue = nil }
        exitDue = due
    }

    /// Returns when a gateway first reported to this process that the instance is empty, where an earlier process had
    /// stored a visit; records that for the first report. The exit waits from then on for the other gateways, whose first
    /// messages come one after the other.
    private mutating func firstEmptyReport(at instant: Instant) -> Instant? {
        guard machine.presence?.isRestored == true else { return nil }
        switch resumption {
        case .none: return nil
        case .reportedEmpty(let first): return first
        case .silent(let began):
            let first = max(began, instant)
            resumption = .reportedEmpty(at: first)
            return first
        }
    }

    private mutating func enter(isCrossing: Bool, since: Instant, at: Instant, now: Instant) -> RegionStateMachine
        .Change?
    {
        if let presence = machine.presence {
            if presence.isRestored { cover(presence.enteredAt, until: now, lastHeardAt: presence.lastHeardAt) }
            if isCrossing || presence.isRestored { machine.perceived(at: max(at, presence.lastHeardAt)) }
            return machine.known(at: max(at, machine.since))
        }
        // An entry that no gateway has seen is no crossing, and the stay is longer than known.
        if isCrossing != machine.isSettled { _ = machine.begin(isSettling: !isCrossing, isBlind: false, at: at) }
        // A visit does not begin before the end of the one published before. Without one, it may have begun before this process.
        let began = min(since, at)
        let isCut = notBefore > .origin && began < notBefore
        let change = machine.inside(since: isCut ? notBefore : began, at: at)
        if isCut { machine.began(at: notBefore, .partial) }
        return change
    }

    /// Covers the time between two processes and before the first message in this one, so that it is no gap.
    private mutating func cover(_ enteredAt: Instant, until now: Instant, lastHeardAt: Instant) {
        let stay = StayLog.Stay(from: enteredAt, to: max(now, enteredAt), lastHeardAt: lastHeardAt)
        _ = log.add(stay, apart: .zero)
    }

    /// Starts the time until `unknown`, from the moment at which the last claim stopped proving anything.
    private mutating func setUnknown(after claims: [Claim], _ spans: Spans, at: Instant) {
        guard machine.state != .unknown, exitDue == .distantFuture,
            let since = claims.compactMap(\.unprovedSince).max()
        else { return }
        unknownDue = max(since + spans.unknownAfter, at)
    }

    /// Restores a stored region. No gateway has reported anything about it yet.
    mutating func restore(_ record: RegionRecord, at now: Instant, unknownAt due: Instant) -> RegionStateMachine.Change
    {
        unknownDue = due
        resumption = .silent(since: now)
        // The visits that an earlier process published are not known.
        visits = PublishedVisits(after: record.stay?.enteredAt ?? record.lastHeardAt)
        switch record.occupancy {
        case .outside(let since): return machine.restore(outsideSince: since)
        case .inside(let stay):
            cover(stay.enteredAt, until: now, lastHeardAt: stay.lastHeardAt)
            return machine.restore(stay, until: .distantFuture)
        }
    }

    /// Returns the next due change.
    ///
    /// - Parameter reported: the time up to which the gateways have reported their events.
    mutating func advance(to now: Instant, _ reported: StoreGateways.Reported, _ spans: Spans) -> Change? {
        if let entry = next.entry { return enterNext(entry, spans) }
        if exitDue <= now {
            guard exitDue <= reported.until else {
                return deferExit(at: now, lookAt: reported.look(at: exitDue), spans)
            }
            let due = exitDue
            (exitDue, lookDue) = (.distantFuture, nil)
            return leave(at: due, spans, now: now)
        }
        lookDue = nil
        return becomeUnknown(by: now)
    }

    /// Makes the region unknown once no gateway has known its state for long enough.
    mutating func becomeUnknown(by now: Instant) -> Change? {
        guard unknownDue <= now else { return nil }
        let at = unknownDue
        unknownDue = .distantFuture
        return machine.unknown(at: at).map { Change(change: $0, at: at) }
    }

    /// Delays an exit, because a gateway whose messages are delayed may still report it inside. Meanwhile the region is
    /// inside, and later unknown.
    private mutating func deferExit(at now: Instant, lookAt look: Instant, _ spans: Spans) -> Change? {
        let unknownAt = exitDue + spans.unknownAfter
        unknownDue = .distantFuture
        lookDue = max(unknownAt > now ? min(look, unknownAt) : look, now + TimeSpan(microseconds: 1))
        guard unknownAt <= now else { return nil }
        return machine.unknown(at: max(unknownAt, machine.since)).map { Change(change: $0, at: $0.since) }
    }

    /// Begins an evaluation.
    ///
    /// - Returns: whether an entry waited for it.
    mutating func beginEvaluation() -> Bool {
        defer { reevaluation = .never }
        return reevaluation.isOfEntry
    }

    /// Postpones an entry or a state dated before the last change, until the gateways have reported what followed it.
    mutating func postpone(isCrossing: Bool, until due: Instant) {
        reevaluation = .deferred(isEntry: isCrossing || reevaluation.isOfEntry, until: due)
    }

    /// The gateways that have it inside, where all entries are dated before its last exit.
    var pastEntries: [GatewayIndex]? {
        guard case .outside(let since) = machine.occupancy else { return nil }
        let there = proved.filter(\.isThere)
        return there.isEmpty || there.contains { $0.thereSince ?? since >= since } ? nil : there.map(\.gateway)
    }

    /// Returns the beginning of the visit that an old entry, or an old stay, shows; `nil` where a visit is open or
    /// nothing is old.
    ///
    /// - Parameter isCrossing: whether a gateway has just reported an entry. The first state of a region is no entry.
    func oldEntry(isCrossing: Bool, at now: Instant, _ spans: Spans) -> Instant? {
        guard machine.presence == nil else { return nil }
        let earliest = settledSince ?? notBefore
        let isHeld = next.heldSince != nil
        let hasEntry = isCrossing || isHeld
        let there = hasEntry ? proved.compactMap(\.thereSince) : []
        let candidates = there + [log.first(after: earliest), isHeld ? next.entry : nil].compactMap { $0 }
        guard let begin = candidates.min(), begin >= earliest else { return nil }
        return now - begin > Arrival.longestTransit && now - begin <= spans.lateAfter ? begin : nil
    }

    /// Returns the gateways that have reported their state at a time: a gateway reports its events in order.
    func gateways(thatReportedUntil instant: Instant) -> GatewaySet {
        claims.reduce(into: GatewaySet()) { reported, claim in
            guard claim.awaySince == nil, let last = claim.thereSince ?? claim.goneAt, last >= instant else { return }
            reported.insert(claim.gateway)
        }
    }

    /// Holds an old entry back, as long as its visit may turn out to have begun earlier.
    mutating func hold(entryAt begin: Instant, from since: Instant, until due: Instant) {
        (next, lookDue) = (.held(at: begin, since: since), due)
    }

    /// Moves the checks of an exit and of late visits forward.
    mutating func look(at due: Instant) {
        lookDue = lookDue.map { min($0, due) }
        if lateDue < .distantFuture { lateDue = min(lateDue, due) }
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

    /// True if an exit, or the visit after it, is known but not published yet.
    var isUndecided: Bool { lookDue != nil || next.entry != nil }

    private mutating func leave(at due: Instant, _ spans: Spans, now: Instant) -> Change? {
        let earliest = now - spans.lateAfter
        let proved = proved
        let gap = gap(held(beside: proved, spans, at: now) + proved, spans)
        let isPast = gap?.to != nil
        var at = due
        if let entry = gap?.to {
            // Events of zones after the beginning of the next visit belong to that visit.
            if let publishedAt = zonesPublishedAt, publishedAt < entry { at = max(due, publishedAt) }
        } else {
            at = max(due, zonesPublishedAt ?? due, earliest)
        }
        if let gap, let entry = gap.to {
            next = .known(at: entry)
            let heard = gap.stay?.lastHeardAt ?? gap.from
            nextHeardAt = max(nextHeardAt ?? heard, machine.presence?.lastHeardAt ?? heard)
            if let presence = machine.presence, !presence.isRestored {
                machine.perceived(at: max(heard, presence.enteredAt))
            }
            cause = gap.stay?.cause ?? cause
            lookDue = at
        } else {
            // A report after the exit belongs to a visit whose entry has not arrived yet.
            if let heard = nextHeardAt, heard >= due { nextHeardAt = nil }
            continueVisit()
            // A state may have said later that it was inside still.
            if let presence = machine.presence, presence.lastHeardAt > at, let heard = gap?.stay?.lastHeardAt {
                machine.perceived(at: max(heard, presence.enteredAt))
            }
        }
        let presence = machine.presence
        lastHeardAt = presence?.lastHeardAt
        log.remove(until: gap?.from ?? at)
        notBefore = max(notBefore, at)
        guard var change = machine.outside(at: at) else { return nil }
        if case .exit(var stay)? = change.crossing {
            if let last = gap?.stay, last.ending == .inferred { stay.ending = .inferred }
            change.crossing = hasExitEvent ? .exit(stay) : nil
        }
        hasGatewayExit = false
        if let presence { visits.add(from: presence.enteredAt, to: at, since: earliest) }
        return Change(change: change, at: at, isPast: isPast)
    }

    /// Continues the open visit, which did not end as expected. Reports since then belong to it.
    private mutating func continueVisit() {
        if let heard = nextHeardAt { machine.perceived(at: heard) }
        nextHeardAt = nil
    }

    /// Returns the cause of the visit that begins at that time, where no entry of it has arrived.
    private func entryCause(at from: Instant) -> Cause? {
        if let known = log.stay(at: from)?.cause { return known }
        guard var cause, let claim = claims.first(where: { $0.thereSince == from }) else { return nil }
        cause.gateway = claim.gateway
        return cause
    }

    /// Returns whether a gateway saw the beginning of the visit that begins at that time.
    private func isObserved(entryAt from: Instant) -> Bool {
        if let known = log.stay(at: from), known.from == from { return known.beginning == .observed }
        return claims.first { $0.thereSince == from }?.stay?.beginning != .partial
    }

    /// Enters the next visit, which was known already.
    private mutating func enterNext(_ from: Instant, _ spans: Spans) -> Change? {
        (next, lookDue) = (.none, nil)
        cause = log.cause(at: from) ?? entryCause(at: from) ?? cause
        let isPartial = !isObserved(entryAt: from)
        if machine.isSettled == isPartial { _ = machine.begin(isSettling: isPartial, isBlind: false, at: from) }
        let change = machine.inside(since: from, at: from)
        if let heard = [nextHeardAt, log.stay(at: from)?.lastHeardAt].compactMap({ $0 }).max(), heard > from {
            machine.perceived(at: heard)
        }
        nextHeardAt = nil
        return change.map { Change(change: $0, at: from) }
    }
}
