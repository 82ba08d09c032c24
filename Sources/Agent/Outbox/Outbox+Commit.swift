import Core

extension Outbox {
    /// Commits a transaction: its messages and records are stored together or not at all, even in a crash.
    ///
    /// `build` makes the transaction for a given numbering. If the disk fails at this moment, and a crash could repeat
    /// numbers of the epoch, a new epoch begins and `build` is called again. Only its last result counts. `build` must
    /// make no messages of a series that `canNumber` denies: those wait. One call costs about one sync of the disk,
    /// whatever its number of messages, so messages that come together belong into one call.
    ///
    /// - Returns: the transaction that was committed, with the numbers that its messages got.
    /// - Throws: `OutboxError.misnumbered`; nothing was kept then. A failing disk is no error: see `condition`.
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

    /// Stores a small value that outlives the process, such as a key. If the disk works, the value is on it when this
    /// returns.
    func setValue(_ value: [UInt8], forKey key: String) {
        pending.setValue(value, forKey: key)
        if folder != nil, isDurable { persistPending() }
    }

    /// Stores a secret in place of the former one. Once the disk has the new secret, no file of the state folder holds
    /// the former one: not the log, no free page, and no damaged file that was set aside.
    func replaceSecret(_ secret: [UInt8], forKey key: String) {
        forgetsSecret = true
        setValue(secret, forKey: key)
    }

    /// The value stored under `key`; `nil` where there is none, or where the disk cannot be read.
    package func value(forKey key: String) -> [UInt8]? {
        if let value = pending.values[key] { return value }
        do {
            return try store?.value(forKey: key)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Every record, by key, for the start. Where the disk cannot be read, only the records in memory.
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

    /// Makes sure that no restart repeats the numbers of `transaction`. Returns `false` where only a new epoch can do
    /// that.
    private func secureNumbers(of transaction: OutboxTransaction) -> Bool {
        // The file knows nothing of an epoch that began in memory, so no restart continues it.
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

/// Messages, and the region states that caused them, to be stored together.
struct OutboxTransaction: Hashable, Sendable {
    /// Numbered without a gap from the `Numbering` given to `build`, each series by itself.
    package var messages: [NumberedMessage]
    /// Records that replace those with the same keys.
    var records: [OutboxRecord]
    /// Keys of records to remove. A key that also stands in `records` is removed.
    var removedRecords: [String]
    /// Events that were lost before they got a number. They get the numbers after those of `messages`, which are
    /// reported as a gap. Negative values count as 0.
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
