/// One region instance of the store: its gateways' claims, and the resulting state.
///
/// Presence is a union. The region is inside while a hearing gateway has it inside, and is left when all of them have
/// left it. If only gateways that cannot hear had it inside, it becomes unknown.
struct StoreRegion: StoreInstance {
    /// The time limits of weighing claims.
    struct Spans: Sendable {
        var exitAfter: TimeSpan
        var unknownAfter: TimeSpan
        /// The age beyond which an arriving message changes no history.
        var lateAfter: TimeSpan
        /// The absence after which a gateway is given up. Its stays then end with the events of the others.
        var givenUpAfter: TimeSpan
    }

    /// A change to tell, and the time that decided it.
    struct Change: Sendable {
        var change: RegionStanding.Change
        var at: Instant
        /// Whether the next visit has begun already.
        var isPast = false
    }

    /// The visit after the last one told.
    enum NextVisit: Sendable {
        case none
        /// Known to begin at that time, after the end of the last one.
        case known(at: Instant)
        /// Held back: the visit begins at that time or earlier. `since` tells how long an old entry has waited for
        /// gateways that may tell an earlier one.
        case held(at: Instant, since: Instant)
    }

    /// The reason and time of another weighing without news.
    enum Reweighing: Sendable {
        case never
        /// An entry or a state is dated in the past. It waits until gateways have told what followed it.
        case deferred(isEntry: Bool, until: Instant)
        /// A gateway that is away is given up.
        case givingUp(at: Instant)
    }

    /// The progress of restoring a stored region.
    enum Resumption: Sendable {
        case none
        /// This process began then, and no gateway has told anything about the region yet.
        case silent(since: Instant)
        /// A gateway first told then that the instance is empty.
        case spokenOf(at: Instant)
    }

    let id: RegionInstanceID
    /// The entry that waits for its admission; `nil` once the region exists.
    var pending: PendingEntry?
    var standing: RegionStanding
    private(set) var claims: [Claim] = []
    /// The cause of the last event of a gateway; `nil` before the first, for example after a start.
    var cause: Cause?
    /// The time of leaving; `distantFuture` while it is inside.
    var exitDue = Instant.distantFuture
    /// The time at which it becomes unknown.
    var unknownDue = Instant.distantFuture
    /// The last evidence of the inside.
    var lastHeardAt: Instant?
    /// The ended stays told by the gateways.
    var log = StayLog()
    /// The stays before the open visit, or before the end of the last one: visits that become known late.
    private var lateStays = StayLog()
    /// The next check whether the first of them can be told.
    private(set) var lateDue = Instant.distantFuture
    var told = ToldVisits()
    var next = NextVisit.none
    /// The last evidence that belongs to the next visit.
    var nextHeardAt: Instant?
    /// The next check whether an exit can be told; `nil` where none waits for gateways.
    var lookDue: Instant?
    var reweighing = Reweighing.never
    /// The number of gaps that were ignored.
    var givenUp: UInt64 = 0
    /// The earliest date of any event: an earlier visit of the instance ended then.
    var notBefore = Instant.origin
    /// The last event of its zones: the region is not left before it.
    var zonesToldAt: Instant?
    /// Whether its exits make events: the operator of the gateways may have switched them off.
    var tellsExit = true
    var resumption = Resumption.none
    /// Whether the last exit was told as inferred.
    var isInferred = false
    /// Whether only gateways that cannot hear have it inside.
    var isHeldByAway = false
    /// Whether any state of it was told.
    var isTold = false

    /// - Parameter ended: the end of an earlier visit of the instance.
    init(_ id: RegionInstanceID, after ended: Instant = .origin, at now: Instant) {
        self.id = id
        (notBefore, told) = (ended, ToldVisits(after: ended))
        standing = RegionStanding(notices: RegionStanding.Notices(onEntry: true, onExit: true), at: now)
        _ = standing.begin(isSettling: true, isBlind: false, at: now)
    }

    /// The time of its next deadline.
    var due: Instant { min(presenceDue, lateDue) }

    /// The time of its next deadline, apart from late visits.
    var presenceDue: Instant { min(min(lookDue ?? exitDue, unknownDue), reweighing.due) }

    /// Whether subscribers know that it is inside. Otherwise, and while an exit is undecided, no events of its zones
    /// are told.
    var isToldInside: Bool { standing.presence != nil && standing.state == .inside && !isUndecided && !isHeldByAway }

    /// Returns the first state of a new region, where the gateways' claims decide nothing yet.
    func undecided(at now: Instant) -> Change? {
        guard !isTold, isMonitored, !standing.isSettled else { return nil }
        return Change(change: RegionStanding.Change(state: .unknown, since: standing.since, crossing: nil), at: now)
    }

    /// Whether a gateway still has a claim on it.
    var isMonitored: Bool { !claims.isEmpty }

    /// Returns a gateway's claim, if there is one.
    func claim(of gateway: GatewayIndex) -> Claim? { claims.first { $0.gateway == gateway } }

    /// Changes a gateway's claim.
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
    mutating func withdraw(_ gateway: GatewayIndex) { claims.removeAll { $0.gateway == gateway } }

