import Core

/// Numbers that the agent will not send any more: a subscriber that lacks one of them will never receive it.
///
/// Numbers in the range may have been delivered before; only those that are missing are lost.
struct OutboxGap: Hashable, Sendable {
    /// The raw value is the word in a `gap` message.
    enum Cause: String, CaseIterable, Sendable {
        /// `[outbox] max_events` was reached and the oldest events made room.
        case maxEvents = "max_events"
        /// `[outbox] max_mib` was reached and the oldest events made room.
        case maxMiB = "max_mib"
        /// The disk failed, and the events in memory were lost with the process. Or the disk hung until memory was
        /// full, or the file vanished.
        case disk
        /// The file was damaged, and these events could not be read from it.
        case corrupt
        /// The broker refuses the events for good, and too many of them waited.
        case refused
    }

    var epoch: String
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

/// Gaps that are not published yet, oldest first.
struct GapLedger: Hashable {
    /// Beyond this many gaps, two are merged into one, so that the ledger stays small.
    static let capacity = 256

    private(set) var gaps: [OutboxGap]
    /// Gaps at the front that the caller is publishing: they are not extended any more.
    private(set) var takenCount = 0
    /// True if the gaps differ from those in the file.
    var isChanged = false

    init(_ gaps: [OutboxGap] = []) { self.gaps = gaps }

    /// Adds a loss. It extends the last gap where it continues that gap.
    mutating func add(_ gap: OutboxGap) {
        isChanged = true
        if gaps.count > takenCount, let last = gaps.last, last.epoch == gap.epoch, last.series == gap.series,
            last.cause == gap.cause, last.numbers.isContinued(by: gap.numbers)
        {
            gaps[gaps.count - 1].numbers = last.numbers.joined(with: gap.numbers)
            return
        }
        gaps.append(gap)
        if gaps.count > Self.capacity { drawTogether() }
    }

    /// Returns every gap that was not returned before.
    mutating func take() -> [OutboxGap] {
        let fresh = Array(gaps.dropFirst(takenCount))
        takenCount = gaps.count
        return fresh
    }

    /// Removes a gap that was published. Returns whether the ledger had it.
    mutating func confirm(_ gap: OutboxGap) -> Bool {
        guard let index = gaps.prefix(takenCount).firstIndex(of: gap) else { return false }
        gaps.remove(at: index)
        takenCount -= 1
        isChanged = true
        return true
    }

    /// Merges two neighbours of one epoch and series into the range that holds both. The range may then hold numbers
    /// that arrived, which a gap allows.
    private mutating func drawTogether() {
        for index in gaps.indices.dropFirst(takenCount + 1)
        where gaps[index - 1].epoch == gaps[index].epoch && gaps[index - 1].series == gaps[index].series {
            gaps[index - 1].numbers = gaps[index - 1].numbers.joined(with: gaps[index].numbers)
            gaps.remove(at: index)
            return
        }
        // Every gap is of another epoch, or under way. The oldest goes, since such old epochs ended long ago.
        gaps.removeFirst()
        takenCount = max(takenCount - 1, 0)
    }
}
