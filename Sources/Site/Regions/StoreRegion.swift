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
    var due: Instant { min(exitDue, unknownDue) }

    /// Whether subscribers know that it is inside: while they don't, nothing is told of its zones.
    var isToldInside: Bool { standing.presence != nil && standing.state == .inside }

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
        guard let presence = standing.presence, presence.lastHeardAt < instant else { return }
        standing.perceived(at: instant)
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
    }

    /// What is to be told, and by whom it was decided.
    struct Change: Sendable {
        var change: RegionStanding.Change
        var at: Instant
    }

    /// Weighs the claims anew.
    ///
    /// - Parameters:
    ///   - isCrossing: whether a gateway has told an entry; what is there without one was there before.
    ///   - since: since when something is there, where that is earlier than `at`.
    ///   - at: when that happened which changed them.
    mutating func weigh(
        _ spans: Spans, isCrossing: Bool, since: Instant? = nil, at instant: Instant
    ) -> Change? {
        // Nothing was told before it has settled.
        let at = standing.isSettled ? max(instant, standing.since) : instant
        let proved = claims.filter { $0.unprovedSince == nil }
        if proved.contains(where: \.isThere) {
            (exitDue, unknownDue) = (.distantFuture, .distantFuture)
            tellsExit = true
            return enter(isCrossing: isCrossing, since: since ?? at, at: at).map { Change(change: $0, at: at) }
        }
        let held = claims.filter { claim in claim.isThere && !proved.contains { $0.outlives(claim) } }
        if !held.isEmpty {
            exitDue = .distantFuture
            return becomesUnknown(after: held, spans, at: at)
        }
        guard proved.contains(where: \.isGone), let last = claims.compactMap(\.goneAt).max() else {
            return becomesUnknown(after: claims, spans, at: at)
        }
        unknownDue = .distantFuture
        if standing.presence != nil {
            let left = max(last, standing.presence?.enteredAt ?? last) + spans.exitAfter
            // Nothing is dated before what led to it.
            exitDue = max(left, standing.since, at)
            if let first = firstWord(at: instant) {
                exitDue = max(exitDue, first + max(spans.exitAfter, Arrival.eventPatience))
            }
            return nil
        }
        // Who has not said anything yet may have somebody inside.
        if !standing.isSettled, claims.contains(where: { !$0.isGone && $0.deafSince == nil }) { return nil }
        return standing.outside(at: at).map { Change(change: $0, at: at) }
    }

    /// When a gateway first said in this process that nobody is there, where an earlier one had stored somebody. The gateways' words come
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
            return standing.known(at: at)
        }
        if isCrossing, !standing.isSettled { _ = standing.begin(isSettling: false, isBlind: false, at: at) }
        // Nobody has seen it enter, so it is no crossing, and the stay is longer than known.
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

    /// What an earlier process has stored goes on. Nobody has said anything of it yet.
    mutating func restore(_ record: RegionRecord, at now: Instant, unknownAt due: Instant) -> RegionStanding.Change {
        unknownDue = due
        resumedAt = now
        switch record.occupancy {
        case .outside(let since): return standing.restore(outsideSince: since)
        case .inside(let stay): return standing.restore(stay, until: .distantFuture)
        }
    }

    /// What is due at that time.
    mutating func advance(to now: Instant) -> Change? {
        if exitDue <= now {
            let at = max(exitDue, zonesToldAt ?? exitDue)
            exitDue = .distantFuture
            return leave(at: at)
        }
        guard unknownDue <= now else { return nil }
        let at = unknownDue
        unknownDue = .distantFuture
        return standing.unknown(at: at).map { Change(change: $0, at: at) }
    }

    /// All have left it.
    private mutating func leave(at: Instant) -> Change? {
        lastHeardAt = standing.presence?.lastHeardAt
        guard var change = standing.outside(at: at) else { return nil }
        if case .exit(var stay)? = change.crossing {
            if isInferred { stay.ending = .inferred }
            change.crossing = tellsExit ? .exit(stay) : nil
        }
        isInferred = false
        return Change(change: change, at: at)
    }
}
