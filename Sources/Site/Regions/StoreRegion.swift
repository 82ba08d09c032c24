import Beacons
import HCI
internal import Regions

/// One region instance of the store: what its gateways claim, and how it stands because of that.
///
/// Presence is a union. It is inside while a gateway that can hear has it inside, and it is left when all of those have left it. What
/// only gateways that can't hear had inside is neither: it becomes unknown.
struct StoreRegion: Sendable {
    /// What is told of a crossing beside its time.
    struct Cause: Sendable {
        /// `nil` where an earlier process knew it.
        var gateway: GatewayIndex?
        var identity: BeaconIdentity
        var observation: BeaconObservation
    }

    let id: RegionInstanceID
    /// The entry that waits for its admission; `nil` once the region exists.
    var pending: PendingEntry?
    private(set) var standing: RegionStanding
    private(set) var claims: [Claim] = []
    /// The last gateway's event; `nil` while none has told one, as after a start.
    var cause: Cause?
    /// When it is left; `distantFuture` while somebody is there.
    private(set) var exitDue = Instant.distantFuture
    /// When nobody can say any more who is there.
    private(set) var unknownDue = Instant.distantFuture
    /// The last evidence that it was inside.
    private(set) var lastHeardAt: Instant?
    /// What the gateways have told of stays that have ended.
    private var log = StayLog()
    /// When the next visit begins, where it is known when the last one has ended.
    private var nextEntry: Instant?
    /// The last evidence that belongs to the next visit.
    private var nextHeardAt: Instant?
    /// When it is looked again whether an exit can be told; `nil` where none waits for gateways.
    private(set) var lookDue: Instant?
    /// When the claims are weighed again without any news.
    private(set) var reweighDue = Instant.distantFuture
    /// Whether an entry that is dated in the past waits for gateways.
    private(set) var isEntryDeferred = false
    /// Nothing is dated before: an earlier visit of the same instance has ended then.
    var notBefore = Instant.origin
    /// When anything was told of its zones last: it is not left before that.
    var zonesToldAt: Instant?
    /// The numbers of its zones that anybody was ever in, and of the beacons that are heard in it.
    var zones: [Int] = []
    var beacons: Set<Int> = []
    /// The numbers of the beacons that each gateway listed last.
    var lists: [GatewayIndex: Set<Int>] = [:]
    /// When a gateway listed its beacons last.
    var listedAt: Instant?
    /// Whether the gateways tell of exits: their operator may not want to know of them.
    private var tellsExit = true
    /// When this process began, where an earlier one had stored the region; then when a gateway first said something of it.
    private var resumedAt: Instant?
    private var isSpokenOf = false
    /// Whether the last exit was told as one that nobody watched.
    private var isInferred = false

    init(_ id: RegionInstanceID, at now: Instant) {
        self.id = id
        standing = RegionStanding(notices: RegionStanding.Notices(onEntry: true, onExit: true), at: now)
        _ = standing.begin(isSettling: true, isBlind: false, at: now)
    }

