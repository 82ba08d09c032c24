import Core

/// What the gateway has told of coverage, and what of that is stored.
struct ToldCoverage {
    /// How often it is stored that the process runs, where nothing else that is stored shows it.
    static let seenInterval = TimeSpan.seconds(300)

    var log = CoverageLog()
    /// When this process took it up: before that nothing was said.
    private(set) var began = Instant.origin
    /// The latest that is stored of this process having run.
    private(set) var seen = Instant.origin

    /// Goes on with the span of an earlier process.
    mutating func resume(_ stored: StoredCoverage?, at now: Instant) {
        began = now
        if let stored { log = CoverageLog(resuming: stored, at: now) }
    }

    /// A record that was stored shows that the process ran then.
    mutating func note(seen instant: Instant) { seen = max(seen, instant) }

    /// Whether there is something to store or to tell, though the engine has told nothing.
    func isDue(at now: Instant) -> Bool {
        log.due != .distantFuture && now >= seen + Self.seenInterval || !log.ended.isEmpty
    }
}

extension Dispatcher {
    /// Tells of the span of coverage that lasts where that is due, and of those that had to wait for the disk. To be called about once a
    /// minute, and as often as one likes.
    ///
    /// - Throws: as `dispatch`.
    package func tellCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        told.coverage.log.advance(to: now)
        guard outbox.canNumber(.spans), told.coverage.isDue(at: now) else { return [] }
        return try commit(seenAt: now, timebase) { _, _, _ in }
    }

    /// The process ends: so does the span.
    ///
    /// - Throws: as `dispatch`.
    package func endCoverage(at now: Instant, _ timebase: Timebase) throws(OutboxError) -> [Dispatched] {
        var ended = told.coverage.log
        ended.note(.stopped, at: now)
        guard ended.due != .distantFuture, outbox.canNumber(.spans) else { return [] }
        return try commit(seenAt: now, timebase) { _, _, draft in draft.told.coverage.log = ended }
    }

    /// Where spans can't be numbered now, nothing of them is stored either: what was stored last is still true.
    func cover(_ seenAt: Instant?, isChanged: Bool, into draft: inout TransactionDraft) {
        let hasNews = isChanged || seenAt != nil || !draft.told.coverage.log.ended.isEmpty
        if outbox.canNumber(.spans), hasNews { writer.cover(seenAt: seenAt, into: &draft) }
    }
}

extension TransactionWriter {
    /// Adds the spans that have ended, and what to go on from after a restart.
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
