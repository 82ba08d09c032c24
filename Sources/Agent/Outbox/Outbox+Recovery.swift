import Core

extension Outbox {
    /// Passes time: tries a failing disk again when that is due, and deletes in the file what was acknowledged long enough
    /// ago. Call it about once a second.
    ///
    /// - Parameter wallTime: Part of the name of an epoch that has to begin.
    package func tick(at now: Instant, wallTime: WallTime) {
        self.now = max(self.now, now)
        self.wallTime = wallTime
        recordsAtStart = []
        guard folder != nil else { return }
        lookAtFiles()
        if condition != nil {
            if now >= retry.due { recover() }
        } else if now >= deletionDue {
            persistPending()
        }
    }

    /// Writes what can still be written, closes the file and lets another process have the folder. What is committed
    /// afterwards stays in memory.
    ///
    /// A disk that refused is tried once more, due or not: it may work again, and what is in memory alone would be lost.
    package func close() {
        if folder != nil, condition != nil { recover() }
        if folder != nil, isDurable, bookkeeping.acknowledgedCount > 0 || bookkeeping.areGapsChanged {
            persistPending()
        }
        if isDurable { _ = try? checkpoint(truncatesLog: true) }
        disk.closed()
        folder?.release()
    }

    /// How long a file may be unreadable before what can be read of it is saved, and the rest given up.
    static let longestUnreadable = TimeSpan.seconds(60)

    /// SQLite takes a read that the disk refuses for a damaged file. But a disk may read again, and then nothing of the file is lost:
    /// only where it can be read to its end, or could not for a minute, is it damaged.
    private func judged(_ error: DiskError) -> DiskError {
        guard error.isDamage else { return error }
        guard let refusal = folder?.readFailure() else {
            unreadableSince = nil
            return error
        }
        let since = unreadableSince ?? now
        unreadableSince = since
        return now - since < Self.longestUnreadable ? refusal : error
    }

    /// Goes on in memory until the disk works again.
    func fail(_ error: DiskError) {
        let error = judged(error)
        let condition = OutboxCondition(
            error, directory: folder?.path ?? "", obstacle: folder?.obstacle(to: error))
        disk.failed(condition)
        reports.say(condition)
        if !error.leavesFileReadable, !isDisplaced { disk.closed() }
        if error.isDamage, replacement == .none { replacement = .due }
        // It may be the damaged file that fills the disk. What could be read from it is in memory.
        if error.isFull, isSalvaged { folder?.tidyDamagedFile(limit: limits.damagedBytes) }
        retry.failed(at: now)
    }

    /// Tries to work on the disk: opens the file unless it is open, and writes what is in memory alone. A damaged file is
    /// replaced on the spot, once: a disk that damages every file waits its turn.
    func recover() {
        for _ in 0..<2 {
            do {
                try attach()
                return recovered()
            } catch {
                fail(error)
                if replacement != .due { break }
            }
        }
        if replacement == .underWay { replacement = .none }
    }

    private func attach() throws(DiskError) {
        guard let folder else { return }
        try folder.hold()
        if replacement == .due { try setDamagedFileAside(in: folder) }
        if isDisplaced, let store { try carryOver(store, to: folder) }
        if let store, !store.isReadOnly {
            try writeOut(store)
            return
        }
        disk.closed()
        try folder.makeDatabasePrivate()
        let opened = try EventStore(path: folder.databasePath, vfs: vfs, limits: limits)
        try folder.synchronise()
        salvage(from: folder, into: opened)
        if meeting == .done { try rejoin(opened) } else { try meet(opened) }
        opened.origin = bookkeeping.origin
        if opened.isReadOnly {
            // It is read until it can be written, and opened anew at every try.
            disk.opened(opened)
            throw DiskError.readOnly(folder.databasePath)
        }
        try writeOut(opened)
    }

    /// Writes what is in memory alone, and shows that the database itself can be written too.
    private func writeOut(_ opened: EventStore) throws(DiskError) {
        disk.opened(opened)
        try persist()
        // A process that was killed as it replaced a secret has left the former one in the log.
        try checkpoint(truncatesLog: true)
    }

    private func recovered() {
        if condition != nil { reports.say("outbox: the disk works again; what was in memory is committed") }
        disk.recovered()
        (replacement, isSalvaged) = (.none, false)
        isDisplaced = false
        unreadableSince = nil
        reports.forgetFaults()
        retry.succeeded()
        if let folder {
            if folder.hasReplacedFile { folder.tidyDamagedFile(limit: limits.damagedBytes) }
            files.note(folder)
        }
    }

    /// The first meeting of this outbox and the file in its folder. At the start the file's epoch goes on, where it is this
    /// owner's. Later it does not, though nothing may have been numbered yet: regions did not go on from what the file holds,
    /// so numbers of its epoch mean nothing to the states that were told.
    private func meet(_ store: EventStore) throws(DiskError) {
        if let meta = store.meta {
            var next = bookkeeping
            next.storedEvents = try store.count()
            next.gaps = GapLedger(try store.gaps() + next.gaps.gaps)
            next.areGapsChanged = true
            let inheritance = try store.inheritance(meta, for: owner?.name)
            let former = inherit(inheritance, &next)
            next.origin = meta.nextPosition - 1
            next.formerEnd = former == nil ? try store.end(of: next.owners).map { $0 - next.origin } ?? .min : 1
            let records = try store.contents(of: .record)
            if let former {
                takeOver(records, inheritance.values, from: former)
            } else if meeting == .atStart {
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
        meeting = .done
    }

    /// Numbers that a process gave in memory before it died are not given again.
    private func skipReservedNumbers(of meta: EventStore.Meta, _ next: inout Bookkeeping) throws(DiskError) {
        let told = meta.numbering
        guard let reservation = try folder?.reservation(), reservation.epoch == told.epoch else { return }
        for series in NumberSeries.allCases {
            let end = reservation.ends[series]
            guard end > meta.settledReservations[series], end > told[series] else { continue }
            next.state(
                OutboxGap(epoch: told.epoch, series: series, fromSeq: told[series], toSeq: end - 1, cause: .disk))
            if next.numbering.epoch == told.epoch {
                next.numbering[series] = end
                next.reservedEnds[series] = end
            }
        }
    }

    /// The file was opened anew after a failure. This outbox knows better than the file what is in it, unless it is
    /// another file.
    private func rejoin(_ store: EventStore) throws(DiskError) {
        store.origin = bookkeeping.origin
        if store.meta == nil {
            guard bookkeeping.isEpochStored else { return }
            // The file vanished, perhaps with its whole disk. It may come back, so its epoch is not used any further.
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
