import CSQLite

/// What can still be read from a damaged file, up to a limit in memory.
struct Salvage {
    var numbering: Numbering?
    /// In order; positions are the file's own.
    var events: [QueuedEvent] = []
    /// Whether every event was read.
    var isEveryEventThere = false
    var records: [OutboxRecord] = []
    var isEveryRecordThere = false
    var values: [OutboxRecord] = []
    var gaps: [OutboxGap] = []

    private var epochNames: [Int64: String] = [:]
    private var model = TextModel()
    private var bytes: Int64 = 0
    private let limit: Int64
    /// Whether messages and gaps have a kind; in files of the first version all are of events.
    private var hasKinds = false

    /// Reads the file at `path`, with its log. Where it is no database at all, nothing is found.
    init(path: String, vfs: String?, limit: Int64) {
        self.limit = limit
        guard let database = try? Database(path: path, vfs: vfs),
            (try? database.execute("PRAGMA locking_mode = EXCLUSIVE")) != nil
        else { return }
        // Each part stops where its pages are damaged, and the others go on.
        try? database.query("SELECT id, name FROM epoch") { row in
            epochNames[row.integer(0)] = row.text(1)
            return true
        }
        hasKinds = ((try? database.integer("PRAGMA user_version")) ?? Schema.version) > 1
        try? database.query("SELECT epoch, next_seq, \(hasKinds ? "next_span" : "1") FROM meta") { row in
            guard let epoch = epochNames[row.integer(0)] else { return false }
            let next = [row.integer(1), row.integer(2)].map { EventStore.numbers.contains($0) ? $0 : 1 }
            numbering = Numbering(epoch: epoch, nextSequence: next[0], nextSpan: next[1])
            return false
        }
        try? EventStore.readModel(into: &model, from: database)
        readEvents(from: database)
        (records, isEveryRecordThere) = pairs(in: "record", of: database) { model.decode($0) }
        values = pairs(in: "value", of: database) { $0 }.pairs
        try? database.query("SELECT epoch, from_seq, to_seq, cause, \(kindColumn) FROM gap ORDER BY id") { row in
            guard let cause = OutboxGap.Cause(rawValue: row.text(3)),
                let kind = OutboxKind(rawValue: row.integer(4)), EventStore.numbers.contains(row.integer(1)),
                (row.integer(1)...EventStore.numbers.upperBound).contains(row.integer(2))
            else {
                return true
            }
            gaps.append(
                OutboxGap(
                    epoch: row.text(0), kind: kind, fromSeq: row.integer(1), toSeq: row.integer(2), cause: cause))
            return true
        }
    }

    /// What is left that bears on whose the file is.
    var inheritance: Inheritance {
        Inheritance(
            values: values, topics: [events.first?.topic, events.last?.topic].compactMap(\.self),
            epochs: Set(events.map(\.epoch) + gaps.map(\.epoch) + [numbering?.epoch].compactMap(\.self)))
    }

    private var kindColumn: String { hasKinds ? "kind" : "0" }

    /// From the oldest up to the damage, then from the newest down to it.
    private mutating func readEvents(from database: Database) {
        isEveryEventThere = read(
            "SELECT position, epoch, seq, content, \(kindColumn) FROM event ORDER BY position", from: database)
        guard !isEveryEventThere, bytes < limit else { return }
        let front = events
        events = []
        let last = front.last?.position ?? .min
        _ = read(
            "SELECT position, epoch, seq, content, \(kindColumn) FROM event WHERE position > \(last) "
                + "ORDER BY position DESC", from: database)
        events = front + events.reversed().drop { $0.position <= last }
    }

    /// Returns whether all rows were read.
    private mutating func read(_ sql: String, from database: Database) -> Bool {
        do {
            try database.query(sql) { (row: Statement) throws(DiskError) in
                guard let epoch = epochNames[row.integer(1)], EventStore.numbers.contains(row.integer(2)),
                    EventStore.numbers.contains(row.integer(0)), let kind = OutboxKind(rawValue: row.integer(4)),
                    let (topic, payload) = EventText.read(row.bytes(3), model)
                else {
                    throw EventStore.damage("salvage")
                }
                let event = QueuedEvent(
                    position: row.integer(0), epoch: epoch, kind: kind, seq: row.integer(2), topic: topic,
                    payload: payload)
                bytes += event.size
                guard bytes <= limit else {
                    throw DiskError(source: .sqlite, code: SQLITE_NOMEM, systemError: 0, operation: "salvage")
                }
                events.append(event)
                return true
            }
            return true
        } catch {
            return false
        }
    }

    private func pairs(
        in table: String, of database: Database, read: ([UInt8]) -> [UInt8]?
    ) -> (pairs: [OutboxRecord], isComplete: Bool) {
        var pairs: [OutboxRecord] = []
        do {
            try database.query("SELECT key, value FROM \(table) ORDER BY key") { (row: Statement) throws(DiskError) in
                guard let value = read(row.bytes(1)) else { throw EventStore.damage("salvage") }
                pairs.append(OutboxRecord(key: row.text(0), value: value))
                return true
            }
            return (pairs, true)
        } catch {
            return (pairs, false)
        }
    }
}
