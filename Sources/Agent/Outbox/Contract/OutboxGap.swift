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
