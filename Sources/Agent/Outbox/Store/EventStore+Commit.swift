import Core

/// The transaction that brings the file to the state of the outbox.
extension EventStore {
    /// Deletes acknowledged events, and the oldest where room is needed; adds `incoming` and the changed records and
    /// values; stores the numbering. All of it is in the file when this returns, none of it if this throws.
    ///
    /// - Parameters:
    ///   - next: the figures as they are after the transaction.
    ///   - owner: the owner of the file; `nil` where it does not matter.
    ///   - truncates: whether rows of a transaction that failed may be left.
    /// - Returns: whether no event was dropped, and the bytes of the file in use.
    func write(
        _ incoming: [QueuedMessage], _ changes: PendingChanges, _ next: inout Bookkeeping, owner: String?,
        _ limits: OutboxLimits, truncates: Bool, at wallTime: WallTime
    ) throws(DiskError) -> (areAllKept: Bool, usedBytes: Int64) {
        let dropped = next.dropped
        let meta = next.meta()
        var rows: [EventRow] = []
        var bytes: Int64 = 0
        try transaction { () throws(DiskError) in
            if truncates { try truncate(from: next.storedEnd) }
            for range in next.acknowledged.ranges { next.deleted(try delete(range)) }
            rows.reserveCapacity(incoming.count)
            for event in incoming { rows.append(try row(event)) }
            rows = try makeRoom(for: rows, limits, &next)
            for row in rows { try insert(row) }
            for (key, value) in changes.records { try put(value, forKey: key, in: .record) }
            for (key, value) in changes.values { try put(value, forKey: key, in: .value) }
            if let owner, next.areOwnersChanged { try write(next.owners, owner: owner) }
            if next.gaps.isChanged { try write(next.gaps.gaps) }
            try giveBackFreePages()
            try write(meta, created: wallTime.microseconds)
            bytes = try usedBytes()
        }
        committed(meta)
        next.stored(Int64(rows.count))
        return (rows.count == incoming.count && next.dropped == dropped, bytes)
    }

    /// Deletes the oldest events until `incoming` fits in, and reports them as gaps. Returns `incoming` without the
    /// events that do not fit even into an empty file.
    private func makeRoom(
        for incoming: [EventRow], _ limits: OutboxLimits, _ next: inout Bookkeeping
    ) throws(DiskError) -> [EventRow] {
        let retention = Retention(maxEvents: Int64(limits.maxEvents), maxBytes: limits.fileBytes)
        // Rows do not fill their pages, and records and the tables' roots take pages too.
        let incomingBytes = incoming.reduce(0) { $0 + $1.size } * 5 / 4 + 8 * Wear.pageBytes
        let incomingEvents = Int64(incoming.count { $0.queued.number.series.isCounted })
        while next.storedEvents > 0 {
            var events = next.storedEvents + incomingEvents
            if events > retention.maxEvents { events -= try countUncounted() }
            let excess = retention.excess(events: events, bytes: try usedBytes() + incomingBytes)
            guard let excess else { return incoming }
            let oldest = try oldest(256, countedOnly: excess.cause == .maxEvents)
            guard !oldest.isEmpty else { break }
            let victims = oldest.prefix(max(excess.victims(among: oldest.map(\.size)), 1))
            for victim in victims { next.deleted(try delete(victim.position.alone)) }
            next.drop(victims.lazy.map { ($0.position, $0.number) }, cause: excess.cause)
        }
        let excess = retention.excess(events: incomingEvents, bytes: try usedBytes() + incomingBytes)
        guard let excess else { return incoming }
        let concerned = incoming.filter { excess.concerns($0.queued.number.series) }
        let victims = concerned.prefix(excess.victims(among: concerned.map(\.size)))
        next.drop(victims.lazy.map { ($0.queued.position, $0.queued.number) }, cause: excess.cause)
        let lost = Set(victims.map(\.queued.position))
        return incoming.filter { !lost.contains($0.queued.position) }
    }
}
