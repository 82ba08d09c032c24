import Core

extension Outbox {
    /// Commits a transaction: its messages are queued and its records stored together, whatever happens afterwards.
    ///
    /// `build` makes it for the numbering that it is given. It is called again where that changes: if the disk fails at
    /// this moment and numbers of the epoch could be repeated after a crash, a new epoch begins. Only what it returned last
    /// counts. Of a series that `canNumber` says no to it makes none: they wait. One call costs about one sync of the disk, however
    /// many messages it has: batch what comes together.
    ///
    /// - Returns: What was committed; look there for the numbers that messages got.
    /// - Throws: `OutboxError.misnumbered`; then nothing was kept. A failing disk is no error: see `condition`.
    @discardableResult
    func commit(_ build: (Numbering) -> OutboxTransaction) throws(OutboxError) -> OutboxTransaction {
        while true {
            let transaction = build(bookkeeping.numbering)
            guard try isNumberedRight(transaction), !transaction.isEmpty else { return transaction }
            if isDurable {
                do {
                    try persist(adding: transaction)
                    checkpointIfDue()
                    return transaction
                } catch {
                    fail(error)
                    if transaction.messages.contains(where: { $0.number.series.needsDisk }) { continue }
                }
            }
            if secureNumbers(of: transaction) {
                keepInMemory(transaction)
                return transaction
            }
            beginEpoch()
        }
    }

    /// Stores a small value that outlives the process, such as a key. It is on the disk when this returns, if the disk
    /// works.
    func setValue(_ value: [UInt8], forKey key: String) {
        pending.setValue(value, forKey: key)
        if folder != nil, isDurable { persistPending() }
    }

    /// Stores a secret in place of the one before. Once the disk has it, no file of the state folder holds the former one any more: not
    /// the log, no free page, and no damaged file that was set aside.
    func replaceSecret(_ secret: [UInt8], forKey key: String) {
        forgetsSecret = true
        setValue(secret, forKey: key)
    }

    /// The value that was stored under `key`; `nil` where there is none, or where the disk cannot be read.
    package func value(forKey key: String) -> [UInt8]? {
        if let value = pending.values[key] { return value }
        do {
            return try store?.value(forKey: key)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Every record, by key. It is meant for the start; where the disk cannot be read, only what is in memory.
    func records() -> [OutboxRecord] {
        var records: [String: [UInt8]] = [:]
        for record in recordsAtStart { records[record.key] = record.value }
        do {
            for record in try store?.contents(of: .record) ?? [] { records[record.key] = record.value }
        } catch {
            fail(error)
        }
        for (key, value) in pending.records { records[key] = value }
        return records.map { OutboxRecord(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }

    private func isNumberedRight(_ transaction: OutboxTransaction) throws(OutboxError) -> Bool {
        var expected = bookkeeping.numbering
        for number in transaction.messages.lazy.map(\.number) {
            let next = expected[number.series]
            guard number.seq == next else { throw .misnumbered(expected: next, found: number.seq) }
            expected.goOn(after: number)
        }
        return true
    }

    /// Makes sure that no restart gives the numbers of `transaction` again. `false` where only a new epoch can.
    private func secureNumbers(of transaction: OutboxTransaction) -> Bool {
        // The file knows nothing of an epoch that began in memory, so no restart goes on in it.
        guard let folder, bookkeeping.isEpochStored else { return true }
        var counts = SeriesNumbers(0)
        for message in transaction.messages { counts[message.number.series] += 1 }
        counts[.events] += transaction.lostEvents
        var ends = bookkeeping.reservedEnds
        for series in NumberSeries.allCases where counts[series] > 0 {
            let end = bookkeeping.numbering.number(of: series, after: counts[series]).seq
            if end > ends[series] { ends[series] = end.addingSaturating(Reservation.block) }
        }
        if ends == bookkeeping.reservedEnds { return true }
        guard folder.reserve(Reservation(epoch: bookkeeping.numbering.epoch, ends: ends)) else { return false }
        bookkeeping.reservedEnds = ends
        return true
    }

    private func keepInMemory(_ transaction: OutboxTransaction) {
        pending.apply(transaction)
        for event in bookkeeping.position(transaction.messages) { pending.append(event) }
        bookkeeping.lose(transaction.lostEvents)
        let maxBytes = folder == nil ? limits.maxBytes : limits.memoryBytes
        let retention = Retention(maxEvents: Int64(limits.maxEvents), maxBytes: maxBytes)
        if let (events, cause) = pending.dropOldest(retention) {
            bookkeeping.drop(events.lazy.map(\.number), cause: cause)
        }
    }
}

/// What becomes true together: messages and the region states that gave rise to them.
struct OutboxTransaction: Hashable, Sendable {
    /// Numbered without a gap from the `Numbering` that the transaction was built for, each series by itself.
    package var messages: [NumberedMessage]
    /// Stored under their keys, in place of what stood there.
    var records: [OutboxRecord]
    /// Keys whose records go. A key that also stands in `records` is removed.
    var removedRecords: [String]
    /// Events that were lost before they could be numbered: they get the numbers after those of `messages`, which are stated
    /// as a gap. Negative values count as 0.
    var lostEvents: Int64

    init(
        messages: [NumberedMessage] = [], records: [OutboxRecord] = [], removedRecords: [String] = [],
        lostEvents: Int64 = 0
    ) {
        self.messages = messages
        self.records = records
        self.removedRecords = removedRecords
        self.lostEvents = max(lostEvents, 0)
    }

    var isEmpty: Bool { messages.isEmpty && records.isEmpty && removedRecords.isEmpty && lostEvents <= 0 }
}

/// A piece of state that outlives the process, in the caller's own encoding.
package struct OutboxRecord: Hashable, Sendable {
    var key: String
    package var value: [UInt8]
}
