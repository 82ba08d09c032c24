/// What one gateway says of one region instance.
struct Claim: Sendable {
    /// What it said last, by the time at which that happened.
    enum Word: Sendable {
        /// Nothing yet, or that it does not know.
        case nothing
        case there(Stay)
        /// Nothing is there, since that time.
        case gone(at: Instant)
    }

    /// Something is there.
    struct Stay: Sendable {
        var since: Instant
        /// The epoch in which it said so.
        var epoch: String
        /// When it said something anew to be there while it was there already: an exit before that has not come yet.
        var reenteredAt: Instant?
    }

    var gateway: GatewayIndex
    private(set) var word = Word.nothing
    /// When it last saw a beacon leave; `nil` where it only ever had none inside.
    private var leftAt: Instant?
    /// When it was known that the gateway can't hear; `nil` while it can. That it is back does not prove what it said before it was
    /// away: only a new word does.
    var deafSince: Instant?
    /// When its line went down, or it was stopped; `nil` where it has said something since.
    var awaySince: Instant?
    /// When it last said something that counts.
    var saidAt = Instant.origin
    /// When it said that it does not know; `nil` where it has said something else since.
    var unknownSince: Instant?
    /// The numbers of its events.
    var numbers = SeenNumbers()

    init(_ gateway: GatewayIndex) { self.gateway = gateway }

    /// Takes the number of an event that counts.
    ///
    /// - Returns: when the event happened. Numbers order the events of one epoch better than clocks, which are set.
    mutating func count(_ seq: Int64, of epoch: String, at instant: Instant) -> Instant {
        let isLatest = numbers.isLatest(seq, of: epoch)
        numbers.apply(seq, of: epoch)
        return isLatest ? max(instant, thereSince ?? goneAt ?? instant) : instant
    }

    /// It has told an entry.
    mutating func enter(at instant: Instant) {
        unknownSince = nil
        switch word {
        case .nothing: word = .there(Stay(since: instant, epoch: numbers.epoch))
        case .gone(let at): if instant >= at { word = .there(Stay(since: instant, epoch: numbers.epoch)) }
        case .there(var stay):
            stay.epoch = numbers.epoch
            if instant > stay.since { stay.reenteredAt = max(stay.reenteredAt ?? instant, instant) }
            word = .there(stay)
        }
    }

    /// It has told an exit.
    mutating func leave(at instant: Instant) {
        unknownSince = nil
        switch word {
        case .nothing: word = .gone(at: instant)
        case .gone(let at): if instant > at { word = .gone(at: instant) }
        case .there(let stay):
            guard instant >= stay.since else { return }
            if let reenteredAt = stay.reenteredAt, reenteredAt > instant {
                word = .there(Stay(since: reenteredAt, epoch: stay.epoch))
            } else {
                word = .gone(at: instant)
            }
        }
        leftAt = max(leftAt ?? instant, instant)
    }

    /// Its state says what there is now, with or without events.
    ///
    /// - Parameter isThere: whether something is inside; `nil` where it does not know.
    mutating func state(_ isThere: Bool?, since: Instant, at now: Instant) {
        switch isThere {
        case nil: unknownSince = unknownSince ?? now
        case true?:
            unknownSince = nil
            var stay = self.stay ?? Stay(since: since, epoch: numbers.epoch)
            stay.epoch = numbers.epoch
            word = .there(stay)
        case false?:
            unknownSince = nil
            if isGone { return }
            if self.isThere { leftAt = since }
            word = .gone(at: since)
        }
    }

    /// When it was known that its word proves nothing any more; `nil` while it proves something.
    var unprovedSince: Instant? {
        guard let deafSince, let unknownSince else { return deafSince ?? unknownSince }
        return min(deafSince, unknownSince)
    }

    var isThere: Bool { stay != nil }

    /// What it has inside; `nil` where it has nothing.
    var stay: Stay? { if case .there(let stay) = word { stay } else { nil } }

    /// Since when it has something inside; `nil` where it has nothing.
    var thereSince: Instant? { stay?.since }

