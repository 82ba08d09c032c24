import Core

extension Outbox {
    /// Writes everything that is in memory alone, and `transaction`, as one transaction of the file. It deletes
    /// acknowledged events, and the oldest where room is needed; it adds the new events and records, and stores the
    /// numbering. If it throws, this outbox is unchanged.
    func persist(adding transaction: OutboxTransaction = OutboxTransaction()) throws(DiskError) {
        guard let store else { return }
        var next = bookkeeping
        var incoming = Array(pending.events)
        incoming += next.position(transaction.messages)
        next.lose(transaction.lostEvents)
        var kept = pending
        kept.apply(transaction)
        next.settledReservations = next.settledReservations.maximum(next.reservedEnds)
        next.reservedEnds = SeriesNumbers(0)
        let meta = EventStore.Meta(
            numbering: next.numbering, nextPosition: next.origin.numberInFile(next.nextPosition),
            settledReservations: next.settledReservations)
        var usedBytes: Int64 = 0
        var areAllKept = false
        let isSynced = needsSync(transaction)
        if !isSynced { try store.database.setSynchronous(false) }
        defer { if !isSynced { _ = try? store.database.setSynchronous(true) } }
        if forgetsSecret { try store.database.setSecureDelete(true) }
        defer { if forgetsSecret { _ = try? store.database.setSecureDelete(false) } }
        try transact(store, writing: kept) { () throws(DiskError) in
            if condition != nil { try store.truncate(from: next.storedEnd) }
            for range in next.acknowledged.ranges { next.storedEvents -= try store.delete(range) }
            var rows: [EventRow] = []
            rows.reserveCapacity(incoming.count)
            for event in incoming { rows.append(try store.row(event)) }
            rows = try makeRoom(for: rows, in: store, &next)
            areAllKept = rows.count == incoming.count && next.dropped == bookkeeping.dropped
            for row in rows { try store.insert(row) }
            next.storedEvents += Int64(rows.count)
            for (key, value) in kept.records { try store.put(value, forKey: key, in: .record) }
            for (key, value) in kept.values { try store.put(value, forKey: key, in: .value) }
            if let owner, next.areOwnersChanged { try store.write(next.owners, owner: owner.name) }
            if next.areGapsChanged { try store.write(next.gaps.gaps) }
            try store.giveBackFreePages()
            try store.write(meta, created: wallTime.microseconds)
            usedBytes = try store.usedBytes()
        }
        store.committed(meta)
        if !areAllKept {
            fresh.end()
        } else if bookkeeping.storedEvents <= bookkeeping.acknowledgedCount {
            fresh.begin()
        }
        fresh.append(incoming.filter { $0.position >= bookkeeping.formerEnd })
        next.acknowledged = RangeSet()
        next.areGapsChanged = false
        next.areOwnersChanged = false
        next.isEpochStored = true
        next.storedEnd = next.nextPosition
        bookkeeping = next
        pending = PendingChanges()
        deletionDue = .distantFuture
        wear.committed(pages: store.database.takePagesWritten(), isSynced: isSynced)
        wear.usedBytes = usedBytes
    }

    /// Runs `body` as one transaction that stores `changes`. The file may reach its limit although the disk has room
    /// for all of `max_mib`. Then `max_mib` is too small: events make room for each other, but region states cannot be
    /// dropped.
    private func transact(
        _ store: EventStore, writing changes: PendingChanges, _ body: () throws(DiskError) -> Void
    ) throws(DiskError) {
        do {
            try store.transaction(body)
        } catch {
            // With another file layer under SQLite, the file system's free space means nothing.
            guard error.isFull, vfs == nil, let free = folder?.freeBytes, free >= limits.maxBytes else { throw error }
            var error = error
            let stored = (try? store.usedBytes()) ?? 0
            error.neededMiB = limits.neededMiB(fileBytes: stored + changes.storedBytes)
            throw error
        }
    }

    /// Whether a transaction must reach the disk at once. One that only deletes acknowledged events need not: if a
    /// power cut undoes it, events are delivered twice, as after any acknowledgement that is not written yet. It
    /// becomes durable with the next transaction.
    private func needsSync(_ transaction: OutboxTransaction) -> Bool {
        !(transaction.isEmpty && pending.isEmpty && !bookkeeping.areGapsChanged && !bookkeeping.areOwnersChanged
            && bookkeeping.isEpochStored && condition == nil)
    }

    /// Calls `persist`, and handles its failure.
    func persistPending() {
        do {
            try persist()
            checkpointIfDue()
        } catch {
            fail(error)
        }
    }

    /// Copies the log into the database when it has grown to its limit, or holds a secret that was replaced. A failure
    /// counts as a fault of the disk, since the log would grow without limit.
    func checkpointIfDue() {
        guard wear.logBytes >= limits.logBytes || forgetsSecret else { return }
        do {
            try checkpoint()
        } catch {
            fail(error)
        }
    }

    /// - Parameter truncatesLog: whether the log's file is emptied. It is also emptied where a secret was replaced.
    func checkpoint(truncatesLog: Bool = false) throws(DiskError) {
        guard let store else { return }
        wear.checkpointed(
            pages: try store.database.checkpoint(truncatesLog: truncatesLog || forgetsSecret))
        guard forgetsSecret else { return }
        forgetsSecret = false
        // A damaged file that was set aside holds the secret of its day.
        folder?.tidyDamagedFile(limit: -1)
    }

    /// Deletes the oldest events until `incoming` fits in, and reports them as gaps. Returns `incoming` without the
    /// events that do not fit even into an empty file.
    private func makeRoom(
        for incoming: [EventRow], in store: EventStore, _ next: inout Bookkeeping
    ) throws(DiskError) -> [EventRow] {
        let retention = Retention(maxEvents: Int64(limits.maxEvents), maxBytes: limits.fileBytes)
        // Rows do not fill their pages, and records and the tables' roots take pages too.
        let incomingBytes = incoming.reduce(0) { $0 + $1.size } * 5 / 4 + 8 * Wear.pageBytes
        let incomingEvents = Int64(incoming.count { $0.queued.number.series.isCounted })
        while next.storedEvents > 0 {
            var events = next.storedEvents + incomingEvents
            if events > retention.maxEvents { events -= try store.countUncounted() }
            let excess = retention.excess(events: events, bytes: try store.usedBytes() + incomingBytes)
            guard let excess else { return incoming }
            let oldest = try store.oldest(256, countedOnly: excess.cause == .maxEvents)
            guard !oldest.isEmpty else { break }
            let victims = oldest.prefix(max(excess.victims(among: oldest.map(\.size)), 1))
            for victim in victims {
                next.storedEvents -= try store.delete(victim.position.alone)
                next.droppedPositions.insert(victim.position)
            }
            next.drop(victims.lazy.map(\.number), cause: excess.cause)
        }
        let excess = retention.excess(events: incomingEvents, bytes: try store.usedBytes() + incomingBytes)
        guard let excess else { return incoming }
        let concerned = incoming.filter { excess.concerns($0.queued.number.series) }
        let victims = concerned.prefix(excess.victims(among: concerned.map(\.size)))
        next.drop(victims.lazy.map(\.queued.number), cause: excess.cause)
        let lost = Set(victims.map(\.queued.position))
        return incoming.filter { !lost.contains($0.queued.position) }
    }
}
