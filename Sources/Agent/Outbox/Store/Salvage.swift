import CSQLite
import Core

/// The readable part of a damaged file, up to a limit in memory.
struct Salvage {
    var numbering: Numbering?
    /// Events in order, with the file's own positions.
    private var rows: [(position: Int64, message: NumberedMessage)] = []
    /// True if every event was read.
    var isEveryEventThere = false
    var records: [OutboxRecord] = []
    var isEveryRecordThere = false
    var values: [OutboxRecord] = []
    var gaps: [OutboxGap] = []

    private var epochNames: [Int64: String] = [:]
    private var model = TextModel()
    private var bytes: Int64 = 0
    private let limit: Int64

    /// Reads the file at `path`, with its log. A file that is no database gives nothing.
    init(path: String, vfs: String?, limit: Int64) {
        self.limit = limit
        guard let database = try? Database(path: path, vfs: vfs),
            (try? database.execute("PRAGMA locking_mode = EXCLUSIVE")) != nil
        else { return }
        // Each part ends where its pages are damaged; the other parts are still read.
        try? database.query("SELECT id, name FROM epoch") { row in
            epochNames[row.integer(0)] = row.text(1)
            return true
        }
        let columns = NumberSeries.allCases.map { ", " + $0.nextColumn }.joined()
        try? database.query("SELECT epoch\(columns) FROM meta") { row in
            guard let epoch = epochNames[row.integer(0)] else { return false }
            var found = Numbering(epoch: epoch)
            for (index, series) in NumberSeries.allCases.enumerated()
            where EventStore.numbers.contains(row.integer(Int32(index) + 1)) {
                found[series] = row.integer(Int32(index) + 1)
            }
            numbering = found
            return false
        }
        try? EventStore.readModel(into: &model, from: database)
        readEvents(from: database)
        (records, isEveryRecordThere) = pairs(in: "record", of: database) { model.decode($0) }
        values = pairs(in: "value", of: database) { $0 }.pairs
        try? database.query("SELECT epoch, from_seq, to_seq, cause, kind FROM gap ORDER BY id") { row in
            guard let cause = OutboxGap.Cause(rawValue: row.text(3)),
                let series = NumberSeries(rawValue: row.integer(4)), EventStore.numbers.contains(row.integer(1)),
                (row.integer(1)...EventStore.numbers.upperBound).contains(row.integer(2))
            else {
                return true
            }
            gaps.append(
                OutboxGap(
                    epoch: row.text(0), series: series, fromSeq: row.integer(1), toSeq: row.integer(2), cause: cause))
            return true
        }
    }

    /// The origin of positions for a process that has committed nothing before it read this file.
    var origin: PositionOrigin { PositionOrigin(lastInFile: rows.last?.position ?? 0) }

    /// The events that were read, in order.
    func events(from origin: PositionOrigin) -> [QueuedMessage] {
        rows.map { QueuedMessage(position: origin.position(inFile: $0.position), message: $0.message) }
    }

    /// The remains that tell the file's owner.
    var inheritance: Inheritance {
        Inheritance(
            values: values, topics: [rows.first?.message.topic, rows.last?.message.topic].compactMap(\.self),
            epochs: Set(rows.map(\.message.number.epoch) + gaps.map(\.epoch) + [numbering?.epoch].compactMap(\.self)))
    }

    /// Reads from the oldest event up to the damage, then from the newest down to it.
    private mutating func readEvents(from database: Database) {
        isEveryEventThere = read(from: database)
        guard !isEveryEventThere, bytes < limit else { return }
        let front = rows
        rows = []
        let last = front.last?.position ?? .min
        _ = read(from: database, downTo: last)
        rows = front + rows.reversed().drop { $0.position <= last }
    }

    /// Returns whether all rows were read. A row that is out of order has a damaged position.
    ///
    /// - Parameter last: the position above which rows are read, the newest first; `nil` for all, the oldest first.
    private mutating func read(from database: Database, downTo last: Int64? = nil) -> Bool {
        let order = last.map { "WHERE position > \($0) ORDER BY position DESC" } ?? "ORDER BY position"
        do {
            var before: Int64?
            try database.query("SELECT position, epoch, seq, content, kind FROM event \(order)") {
                (row: Statement) throws(DiskError) in
                let position = row.integer(0)
                if let before, last == nil ? position <= before : position >= before {
                    throw EventStore.damage("salvage")
                }
                before = position
                guard let epoch = epochNames[row.integer(1)], EventStore.numbers.contains(row.integer(2)),
                    EventStore.numbers.contains(position), let series = NumberSeries(rawValue: row.integer(4)),
                    let (topic, payload) = EventText.read(row.bytes(3), model)
                else {
                    throw EventStore.damage("salvage")
                }
                let message = NumberedMessage(
                    MessageNumber(epoch: epoch, series: series, seq: row.integer(2)), topic: topic, payload: payload)
                bytes += QueuedMessage.size(of: message)
                guard bytes <= limit else {
                    throw DiskError(source: .sqlite, code: SQLITE_NOMEM, systemError: 0, operation: "salvage")
                }
                rows.append((position, message))
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