    /// Whether it goes beyond another one that proves nothing any more: this gateway had it inside later than that, and saw it leave.
    func outlives(_ other: Claim) -> Bool {
        guard isGone, let leftAt, let unprovedSince = other.unprovedSince else { return false }
        return leftAt > unprovedSince
    }

    /// Since when it has something inside, where it told no other entry meanwhile.
    var onlyEntry: Instant? { stay?.reenteredAt == nil ? thereSince : nil }

    var isGone: Bool { if case .gone = word { true } else { false } }

    /// When it said that nothing is there.
    var goneAt: Instant? { if case .gone(let at) = word { at } else { nil } }
}

/// Which events of a gateway have come, of one region instance: events are delivered at least once, and in any order.
struct SeenNumbers: Sendable {
    /// One epoch's numbers.
    private struct Epoch: Sendable {
        var name: String
        /// Every number up to it counts as seen.
        var floor: Int64 = 0
        /// Numbers above it that were seen, ascending.
        var recent: [Int64] = []
        /// The last event that changed something, and the last that a state counted without.
        var appliedSeq: Int64 = 0
        var overtakenSeq: Int64 = 0

        init(_ name: String) { self.name = name }

        var highest: Int64 { recent.last ?? floor }
    }

    /// As many earlier epochs are remembered: an event of an earlier one is known by its time.
    private static let mostEpochs = 4
    private static let mostRecent = 16

    /// The present one is the last.
    private var epochs: [Epoch] = []

    /// The gateway's present epoch; empty before its first word.
    var epoch: String { epochs.last?.name ?? "" }

    /// The highest number that has come of an epoch, late events among them.
    func seenSeq(in epoch: String) -> Int64 { of(epoch)?.highest ?? 0 }

    /// The highest number of an epoch that changed something.
    func appliedSeq(in epoch: String) -> Int64 { of(epoch)?.appliedSeq ?? 0 }

    /// Whether an event is the last of the present epoch that has come.
    func isLatest(_ seq: Int64, of epoch: String) -> Bool { epoch == self.epoch && seq >= seenSeq(in: epoch) }

    /// Whether an epoch is known and has ended.
    func isOver(_ epoch: String) -> Bool { epoch != self.epoch && of(epoch) != nil }

    /// Whether an event has come before.
    func holds(_ seq: Int64, of epoch: String) -> Bool {
        guard let known = of(epoch) else { return false }
        return seq <= known.floor || known.recent.contains(seq)
    }

    /// An event has come.
    mutating func note(_ seq: Int64, of epoch: String) {
        let index = index(of: epoch)
        guard !holds(seq, of: epoch) else { return }
        let place = epochs[index].recent.firstIndex { $0 > seq } ?? epochs[index].recent.count
        epochs[index].recent.insert(seq, at: place)
        if epochs[index].recent.count > Self.mostRecent { epochs[index].floor = epochs[index].recent.removeFirst() }
    }

    /// Whether a state could not wait for the event, and counted without it.
    func isOvertaken(_ seq: Int64, of epoch: String) -> Bool { seq <= of(epoch)?.overtakenSeq ?? 0 }

    /// An event has changed something.
    mutating func apply(_ seq: Int64, of epoch: String) {
        let index = index(of: epoch)
        epochs[index].appliedSeq = max(epochs[index].appliedSeq, seq)
    }

    /// A state that names an event has changed something. Where that event has not come, it comes too late.
    mutating func overtake(_ seq: Int64, of epoch: String) {
        let index = index(of: epoch)
        if seq > epochs[index].appliedSeq { epochs[index].overtakenSeq = max(epochs[index].overtakenSeq, seq) }
        epochs[index].appliedSeq = max(epochs[index].appliedSeq, seq)
    }

    /// A gateway speaks in an epoch: one that was not known is the present one from now on.
    mutating func enter(_ epoch: String) { _ = index(of: epoch) }

    private func of(_ epoch: String) -> Epoch? { epochs.first { $0.name == epoch } }

    private mutating func index(of epoch: String) -> Int {
        if let known = epochs.firstIndex(where: { $0.name == epoch }) { return known }
        if epochs.count == Self.mostEpochs { epochs.removeFirst() }
        epochs.append(Epoch(epoch))
        return epochs.count - 1
    }
}