    /// Takes a report of a beacon at that time.
    mutating func heard(until instant: Instant) {
        guard let presence = standing.presence else {
            if next.heldSince != nil { nextHeardAt = max(nextHeardAt ?? instant, instant) }
            return
        }
        // The region was left before, as far as is known: the next visit has begun.
        guard lookDue == nil || instant < exitDue else {
            nextHeardAt = max(nextHeardAt ?? instant, instant)
            return
        }
        if presence.lastHeardAt < instant { standing.perceived(at: instant) }
    }

    /// Takes an ended stay of a gateway.
    ///
    /// - Returns: false where it comes too late to be told as it was.
    mutating func note(_ stay: StayLog.Stay, _ spans: Spans, at now: Instant) -> Bool {
        guard let presence = standing.presence else {
            if case .outside(let since) = standing.occupancy {
                if stay.to <= since { return noteLate(stay, spans, at: now) }
                // The end of a stay that was told as over makes no visit.
                if stay.from < since { return true }
            }
            return log.note(stay, apart: spans.exitAfter)
        }
        guard stay.from < presence.enteredAt, !presence.isRestored else {
            return log.note(stay, apart: spans.exitAfter)
        }
        // It arrives after the entry was told. The exit tells when the visit began. Where no entry was told, the stay
        // remains partial.
        guard stay.to + spans.exitAfter > firstEvidence(of: presence) else { return noteLate(stay, spans, at: now) }
        return join(stay, spans)
    }

    /// The beginning of the open visit as far as is known: a gateway that still has it inside may have told an entry
    /// before the one that began the visit.
    private func firstEvidence(of presence: RegionStanding.Presence) -> Instant {
        claims.compactMap(\.thereSince).reduce(presence.enteredAt, min)
    }

    /// Joins an earlier stay, and the late ones that it touches, with the open visit.
    private mutating func join(_ stay: StayLog.Stay, _ spans: Spans) -> Bool {
        var (isKept, next) = (true, Optional(stay))
        while let stay = next {
            standing.began(
                at: max(stay.from, notBefore), standing.presence?.beginning == .partial ? .partial : stay.beginning)
            isKept = log.note(stay, apart: spans.exitAfter) && stay.from >= notBefore && isKept
            next = lateStays.removeLast(touching: stay.from, apart: spans.exitAfter)
        }
        return isKept
    }

    /// Takes a stay that was over before the open visit began, or before the last one ended.
    private mutating func noteLate(_ stay: StayLog.Stay, _ spans: Spans, at now: Instant) -> Bool {
        guard now - stay.to <= spans.lateAfter, told.hasRoom(for: stay, apart: spans.exitAfter) else { return false }
        let isKept = lateStays.note(stay, apart: spans.exitAfter)
        lateDue = now
        guard let presence = standing.presence,
            let last = lateStays.removeLast(touching: firstEvidence(of: presence), apart: spans.exitAfter)
        else { return isKept }
        return join(last, spans) && isKept
    }

    /// Moves the check of late visits forward.
    mutating func lookForLate(at due: Instant) { if lateDue < .distantFuture { lateDue = min(lateDue, due) } }

    /// The time of an exit, or of a late visit's exit, that waits for gateways; `nil` where none does.
    func awaitedUntil(_ spans: Spans) -> Instant? {
        let exit = lookDue == nil || next.entry != nil ? nil : exitDue
        let late = lateDue == .distantFuture ? nil : lateStays.stays.first.map { $0.to + spans.exitAfter }
        return [exit, late].compactMap { $0 }.min()
    }

    /// Returns the first late stay, once all gateways have told what they know of the time until its exit.
    ///
    /// - Parameter gatewaysTold: the time up to which the gateways have told their events.
    mutating func takeLate(_ gatewaysTold: StoreGateways.Told, _ spans: Spans, at now: Instant) -> StayLog.Stay? {
        lateDue = .distantFuture
        while let first = lateStays.stays.first {
            let exit = first.to + spans.exitAfter
            guard exit <= gatewaysTold.until else {
                lateDue = max(gatewaysTold.look(at: exit), now + TimeSpan(microseconds: 1))
                return nil
            }
            _ = lateStays.removeFirst()
            if told.hasRoom(for: first, apart: spans.exitAfter) {
                lateDue = now
                return first
            }
            givenUp += 1
        }
        return nil
    }

    /// Takes a gateway's entry, which may begin the next visit.
    mutating func note(_ entry: StayLog.Entry) {
        let isVisited =
            standing.presence != nil && exitDue == .distantFuture
            && claims.contains { $0.isThere && $0.unprovedSince == nil }
        if !isVisited { log.note(entry) }
    }

    /// Notes whether the last exit made an event, and whether it was inferred.
    mutating func noteExit(isTold: Bool, isInferred: Bool) {
        tellsExit = isTold
        self.isInferred = isInferred
    }
}

extension StoreRegion.NextVisit {
    /// The beginning of the visit, as far as is known.
    var entry: Instant? {
        switch self {
        case .none: nil
        case .known(let entry), .held(let entry, _): entry
        }
    }

    /// The time since which its entry waits.
    var heldSince: Instant? { if case .held(_, let since) = self { since } else { nil } }
}

extension StoreRegion.Reweighing {
    var due: Instant {
        switch self {
        case .never: .distantFuture
        case .deferred(_, let due), .givingUp(let due): due
        }
    }

    var isOfEntry: Bool { if case .deferred(let isEntry, _) = self { isEntry } else { false } }
}
