import Core
import DequeModule

extension Outbox {
    /// Reads into memory what can be read of a file that was set aside; `persist` writes it into `opened`, the new
    /// file. A process that was killed before it committed may have set the file aside.
    func salvage(from folder: any OutboxFolder, into opened: EventStore) {
        guard opened.meta == nil, folder.hasReplacedFile, !mode.isSalvaged else { return }
        takeIn(Salvage(path: folder.replacedPath, vfs: vfs, limit: limits.memoryBytes))
        mode.salvaged()
    }

    /// Puts the saved content before the content in memory, and reports the missing numbers.
    private func takeIn(_ salvage: Salvage) {
        if mode.meeting != .done { bookkeeping.origin = salvage.origin }
        var events = salvage.events(from: bookkeeping.origin)
        events.removeAll { bookkeeping.acknowledged.contains($0.position) || $0.position >= bookkeeping.storedEnd }
        let values = salvage.values.filter { !EpochOwners.isTheirs($0.key) }
        let former = mode.meeting == .done ? nil : inherit(salvage.inheritance, &bookkeeping)
        if mode.meeting != .done { bookkeeping.formerEnd = former == nil ? bookkeeping.owners.end(of: events) : .first }
        if !salvage.isEveryEventThere { stateLoss(salvage, events) }
        pending.prepend(events)
        if let former {
            takeOver(salvage.records, values, from: former)
        } else {
            pending.fill(records: salvage.records, values: values)
        }
        for gap in salvage.gaps where mode.meeting != .done { bookkeeping.state(gap) }
        if mode.meeting == .done, !salvage.isEveryRecordThere { fileGeneration += 1 }
        bookkeeping.forgetFile(firstPosition: events.first?.position ?? bookkeeping.storedEnd)
        reports.say(
            "outbox: outbox.sqlite was damaged and is replaced; \(events.count) waiting events and "
                + "\(salvage.records.count) records were saved from it")
    }

    private func stateLoss(_ salvage: Salvage, _ events: [QueuedMessage]) {
        guard mode.meeting != .done else { return stateLossOfStoredEvents(except: events, cause: .corrupt) }
        // Before the first meeting, only the file itself tells of its numbers.
        guard let epoch = salvage.numbering?.epoch ?? events.last?.number.epoch else { return }
        for series in NumberSeries.allCases {
            let found = events.numbers(of: series, in: epoch)
            let end = max(salvage.numbering?[series] ?? 1, found.last.map { NumberRun($0).end } ?? 1)
            state(.corrupt, of: series, in: epoch, NumberRun(found.first ?? 1, before: end), without: found)
        }
    }

    /// Reports as gaps the unsettled numbers of this epoch that were in the file, except those of `events`.
    func stateLossOfStoredEvents(except events: [QueuedMessage], cause: OutboxGap.Cause) {
        guard bookkeeping.isEpochStored else { return }
        let epoch = bookkeeping.numbering.epoch
        for series in NumberSeries.allCases {
            let unstored = pending.events.first {
                $0.number.epoch == epoch && $0.number.series == series && $0.position >= bookkeeping.storedEnd
            }
            let end = unstored?.number.seq ?? bookkeeping.numbering[series]
            state(
                cause, of: series, in: epoch, NumberRun(bookkeeping.settled[series], before: end),
                without: events.numbers(of: series, in: epoch))
        }
    }

    private func state(
        _ cause: OutboxGap.Cause, of series: NumberSeries, in epoch: String, _ numbers: NumberRun?,
        without found: [Int64]
    ) {
        for missing in numbers?.missing(from: found) ?? [] {
            bookkeeping.state(OutboxGap(epoch: epoch, series: series, missing, cause: cause))
        }
    }
}

extension [QueuedMessage] {
    /// The numbers of one series in an epoch, in order.
    fileprivate func numbers(of series: NumberSeries, in epoch: String) -> [Int64] {
        lazy.map(\.number).filter { $0.epoch == epoch && $0.series == series }.map(\.seq)
    }
}
