import Core

/// Numbers that will not come any more: a subscriber that has not received one of them by now never will.
///
/// Numbers in the range may have been delivered before; only those that are missing are lost.
struct OutboxGap: Hashable, Sendable {
    /// The raw value is the word in a `gap` message.
    package enum Cause: String, CaseIterable, Sendable {
        /// `[outbox] max_events` was reached and the oldest events made room.
        case maxEvents = "max_events"
        /// `[outbox] max_mib` was reached and the oldest events made room.
        case maxMiB = "max_mib"
        /// The disk failed, and the events that were in memory went with the process; or it hung, until there was no memory
        /// for more; or the file vanished.
        case disk
        /// The file was damaged, and these could not be read from it.
        case corrupt
        /// The broker refuses the events for good, and too many of them waited.
        case refused
    }

    package var epoch: String
    /// What the numbers are of.
    var series: NumberSeries
    var numbers: NumberRun
    var cause: Cause

    var fromSeq: Int64 { numbers.first }
    /// Inclusive, never below `fromSeq`.
    var toSeq: Int64 { numbers.last }

    init(epoch: String, series: NumberSeries = .events, _ numbers: NumberRun, cause: Cause) {
        self.epoch = epoch
        self.series = series
        self.numbers = numbers
        self.cause = cause
    }

    init(epoch: String, series: NumberSeries = .events, fromSeq: Int64, toSeq: Int64, cause: Cause) {
        self.init(epoch: epoch, series: series, NumberRun(fromSeq, through: toSeq), cause: cause)
    }
}

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
