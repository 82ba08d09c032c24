import Core

/// Reconciles an outbox with the file in its folder.
extension Outbox {
    /// Handles the first meeting with the file in the folder. At the start, the file's epoch goes on if it is this
    /// owner's. Later it does not, even if no number was given yet: the regions did not start from the file's states,
    /// so numbers of its epoch would not fit the states that were told.
    func meet(_ store: EventStore) throws(DiskError) {
        if let meta = store.meta {
            var next = bookkeeping
            next.storedEvents = try store.count()
            next.gaps = GapLedger(try store.gaps() + next.gaps.gaps)
            next.areGapsChanged = true
            let inheritance = try store.inheritance(meta, for: owner?.name)
            let former = inherit(inheritance, &next)
            next.origin = PositionOrigin(nextInFile: meta.nextPosition)
            next.formerEnd =
                former == nil
                ? try store.last(of: next.owners).map { next.origin.position(inFile: $0).next } ?? .beforeAll : .first
            let records = try store.contents(of: .record)
            if let former {
                takeOver(records, inheritance.values, from: former)
            } else if mode.meeting == .atStart {
                recordsAtStart = records
                next.begin(epoch: meta.numbering.epoch)
                next.numbering = meta.numbering
                next.isEpochStored = true
                next.settledReservations = meta.settledReservations
                if let oldest = try store.oldest(1).first?.number, oldest.epoch == meta.numbering.epoch {
                    next.settled[oldest.series] = oldest.seq
                }
            }
            try skipReservedNumbers(of: meta, &next)
            bookkeeping = next
        }
    }

    /// Skips the numbers that an earlier process gave in memory before it died.
    private func skipReservedNumbers(of meta: EventStore.Meta, _ next: inout Bookkeeping) throws(DiskError) {
        let told = meta.numbering
        guard let reservation = try folder?.reservation(), reservation.epoch == told.epoch else { return }
        for series in NumberSeries.allCases {
            let end = reservation.ends[series]
            guard end > meta.settledReservations[series], let lost = NumberRun(told[series], before: end) else {
                continue
            }
            next.state(OutboxGap(epoch: told.epoch, series: series, lost, cause: .disk))
            if next.numbering.epoch == told.epoch {
                next.numbering[series] = end
                next.reservedEnds[series] = end
            }
        }
    }

    /// Handles a file that was opened again after a failure. Unless it is another file, the outbox knows its content
    /// better than the file.
    func rejoin(_ store: EventStore) throws(DiskError) {
        store.origin = bookkeeping.origin
        if store.meta == nil {
            guard bookkeeping.isEpochStored else { return }
            // The file vanished, perhaps with its whole disk. It may come back, so its epoch ends here.
            stateLossOfStoredEvents(except: [], cause: .disk)
            bookkeeping.forgetFile(firstPosition: bookkeeping.storedEnd)
            beginEpoch()
            bookkeeping.areOwnersChanged = true
            fileGeneration += 1
        } else if !store.isReadOnly {
            try store.truncate(from: bookkeeping.storedEnd)
            bookkeeping.storedEvents = try store.count()
        }
    }
}
