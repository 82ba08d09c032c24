import Core

/// The coverage that the gateway has told, and the stored part of it.
struct ToldCoverage {
    /// The interval at which a proof of running is stored, where no other record shows it.
    static let seenInterval = TimeSpan.seconds(300)

    var log = CoverageLog()
    /// The time at which this process took over; before it, coverage is unknown.
    private(set) var began = Instant.origin
    /// The latest stored time at which this process was running.
    private(set) var seen = Instant.origin

    /// Continues the span of an earlier process.
    mutating func resume(_ stored: StoredCoverage?, at now: Instant) {
        began = now
        if let stored { log = CoverageLog(resuming: stored, at: now) }
    }

    /// Notes a stored record that shows that the process was running.
    mutating func note(seen instant: Instant) { seen = max(seen, instant) }

    /// Whether there is something to store or tell without news of the engine.
    func isDue(at now: Instant) -> Bool {
        log.due != .distantFuture && now >= seen + Self.seenInterval || !log.ended.isEmpty
    }
}

extension Dispatcher {
    /// Tells the present span of coverage where that is due, and earlier spans that had to wait for the disk. Call it
    /// at least once a minute; more often does no harm.
    ///
    /// - Throws: what `dispatch` throws.
    package func tellCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        told.coverage.log.advance(to: now)
        guard outbox.canNumber(.spans), told.coverage.isDue(at: now) else { return [] }
        return try commit(seenAt: now, timebase) { _, _, _ in }
    }

    /// Ends the span with the process.
    ///
    /// - Throws: what `dispatch` throws.
    package func endCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        var ended = told.coverage.log
        ended.note(.stopped, at: now)
        guard ended.due != .distantFuture, outbox.canNumber(.spans) else { return [] }
        return try commit(seenAt: now, timebase) { _, _, draft in draft.told.coverage.log = ended }
    }

    /// Where spans can't be numbered now, none is stored either: the last record is still true.
    func cover(_ seenAt: Instant?, isChanged: Bool, into draft: inout TransactionDraft) {
        let hasNews = isChanged || seenAt != nil || !draft.told.coverage.log.ended.isEmpty
        if outbox.canNumber(.spans), hasNews { writer.cover(seenAt: seenAt, into: &draft) }
    }
}

extension TransactionWriter {
    /// Adds the spans that have ended, and the record from which a restart continues.
    ///
    /// - Parameter seenAt: a time at which the process is known to run, to be stored.
    func cover(seenAt: Instant?, into draft: inout TransactionDraft) {
        for told in draft.told.coverage.log.takeEnded(draft.timebase) {
            let number = draft.numbering.number(of: .spans)
            let message = composer.coverage(told, epoch: number.epoch, number: number.seq, draft.timebase)
            draft.commit(message, at: max(told.span.to, draft.told.coverage.began))
        }
        guard let record = draft.told.coverage.log.record(seen: seenAt ?? .origin, draft.timebase) else { return }
        draft.told.coverage.note(seen: record.seen)
        draft.transaction.store(
            OutboxRecord(key: StoredCoverage.key, value: record.encoded(draft.timebase, bootID: bootID)))
    }
}
