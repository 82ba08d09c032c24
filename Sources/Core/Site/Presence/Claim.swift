/// A gateway's claim about one region instance.
struct Claim: Sendable {
    /// The last statement, by the time of its event.
    enum Statement: Sendable {
        /// No statement yet, or an unknown state.
        case nothing
        case there(Stay)
        /// The instance has been empty since that time.
        case gone(at: Instant)
    }

    /// A stay at the gateway.
    struct Stay: Sendable {
        var since: Instant
        var epoch: String
        /// The beginning: `partial` where a state gave the stay, and no entry.
        var beginning = RegionStay.Beginning.observed
        /// The time of another entry during the stay, whose exit before it has not arrived yet.
        var reenteredAt: Instant?
        /// True if the other entry is the first statement of a new epoch, which continues the stay.
        var isContinued = false
    }

    var gateway: GatewayIndex
    private(set) var statement = Statement.nothing
    /// The last exit that it reported; `nil` where it only ever had none inside.
    private var leftAt: Instant?
    /// The time from which the gateway is known not to hear; `nil` while it hears. Its return does not prove earlier
    /// claims: only a new one counts.
    var deafSince: Instant?
    /// The time since which its line is down, or it is stopped; `nil` where it has spoken since.
    var awaySince: Instant?
    /// The time of the last statement that counts.
    var statedAt = Instant.origin
    /// The time at which it stated `unknown`; `nil` where it has stated another state since.
    var unknownSince: Instant?
    var numbers = SeenNumbers()

    init(_ gateway: GatewayIndex) { self.gateway = gateway }

    /// Takes the status of its gateway: without hearing, the claim proves nothing.
    ///
    /// - Parameter offlineAt: the last time at which the gateway was announced as offline; `nil` for never.
    mutating func take(_ status: StoreGateways.Status, offlineSince offlineAt: Instant?, at now: Instant) {
        let hasSpoken = offlineAt.map { statedAt > $0 } ?? true
        if !status.hears {
            deafSince = deafSince ?? now
        } else if hasSpoken {
            deafSince = nil
        }
        if !status.isOnline {
            awaySince = awaySince ?? now
        } else if hasSpoken {
            awaySince = nil
        }
    }

    /// Takes the number of an event that counts.
    ///
    /// - Returns: the time of the event. Within one epoch, numbers order events better than clocks, which may be set.
    mutating func count(_ seq: Int64, of epoch: String, at instant: Instant) -> Instant {
        let isLatest = numbers.isLatest(seq, of: epoch)
        numbers.apply(seq, of: epoch)
        return isLatest ? max(instant, thereSince ?? goneAt ?? instant) : instant
    }

    mutating func enter(at instant: Instant) {
        unknownSince = nil
        switch statement {
        case .nothing: statement = .there(Stay(since: instant, epoch: numbers.epoch))
        case .gone(let at): if instant >= at { statement = .there(Stay(since: instant, epoch: numbers.epoch)) }
        case .there(var stay):
            if stay.epoch != numbers.epoch { stay.isContinued = stay.reenteredAt == nil }
            stay.epoch = numbers.epoch
            if instant > stay.since { stay.reenteredAt = max(stay.reenteredAt ?? instant, instant) }
            statement = .there(stay)
        }
    }

    mutating func leave(at instant: Instant) {
        unknownSince = nil
        switch statement {
        case .nothing: statement = .gone(at: instant)
        case .gone(let at): if instant > at { statement = .gone(at: instant) }
        case .there(let stay):
            guard instant >= stay.since else { return }
            if let reenteredAt = stay.reenteredAt, reenteredAt > instant {
                statement = .there(Stay(since: reenteredAt, epoch: stay.epoch))
            } else {
                statement = .gone(at: instant)
            }
        }
        leftAt = max(leftAt ?? instant, instant)
    }

    /// Takes a state, with or without events.
    ///
    /// - Parameter isThere: whether it is inside; `nil` for unknown.
    mutating func state(_ isThere: Bool?, since: Instant, at now: Instant) {
        switch isThere {
        case nil: unknownSince = unknownSince ?? now
        case true?:
            unknownSince = nil
            var stay = self.stay ?? Stay(since: since, epoch: numbers.epoch, beginning: .partial)
            stay.epoch = numbers.epoch
            statement = .there(stay)
        case false?:
            unknownSince = nil
            if isGone { return }
            if self.isThere { leftAt = since }
            statement = .gone(at: since)
        }
    }

    /// The time from which its claim proves nothing any more; `nil` while it proves something.
    var unprovedSince: Instant? {
        guard let deafSince, let unknownSince else { return deafSince ?? unknownSince }
        return min(deafSince, unknownSince)
    }

    var isThere: Bool { stay != nil }

    /// The stay; `nil` where it has none inside.
    var stay: Stay? { if case .there(let stay) = statement { stay } else { nil } }

    /// The beginning of the stay; `nil` where it has none inside.
    var thereSince: Instant? { stay?.since }

