extension Outbox {
    /// Commits a transaction: its events are queued and its records stored together, whatever happens afterwards.
    ///
    /// `build` makes it for the numbering that it is given. It is called again where that changes: if the disk fails at
    /// this moment and numbers of the epoch could be repeated after a crash, a new epoch begins. Only what it returned last
    /// counts. Where `numbersSpans` is false, it makes no spans of coverage: they wait. One call costs about one sync of the disk, however many events it has: batch what comes together.
    ///
    /// - Returns: What was committed; look there for the numbers that events got.
    /// - Throws: `OutboxError.misnumbered`; then nothing was kept. A failing disk is no error: see `condition`.
    @discardableResult
    public func commit(_ build: (Numbering) -> OutboxTransaction) throws(OutboxError) -> OutboxTransaction {
        while true {
            let transaction = build(book.numbering)
            guard try isNumberedRight(transaction), !transaction.isEmpty else { return transaction }
            if isDurable {
                do {
                    try persist(adding: transaction)
                    checkpointIfDue()
                    return transaction
                } catch {
                    fail(error)
                    if transaction.events.contains(where: { $0.kind == .coverage }) { continue }
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
    public func setValue(_ value: [UInt8], forKey key: String) {
        pending.setValue(value, forKey: key)
        if folder != nil, isDurable { persistPending() }
    }

    /// The value that was stored under `key`; `nil` where there is none, or where the disk cannot be read.
    public func value(forKey key: String) -> [UInt8]? {
        if let value = pending.values[key] { return value }
        do {
            return try store?.value(forKey: key)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Every record, by key. It is meant for the start; where the disk cannot be read, only what is in memory.
    public func records() -> [OutboxRecord] {
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
        var expected = book.numbering
        for event in transaction.events {
            let next = expected[event.kind]
            guard event.seq == next else { throw .misnumbered(expected: next, found: event.seq) }
            expected[event.kind] = next + 1
        }
        return true
    }

    /// Makes sure that no restart gives the numbers of `transaction` again. `false` where only a new epoch can.
    private func secureNumbers(of transaction: OutboxTransaction) -> Bool {
        // The file knows nothing of an epoch that began in memory, so no restart goes on in it.
        let count = Int64(transaction.events.count) + transaction.lostEvents
        guard let folder, book.isEpochStored, count > 0 else { return true }
        let end = book.numbering.nextSequence + count
        if end <= book.reservedEnd { return true }
        let reservation = Reservation(epoch: book.numbering.epoch, end: end + Reservation.block)
        guard folder.reserve(reservation) else { return false }
        book.reservedEnd = reservation.end
        return true
    }

    private func keepInMemory(_ transaction: OutboxTransaction) {
        pending.apply(transaction)
        for event in book.position(transaction.events) { pending.append(event) }
        book.lose(transaction.lostEvents)
        let maxBytes = folder == nil ? limits.maxBytes : limits.memoryBytes
        let retention = Retention(maxEvents: Int64(limits.maxEvents), maxBytes: maxBytes)
        if let (events, cause) = pending.dropOldest(retention) {
            book.drop(events.lazy.map(\.number), cause: cause)
        }
    }
}

extension Bookkeeping {
    /// Gives numbers to events that are lost already.
    mutating func lose(_ count: Int64) {
        guard count > 0 else { return }
        let first = numbering.nextSequence
        numbering.nextSequence += count
        state(OutboxGap(epoch: numbering.epoch, fromSeq: first, toSeq: first + count - 1, cause: .disk))
    }

    /// Gives `events` their positions and goes on in the numbering.
    mutating func position(_ events: [OutboxEvent]) -> [QueuedEvent] {
        var queued: [QueuedEvent] = []
        queued.reserveCapacity(events.count)
        for event in events {
            queued.append(
                QueuedEvent(
                    position: nextPosition, epoch: numbering.epoch, kind: event.kind, seq: event.seq,
                    topic: event.topic, payload: event.payload))
            nextPosition += 1
            numbering[event.kind] = event.seq + 1
        }
        return queued
    }
}
