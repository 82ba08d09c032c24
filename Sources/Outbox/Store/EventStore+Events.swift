/// Events in the file. Positions are those of this process.
extension EventStore {
    /// An event without its content.
    struct Entry: Hashable {
        var position: Int64
        var epoch: String
        var seq: Int64
        var size: Int64
    }

    /// Events from `position` on, in order, until `row` wants no more.
    func events(
        from position: Int64, row: (QueuedEvent) throws(DiskError) -> Bool
    ) throws(DiskError) {
        try database.query(
            "SELECT position, epoch, seq, content FROM event WHERE position >= ?1 ORDER BY position",
            .integer(position + origin)
        ) { (statement: Statement) throws(DiskError) in
            try checkNumbers(statement.integer(0), statement.integer(2))
            guard let (topic, payload) = EventText.read(statement.bytes(3), model) else {
                throw Self.damage("read an event")
            }
            return try row(
                QueuedEvent(
                    position: statement.integer(0) - origin, epoch: name(ofEpoch: statement.integer(1)),
                    seq: statement.integer(2), topic: topic, payload: payload))
        }
    }

    /// The first `limit` events.
    func oldest(_ limit: Int64) throws(DiskError) -> [Entry] {
        var entries: [Entry] = []
        try database.query(
            "SELECT position, epoch, seq, length(content) FROM event ORDER BY position LIMIT ?1",
            .integer(limit)
        ) { (row: Statement) throws(DiskError) in
            try checkNumbers(row.integer(0), row.integer(2))
            entries.append(
                Entry(
                    position: row.integer(0) - origin, epoch: name(ofEpoch: row.integer(1)), seq: row.integer(2),
                    size: row.integer(3) + EventRow.overhead))
            return true
        }
        return entries
    }

    /// Throws damage for numbers that were never written.
    private func checkNumbers(_ position: Int64, _ seq: Int64) throws(DiskError) {
        guard Self.numbers.contains(position), Self.numbers.contains(seq) else { throw Self.damage("read an event") }
    }

    /// What `event` will take: its row, to be inserted in the same transaction.
    func row(_ event: QueuedEvent) throws(DiskError) -> EventRow {
        EventRow(event: event, content: try coded(EventText.write(event), isMessage: true))
    }

    func insert(_ row: EventRow) throws(DiskError) {
        let epoch = try number(ofEpoch: row.event.epoch)
        try database.run(
            "INSERT INTO event VALUES (?1, ?2, ?3, ?4)", .integer(row.event.position + origin), .integer(epoch),
            .integer(row.event.seq), .blob(row.content))
    }

    /// How many events there are.
    func count() throws(DiskError) -> Int64 { try database.integer("SELECT count(*) FROM event") }

    /// Deletes the events in `positions` and returns how many there were.
    func delete(_ positions: Range<Int64>) throws(DiskError) -> Int64 {
        try database.run(
            "DELETE FROM event WHERE position >= ?1 AND position < ?2", .integer(positions.lowerBound + origin),
            .integer(positions.upperBound + origin))
        return database.changes
    }

    /// Deletes the events from `position` on: rows of a transaction whose end was never reported.
    func truncate(from position: Int64) throws(DiskError) {
        try database.run("DELETE FROM event WHERE position >= ?1", .integer(position + origin))
    }

    /// Bytes of pages in use, within a transaction as it stands there.
    func usedBytes() throws(DiskError) -> Int64 {
        let pages = try database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")
        return pages * Schema.pageBytes
    }

    /// Gives a file that a backlog blew up back to the disk, a little at a time: several times the pages that a thousand
    /// acknowledged events set free. It begins when most of the backlog is gone: every page in use at the end has to be
    /// moved to the front.
    func giveBackFreePages() throws(DiskError) {
        let free = try database.integer("PRAGMA freelist_count")
        if free > 4_096, try free > database.integer("PRAGMA page_count") / 4 * 3 {
            try database.execute("PRAGMA incremental_vacuum(512)")
        }
    }
}
