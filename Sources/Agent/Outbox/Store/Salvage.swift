import CSQLite
import Core

/// The readable part of a damaged file, up to a limit in memory.
struct Salvage {
    var numbering: Numbering?
    /// Events in order, with the file's own positions.
    private var rows: [(position: Int64, message: NumberedMessage)] = []
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
        try? EventStore.readEpochs(into: &epochNames, from: database)
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
        isEveryRecordThere = (try? EventStore.read(.record, into: &records, model, from: database)) != nil
        try? EventStore.read(.value, into: &values, model, from: database)
        try? EventStore.readGaps(into: &gaps, from: database)
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
            try database.query("SELECT position, epoch, kind, seq, content FROM event \(order)") {
                (row: Statement) throws(DiskError) in
                let (position, message) = (row.integer(0), try EventStore.message(row, epochNames, model))
                let isInOrder = before.map { last == nil ? position > $0 : position < $0 } ?? true
                guard isInOrder, !message.number.epoch.isEmpty else { throw EventStore.damage("salvage") }
                before = position
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
}