    /// What it has to do next.
    var due: Instant { min(min(lookDue ?? exitDue, unknownDue), reweighDue) }

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
        guard let presence = standing.presence else { return }
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
            if case .outside(let since) = standing.occupancy, stay.to <= since { return false }
            return log.note(stay, apart: spans.exitAfter)
        }
        guard stay.from < presence.enteredAt, presence.beginning == .observed, !presence.isRestored else {
            return log.note(stay, apart: spans.exitAfter)
        }
        // It comes after the entry was told. The exit says when the visit began.
        guard stay.to + spans.exitAfter > presence.enteredAt else { return false }
        standing.began(at: max(stay.from, notBefore))
        return log.note(stay, apart: spans.exitAfter) && stay.from >= notBefore
    }

    /// A gateway's entry, which may turn out to begin the next visit.
    mutating func note(_ entry: StayLog.Entry) {
        guard standing.presence != nil, !claims.contains(where: { $0.isThere && $0.unprovedSince == nil }) else {
            return
        }
        log.note(entry)
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
        var at: Instant
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
    ///   - earliest: an exit is not dated before.
    mutating func weigh(
        _ spans: Spans, isCrossing: Bool, since: Instant? = nil, at instant: Instant, now: Instant,
        noExitBefore earliest: Instant = .origin
    ) -> Change? {
        // Nothing was told before it has settled.
        let at = max(standing.isSettled ? max(instant, settledSince) : instant, notBefore)
        (isEntryDeferred, isHeldByAway, reweighDue) = (false, false, .distantFuture)
        let proved = claims.filter { $0.unprovedSince == nil }
        let held = claims.filter { claim in
            claim.isThere && claim.unprovedSince != nil
                && !proved.contains { $0.outlives(claim) && !isHeld(claim, spans, at: now) }
        }
        if standing.presence != nil, let gap = gap(held + proved, spans), gap.to != nil {
            // The visit has ended, and another one has begun: told once it is sure.
            (tellsExit, unknownDue) = (true, .distantFuture)
            setExit(after: gap.from, spans)
            return nil
        }
        if proved.contains(where: \.isThere) {
            (exitDue, unknownDue, lookDue) = (.distantFuture, .distantFuture, nil)
            tellsExit = true
            return enter(isCrossing: isCrossing, since: since ?? at, at: at).map { Change(change: $0, at: at) }
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
            setExit(after: max(last, gap([], spans)?.from ?? last), spans, noExitBefore: earliest)
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

    /// A gateway whose line is down, or that is stopped, may still have it inside. It tells so once it is back.
    private func isHeld(_ claim: Claim, _ spans: Spans, at now: Instant) -> Bool {
        claim.awaySince.map { now - $0 <= spans.givenUpAfter } ?? false
    }

    /// Where the visit under way ends, as far as these claims and the stays that have ended show.
    private func gap(_ claims: [Claim], _ spans: Spans) -> StayLog.Gap? {
        guard let presence = standing.presence else { return nil }
        return log.gap(
            after: presence.enteredAt, present: claims.compactMap(\.thereSince).min(), exitAfter: spans.exitAfter)
    }

    /// Since when it is as it is, whatever was unknown meanwhile.
    private var settledSince: Instant {
        switch standing.occupancy {
        case .unsettled: standing.since
        case .outside(let since): since
        case .inside(let presence): presence.enteredAt
        }
    }

    private mutating func setExit(after end: Instant, _ spans: Spans, noExitBefore earliest: Instant = .origin) {
        let left = max(end, standing.presence?.enteredAt ?? end) + spans.exitAfter
        let due = max(left, max(notBefore, earliest))
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

    private mutating func enter(isCrossing: Bool, since: Instant, at: Instant) -> RegionStanding.Change? {
        if let presence = standing.presence {
            if isCrossing || presence.isRestored { standing.perceived(at: max(at, presence.lastHeardAt)) }
            return standing.known(at: max(at, standing.since))
        }
        if isCrossing, !standing.isSettled { _ = standing.begin(isSettling: false, isBlind: false, at: at) }
        // No gateway has seen it enter, so it is no crossing, and the stay is longer than known.
        if !isCrossing, standing.isSettled { _ = standing.begin(isSettling: true, isBlind: false, at: at) }
        return standing.inside(since: min(since, at), at: at)
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
            // Nothing is known of the time between the processes, so that it is no gap.
            _ = log.note(
                StayLog.Stay(from: stay.enteredAt, to: max(now, stay.enteredAt), lastHeardAt: stay.lastHeardAt),
                apart: .zero)
            return standing.restore(stay, until: .distantFuture)
        }
    }
}

/// What time makes of it.
extension StoreRegion {
    /// Tells the next thing that is due.
    ///
    /// - Parameters:
    ///   - limit: until when the gateways have told everything, as far as is known.
    ///   - look: when that is looked at again, where it is too early.
    mutating func advance(to now: Instant, toldUntil limit: Instant, lookAt look: (Instant) -> Instant, _ spans: Spans)
        -> Change?
    {
        if let nextEntry { return enterNext(nextEntry, spans) }
        if exitDue <= now {
            guard exitDue <= limit else { return wait(at: now, lookAt: look(exitDue), spans) }
            let due = exitDue
            (exitDue, lookDue) = (.distantFuture, nil)
            return leave(at: due, spans)
        }
        lookDue = nil
        guard unknownDue <= now else { return nil }
        let at = unknownDue
        unknownDue = .distantFuture
        return standing.unknown(at: at).map { Change(change: $0, at: at) }
    }

    /// A gateway that is behind may still tell that it was not left. Meanwhile it is inside, and unknown after a while.
    private mutating func wait(at now: Instant, lookAt look: Instant, _ spans: Spans) -> Change? {
        let unknownAt = exitDue + spans.unknownAfter
        unknownDue = .distantFuture
        lookDue = max(unknownAt > now ? min(look, unknownAt) : look, now + TimeSpan(microseconds: 1))
        guard unknownAt <= now else { return nil }
        return standing.unknown(at: max(unknownAt, standing.since)).map { Change(change: $0, at: $0.since) }
    }

    /// The claims are weighed now.
    mutating func beginWeighing() -> Bool {
        defer { (isEntryDeferred, reweighDue) = (false, .distantFuture) }
        return isEntryDeferred
    }

    /// An entry that is dated before what was told waits until the gateways have told what followed it.
    mutating func deferEntry(until due: Instant) { (isEntryDeferred, reweighDue) = (true, due) }

    /// The gateways that have something inside, where all entries are dated before it was told to be outside.
    var pastEntries: [GatewayIndex]? {
        guard case .outside(let since) = standing.occupancy else { return nil }
        let there = claims.filter { $0.isThere && $0.unprovedSince == nil }
        return there.isEmpty || there.contains { $0.thereSince ?? since >= since } ? nil : there.map(\.gateway)
    }

    /// It is looked at earlier whether an exit can be told.
    mutating func look(at due: Instant) { lookDue = lookDue.map { min($0, due) } }

    /// Whether an exit, or what follows it, is not told yet though it is known.
    var isUndecided: Bool { lookDue != nil || nextEntry != nil }

    /// It was left.
    private mutating func leave(at due: Instant, _ spans: Spans) -> Change? {
        let gap = gap(claims.filter { $0.unprovedSince == nil }, spans)
        let isPast = gap?.to != nil
        // Where the next visit has begun, what was told of zones since belongs to that.
        let at = isPast ? due : max(due, zonesToldAt ?? due)
        if let gap, let next = gap.to {
            nextEntry = next
            let heard = gap.stay?.lastHeardAt ?? gap.from
            nextHeardAt = max(nextHeardAt ?? heard, standing.presence?.lastHeardAt ?? heard)
            if standing.presence?.isRestored == false { standing.perceived(at: heard) }
            cause = gap.stay?.cause ?? cause
            lookDue = at
        }
        lastHeardAt = standing.presence?.lastHeardAt
        log.forget(until: gap?.from ?? at)
        notBefore = max(notBefore, at)
        guard var change = standing.outside(at: at) else { return nil }
        if case .exit(var stay)? = change.crossing {
            if isInferred { stay.ending = .inferred }
            change.crossing = tellsExit ? .exit(stay) : nil
        }
        isInferred = false
        return Change(change: change, at: at, isPast: isPast)
    }

    /// The next visit begins: it was known already.
    private mutating func enterNext(_ from: Instant, _ spans: Spans) -> Change? {
        (nextEntry, lookDue) = (nil, nil)
        cause = log.cause(at: from) ?? cause
        if !standing.isSettled { _ = standing.begin(isSettling: false, isBlind: false, at: from) }
        let change = standing.inside(since: from, at: from)
        if let heard = nextHeardAt, heard > from { standing.perceived(at: heard) }
        nextHeardAt = nil
        return change.map { Change(change: $0, at: from) }
    }
}