    /// Returns whether it is newer evidence than another claim that proves nothing any more: this gateway had the
    /// beacon inside later, and saw it leave.
    func outlives(_ other: Claim) -> Bool {
        guard isGone, let leftAt, let unprovedSince = other.unprovedSince else { return false }
        return leftAt > unprovedSince
    }

    /// Returns the whole stay that an exit ends. A restart of the gateway divides a stay: the exit then has the beginning of
    /// the second part.
    func stay(endedBy exit: StayLog.Stay) -> StayLog.Stay {
        guard let stay, stay.reenteredAt == nil || stay.isContinued,
            stay.since < exit.from || (stay.since == exit.from && stay.beginning == .observed)
        else { return exit }
        var whole = exit
        (whole.from, whole.beginning) = (stay.since, stay.beginning)
        return whole
    }

    var isGone: Bool { if case .gone = statement { true } else { false } }

    /// The time from which the instance is empty.
    var goneAt: Instant? { if case .gone(let at) = statement { at } else { nil } }
}

/// The event that causes claims to be evaluated.
struct ClaimEvidence: Sendable {
    /// True if a gateway has reported an entry. A beacon without an entry was there before.
    var isCrossing = false
    /// The beginning of the stay, where it is earlier than `at`.
    var since: Instant?
    /// The time of the event.
    var at: Instant
}

/// The event numbers of a gateway and region instance that have arrived. Events are delivered at least once, and in any
/// order.
struct SeenNumbers: Sendable {
    /// The numbers of one epoch.
    private struct Epoch: Sendable {
        var name: String
        /// Every number up to this counts as seen.
        var floor: Int64 = 0
        /// The numbers above it that were seen, ascending.
        var recent: [Int64] = []
        /// The last event that had an effect, and the last that a state overtook.
        var appliedSeq: Int64 = 0
        var overtakenSeq: Int64 = 0

        init(_ name: String) { self.name = name }

        var highest: Int64 { recent.last ?? floor }
    }

    /// The number of earlier epochs remembered. Events of older ones are ordered by time.
    private static let mostEpochs = 4
    private static let mostRecent = 16

    /// The epochs; the present one is the last.
    private var epochs: [Epoch] = []

    /// The gateway's present epoch; empty before its first message.
    var epoch: String { epochs.last?.name ?? "" }

    /// Returns the highest number of an epoch that has arrived, late events included.
    func seenSeq(in epoch: String) -> Int64 { of(epoch)?.highest ?? 0 }

    /// Returns the highest number of an epoch that had an effect.
    func appliedSeq(in epoch: String) -> Int64 { of(epoch)?.appliedSeq ?? 0 }

    /// Returns whether an event is the newest of the present epoch.
    func isLatest(_ seq: Int64, of epoch: String) -> Bool { epoch == self.epoch && seq >= seenSeq(in: epoch) }

    /// Returns whether an epoch is known and has ended.
    func isOver(_ epoch: String) -> Bool { epoch != self.epoch && of(epoch) != nil }

    /// Returns whether an event has arrived before.
    func holds(_ seq: Int64, of epoch: String) -> Bool {
        guard let known = of(epoch) else { return false }
        return seq <= known.floor || known.recent.contains(seq)
    }

    mutating func add(_ seq: Int64, of epoch: String) {
        let index = index(of: epoch)
        guard !holds(seq, of: epoch) else { return }
        let place = epochs[index].recent.firstIndex { $0 > seq } ?? epochs[index].recent.count
        epochs[index].recent.insert(seq, at: place)
        if epochs[index].recent.count > Self.mostRecent { epochs[index].floor = epochs[index].recent.removeFirst() }
    }

    /// Returns whether a state took effect without waiting any longer for the event.
    func isOvertaken(_ seq: Int64, of epoch: String) -> Bool { seq <= of(epoch)?.overtakenSeq ?? 0 }

    /// Takes the number of an event that had an effect.
    mutating func apply(_ seq: Int64, of epoch: String) {
        let index = index(of: epoch)
        epochs[index].appliedSeq = max(epochs[index].appliedSeq, seq)
    }

    /// Takes the event that a state names, which had an effect. If the event has not arrived, it will be too late.
    mutating func overtake(_ seq: Int64, of epoch: String) {
        let index = index(of: epoch)
        if seq > epochs[index].appliedSeq { epochs[index].overtakenSeq = max(epochs[index].overtakenSeq, seq) }
        epochs[index].appliedSeq = max(epochs[index].appliedSeq, seq)
    }

    /// Takes the epoch of a gateway. An unknown one becomes the present one.
    mutating func enter(_ epoch: String) { _ = index(of: epoch) }

    private func of(_ epoch: String) -> Epoch? { epochs.first { $0.name == epoch } }

    private mutating func index(of epoch: String) -> Int {
        if let known = epochs.firstIndex(where: { $0.name == epoch }) { return known }
        if epochs.count == Self.mostEpochs { epochs.removeFirst() }
        epochs.append(Epoch(epoch))
        return epochs.count - 1
    }
}
