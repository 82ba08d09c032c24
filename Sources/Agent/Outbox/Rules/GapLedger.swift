/// Gaps that subscribers have not been told of yet, oldest first.
struct GapLedger: Hashable {
    /// More than this many gaps are drawn together, so that the ledger stays small whatever happens.
    static let capacity = 256

    private(set) var gaps: [OutboxGap]
    /// Gaps at the front that the caller is announcing: they are not extended any more.
    private(set) var takenCount = 0

    init(_ gaps: [OutboxGap] = []) {
        self.gaps = gaps
    }

    /// States a loss. It extends the last gap where it continues that one.
    mutating func add(_ gap: OutboxGap) {
        if gaps.count > takenCount, let last = gaps.last, last.epoch == gap.epoch, last.series == gap.series,
            last.cause == gap.cause, last.numbers.isContinued(by: gap.numbers)
        {
            gaps[gaps.count - 1].numbers = last.numbers.joined(with: gap.numbers)
            return
        }
        gaps.append(gap)
        if gaps.count > Self.capacity { drawTogether() }
    }

    /// Hands out every gap that was not handed out before.
    mutating func take() -> [OutboxGap] {
        let fresh = Array(gaps.dropFirst(takenCount))
        takenCount = gaps.count
        return fresh
    }

    /// Forgets a gap that subscribers were told of. Returns whether it was here.
    mutating func confirm(_ gap: OutboxGap) -> Bool {
        guard let index = gaps.prefix(takenCount).firstIndex(of: gap) else { return false }
        gaps.remove(at: index)
        takenCount -= 1
        return true
    }

    /// Hands out everything anew: what was under way on a lost connection may not have arrived.
    mutating func rewind() { takenCount = 0 }

    /// Merges two neighbours of one epoch and series into the range that holds both. It may then hold numbers that arrived, which a
    /// gap is allowed to.
    private mutating func drawTogether() {
        for index in gaps.indices.dropFirst(takenCount + 1)
        where gaps[index - 1].epoch == gaps[index].epoch && gaps[index - 1].series == gaps[index].series {
            gaps[index - 1].numbers = gaps[index - 1].numbers.joined(with: gaps[index].numbers)
            gaps.remove(at: index)
            return
        }
        // Every gap is of another epoch, or under way: the oldest goes, since epochs that old are long over.
        gaps.removeFirst()
        takenCount = max(takenCount - 1, 0)
    }
}
