/// One region instance of the store: what its gateways claim, and how it stands because of that.
///
/// Presence is a union. It is inside while a gateway that can hear has it inside, and it is left when all of those have left it. What
/// only gateways that can't hear had inside is neither: it becomes unknown.
struct StoreRegion: StoreInstance {
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
        var at: Instant
        /// Whether the next visit has begun already.
        var isPast = false
    }

    /// The visit after what was told last.
    enum NextVisit: Sendable {
        case none
        /// It begins then, as is known when the last one has ended.
        case known(at: Instant)
        /// It begins then, or earlier: since some time an old entry waits for gateways that may tell an earlier one.
        case held(at: Instant, since: Instant)
    }

    /// Why the claims are weighed again without any news, and when.
    enum Reweighing: Sendable {
        case never
        /// An entry, or a state, is dated in the past, and waits until gateways have told what followed it.
        case deferred(isEntry: Bool, until: Instant)
        /// A gateway that is away is given up.
        case givingUp(at: Instant)
    }

    /// How what an earlier process has stored goes on.
    enum Resumption: Sendable {
        case none
        /// This process has begun then, and no gateway has said anything of the region yet.
        case silent(since: Instant)
        /// A gateway said first then that nothing is there.
        case spokenOf(at: Instant)
    }

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
    var log = StayLog()
    var next = NextVisit.none
    /// The last evidence that belongs to the next visit.
    var nextHeardAt: Instant?
    /// When it is looked again whether an exit can be told; `nil` where none waits for gateways.
    var lookDue: Instant?
    var reweighing = Reweighing.never
    /// Gaps that were given up.
    var givenUp: UInt64 = 0
    /// Nothing is dated before: an earlier visit of the same instance has ended then.
    var notBefore = Instant.origin
    /// When anything was told of its zones last: it is not left before that.
    var zonesToldAt: Instant?
    /// Whether the gateways tell of exits: their operator may not want to know of them.
    var tellsExit = true
    var resumption = Resumption.none
    /// Whether the last exit was told as one that nobody watched.
    var isInferred = false
    /// Whether only gateways that can't hear have it inside.
    var isHeldByAway = false
    /// Whether subscribers were told any state of it.
    var isTold = false

    init(_ id: RegionInstanceID, at now: Instant) {
        self.id = id
        standing = RegionStanding(notices: RegionStanding.Notices(onEntry: true, onExit: true), at: now)
        _ = standing.begin(isSettling: true, isBlind: false, at: now)
    }

    /// What it has to do next.
    var due: Instant { min(min(lookDue ?? exitDue, unknownDue), reweighing.due) }

    /// Whether subscribers know that it is inside: while they don't, nothing is told of its zones. Nothing is told of them either
    /// while it is not decided whether it has been left.
    var isToldInside: Bool { standing.presence != nil && standing.state == .inside && !isUndecided && !isHeldByAway }

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
            if next.heldSince != nil { nextHeardAt = max(nextHeardAt ?? instant, instant) }
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

extension StoreRegion.NextVisit {
    /// When it begins, as far as is known.
    var entry: Instant? {
        switch self {
        case .none: nil
        case .known(let entry), .held(let entry, _): entry
        }
    }

    /// Since when its entry waits.
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
