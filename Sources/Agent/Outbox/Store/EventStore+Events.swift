import Core

/// Events in the file. Positions are those of this process.
extension EventStore {
    /// An event without its content.
    package struct Entry: Hashable {
        var position: Position
        var number: MessageNumber
        var size: Int64
    }

    /// Reads events from `position` on, in order, until `row` wants no more.
    package func events(
        from position: Position, row: (QueuedMessage) throws(DiskError) -> Bool
    ) throws(DiskError) {
        try database.query(
            "SELECT position, epoch, kind, seq, content FROM event WHERE position >= ?1 ORDER BY position",
            .integer(origin.numberInFile(position))
        ) { (statement: Statement) throws(DiskError) in
            let number = try messageNumber(statement)
            guard let (topic, payload) = EventText.read(statement.bytes(4), model) else {
                throw Self.damage("read an event")
            }
            return try row(
                QueuedMessage(
                    position: origin.position(inFile: statement.integer(0)),
                    NumberedMessage(number, topic: topic, payload: payload)))
        }
    }

    /// The first `limit` messages.
    ///
    /// - Parameter countedOnly: whether to skip messages that `max_events` does not count.
    func oldest(_ limit: Int64, countedOnly: Bool = false) throws(DiskError) -> [Entry] {
        var entries: [Entry] = []
        try database.query(
            """
            SELECT position, epoch, kind, seq, length(content) FROM event
            \(countedOnly ? "WHERE NOT (\(Schema.isUncounted))" : "") ORDER BY position LIMIT ?1
            """,
            .integer(limit)
        ) { (row: Statement) throws(DiskError) in
            entries.append(
                Entry(
                    position: origin.position(inFile: row.integer(0)), number: try messageNumber(row),
                    size: row.integer(4) + EventRow.overhead))
            return true
        }
        return entries
    }

    /// A row's epoch, series and number, in the columns before its content. Throws damage for values that the agent
    /// never writes.
    private func messageNumber(_ row: Statement) throws(DiskError) -> MessageNumber {
        guard Self.numbers.contains(row.integer(0)), let series = NumberSeries(rawValue: row.integer(2)),
            Self.numbers.contains(row.integer(3))
        else { throw Self.damage("read an event") }
        return MessageNumber(epoch: name(ofEpoch: row.integer(1)), series: series, seq: row.integer(3))
    }

    /// The row that a message will take, to be inserted in the same transaction.
    func row(_ queued: QueuedMessage) throws(DiskError) -> EventRow {
        EventRow(queued: queued, content: try coded(EventText.write(queued.message), isMessage: true))
    }

    func insert(_ row: EventRow) throws(DiskError) {
        let number = row.queued.number
        let epoch = try self.number(ofEpoch: number.epoch)
        try database.run(
            "INSERT INTO event (position, epoch, seq, content, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
            .integer(origin.numberInFile(row.queued.position)), .integer(epoch), .integer(number.seq),
            .blob(row.content),
            .integer(number.series.rawValue))
    }

    /// The number of messages.
    package func count() throws(DiskError) -> Int64 { try database.integer("SELECT count(*) FROM event") }

    /// The number of messages that `max_events` does not count.
    func countUncounted() throws(DiskError) -> Int64 {
        try database.integer("SELECT count(*) FROM event WHERE \(Schema.isUncounted)")
    }

    /// Deletes the events in `positions`, and returns their number.
    func delete(_ positions: Range<Position>) throws(DiskError) -> Int64 {
        try database.run(
            "DELETE FROM event WHERE position >= ?1 AND position < ?2",
            .integer(origin.numberInFile(positions.lowerBound)), .integer(origin.numberInFile(positions.upperBound)))
        return database.changes
    }

    /// Deletes the events from `position` on: rows of a transaction whose end was never reported.
    func truncate(from position: Position) throws(DiskError) {
        try database.run("DELETE FROM event WHERE position >= ?1", .integer(origin.numberInFile(position)))
    }

    /// Bytes of the pages in use, within a transaction as they stand there.
    func usedBytes() throws(DiskError) -> Int64 {
        let pages = try database.integer("PRAGMA page_count") - database.integer("PRAGMA freelist_count")
        return pages * Schema.pageBytes
    }

    /// Shrinks a file that a backlog has grown, a little at a time: by several times the pages that a thousand
    /// acknowledged events free. It begins when most of the backlog is gone, because every used page at the end of the
    /// file has to be moved to the front.
    func giveBackFreePages() throws(DiskError) {
        let free = try database.integer("PRAGMA freelist_count")
        if free > 4_096, try free > database.integer("PRAGMA page_count") / 4 * 3 {
            try database.execute("PRAGMA incremental_vacuum(512)")
        }
    }
}

/// A message as it stands in the file: its text, compressed by the model.
struct EventRow {
    /// The approximate bytes of a row beside its content: its header, three numbers and its place in the page.
    static let overhead: Int64 = 16

    var queued: QueuedMessage
    var content: [UInt8]

    var size: Int64 { Int64(content.count) + Self.overhead }
}

/// Joins a message's topic and payload into one text.
enum EventText {
    static func write(_ message: NumberedMessage) -> [UInt8] { Array(message.topic.utf8) + [0] + message.payload }

    /// `nil` for octets that `write` and `model` never produce.
    static func read(_ coded: [UInt8], _ model: TextModel) -> (topic: String, payload: [UInt8])? {
        guard let text = model.decode(coded), let end = text.firstIndex(of: 0) else { return nil }
        return (String(decoding: text[..<end], as: UTF8.self), Array(text[(end + 1)...]))
    }
}
