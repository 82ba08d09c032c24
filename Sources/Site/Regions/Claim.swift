import HCI

/// What one gateway says of one region instance.
struct Claim: Sendable {
    /// What it said last.
    enum Word: Sendable {
        /// Nothing yet, or that it does not know.
        case nothing
        case there
        /// Since that time.
        case gone(at: Instant)
    }

    var gateway: GatewayIndex
    private(set) var word = Word.nothing
    /// The epoch in which it said that something is there.
    private(set) var thereEpoch = ""
    /// When it last saw somebody leave; `nil` where it only ever had nobody inside.
    private var leftAt: Instant?
    /// When it was known that the gateway can't hear; `nil` while it can. That it is back does not prove what it said before it was
    /// away: only a new word does.
    var deafSince: Instant?
    /// When it last said something that counts.
    var saidAt = Instant.origin
    /// When it said that it does not know; `nil` where it has said something else since.
    var unknownSince: Instant?
    /// The epoch of its numbers, and the last event of it that came, late ones among them.
    var epoch = ""
    var seenSeq: Int64 = 0
    /// The last event that changed something here.
    var appliedSeq: Int64 = 0

    init(_ gateway: GatewayIndex) { self.gateway = gateway }

    /// It says anew, in its present epoch, whether something is there.
    ///
    /// - Parameter isExit: it says that somebody has left, whatever it had said before.
    mutating func say(_ word: Word, isExit: Bool = false) {
        if case .gone(let at) = word, isExit || isThere { leftAt = at }
        self.word = word
        if isThere { thereEpoch = epoch }
    }

    /// Numbers of another epoch mean nothing in this one.
    mutating func enter(_ epoch: String) {
        guard self.epoch != epoch else { return }
        (self.epoch, seenSeq, appliedSeq) = (epoch, 0, 0)
    }

    /// When it was known that its word proves nothing any more; `nil` while it proves something.
    var unprovedSince: Instant? {
        guard let deafSince, let unknownSince else { return deafSince ?? unknownSince }
        return min(deafSince, unknownSince)
    }

    var isThere: Bool { if case .there = word { true } else { false } }

    /// Whether it goes beyond another one that proves nothing any more: this gateway had it inside later than that, and saw it leave.
    func outlives(_ other: Claim) -> Bool {
        guard isGone, let leftAt, let unprovedSince = other.unprovedSince else { return false }
        return leftAt > unprovedSince
    }

    var isGone: Bool { if case .gone = word { true } else { false } }

    /// When it said that nothing is there.
    var goneAt: Instant? { if case .gone(let at) = word { at } else { nil } }
}
