import CSQLite
import Core

/// The outbox's file, which stores and returns rows. The outbox above decides what to keep, number or drop.
package final class EventStore {
    /// The one row of table `meta`.
    struct Meta: Hashable {
        package var numbering: Numbering
        /// The file's own position, without `origin`.
        var nextPosition: Int64
        var settledReservations: SeriesNumbers
    }

    let database: Database
    /// Whether the file can be read, but not written.
    let isReadOnly: Bool
    /// See `Bookkeeping.origin`.
    var origin = PositionOrigin.none
    /// `nil` for a new file without content.
    private(set) var meta: Meta?
    private var epochNames: [Int64: String] = [:]
    private var epochNumbers: [String: Int64] = [:]
    private(set) var model = TextModel()

    /// Opens the file at `path`. Throws damage (`isDamage`) also for a database that is no outbox.
    init(path: String, vfs: String?, limits: OutboxLimits) throws(DiskError) {
        let opened = try Database(path: path, vfs: vfs)
        isReadOnly = opened.isReadOnly
        database = isReadOnly ? try Database(readOnlyPath: path) : opened
        try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        let version = try database.integer("PRAGMA user_version")
        guard version == 0 || version == Schema.version else {
            try database.leaveUntouchedOnClose()
            throw DiskError(
                source: .otherFormat, code: Int32(clamping: version), systemError: 0, operation: "open outbox.sqlite")
        }
        if isReadOnly {
            // The tables can be made only once the disk can be written.
            guard version > 0 else { throw DiskError.readOnly(path) }
        } else {
            try Schema.prepare(database, limits: limits)
        }
        if version == 0 {
            guard try database.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
                throw Self.damage("look for the outbox's tables")
            }
            try database.transaction { () throws(DiskError) in try database.execute(Schema.tables) }
        }
        // A small file is checked now, so that a later read does not meet the damage.
        if try database.integer("PRAGMA page_count") <= 2_048 { try checkIntegrity() }
        try Self.readModel(into: &model, from: database)
        meta = try readMeta()
    }

    /// Reads the samples with which texts in the file were written.
    static func readModel(into model: inout TextModel, from database: Database) throws(DiskError) {
        try database.query("SELECT text FROM sample ORDER BY id") { row in
            model.add(row.bytes(0))
            return true
        }
    }

    /// The range of numbers and positions in a file; the agent never writes others. Readers of JSON hold no greater
    /// ones.
    static let numbers: ClosedRange<Int64> = 1...(1 << 53)

    static func damage(_ operation: String) -> DiskError {
        DiskError(source: .sqlite, code: SQLITE_CORRUPT, systemError: 0, operation: operation)
    }

    private func checkIntegrity() throws(DiskError) {
        var verdict = ""
        try database.query("PRAGMA quick_check(1)") { row in
            verdict = row.text(0)
            return false
        }
        guard verdict == "ok" else { throw Self.damage("check outbox.sqlite") }
    }

    // MARK: Numbers

    private func readMeta() throws(DiskError) -> Meta? {
        try database.query("SELECT id, name FROM epoch") { row in
            epochNames[row.integer(0)] = row.text(1)
            epochNumbers[row.text(1)] = row.integer(0)
            return true
        }
        var result: Meta?
        var isSensible = true
        try database.query(Schema.readMeta) { row in
            var meta = Meta(
                numbering: Numbering(epoch: name(ofEpoch: row.integer(0))), nextPosition: row.integer(1),
                settledReservations: SeriesNumbers(0))
            isSensible = !meta.numbering.epoch.isEmpty && Self.numbers.contains(meta.nextPosition)
            for (index, (series, column)) in Schema.numberColumns.enumerated() {
                let number = row.integer(Int32(index) + 2)
                switch column {
                case .next:
                    meta.numbering[series] = number
                    isSensible = isSensible && Self.numbers.contains(number)
                case .settled:
                    meta.settledReservations[series] = number
                    isSensible = isSensible && number <= Self.numbers.upperBound
                }
            }
            result = meta
            return false
        }
        guard isSensible else { throw Self.damage("read the numbers") }
        return result
    }

    /// Writes `meta`; `created` (microseconds since 1970) counts where there was none.
    func write(_ new: Meta, created: Int64) throws(DiskError) {
        let epoch = try number(ofEpoch: new.numbering.epoch)
        let numbers = Schema.numberColumns.map { series, column in
            switch column {
            case .next: SQLValue.integer(new.numbering[series])
            case .settled: SQLValue.integer(new.settledReservations[series])
            }
        }
        try database.run(
            Schema.writeMeta, [.integer(epoch), .integer(new.nextPosition), .integer(created)] + numbers)
    }

    /// Notes that the transaction that wrote `new` is committed.
    func committed(_ new: Meta) {
        meta = new
        epochNumbers = [:]
        for (number, name) in epochNames { epochNumbers[name] = number }
    }

    /// The `epoch` row of a name, which is made if there is none. Rows are never deleted, since epochs are rare.
    func number(ofEpoch name: String) throws(DiskError) -> Int64 {
        if let number = epochNumbers[name] { return number }
        try database.run("INSERT OR IGNORE INTO epoch (name) VALUES (?1)", .text(name))
        var number: Int64 = 0
        try database.query("SELECT id FROM epoch WHERE name = ?1", .text(name)) { row in
            number = row.integer(0)
            return false
        }
        // Remembered for reading only: if the transaction is rolled back, the next one inserts the row again.
        epochNames[number] = name
        return number
    }

    /// The `epoch` row of a name; `nil` where there is none.
    func number(ofKnownEpoch name: String) -> Int64? { epochNames.first { $0.value == name }?.key }

    /// The name of an epoch in the file; empty for an unknown number.
    package func name(ofEpoch number: Int64) -> String { epochNames[number] ?? "" }

    // MARK: Texts

    /// Runs `body` as one transaction; see `Database`.
    func transaction(_ body: () throws(DiskError) -> Void) throws(DiskError) {
        let before = model
        do {
            try database.transaction(body)
        } catch {
            model = before
            throw error
        }
    }

    /// Writes `text` with the model. A text that is unlike every sample becomes a sample itself.
    func coded(_ text: [UInt8], isMessage: Bool) throws(DiskError) -> [UInt8] {
        let coded = model.encode(text)
        let isSample = isMessage ? model.lacksMessage(text, coded: coded) : model.lacks(text, coded: coded)
        guard isSample else { return coded }
        let sample = model.sample(of: text)
        try database.run("INSERT INTO sample (text) VALUES (?1)", .blob(sample))
        model.add(sample)
        return model.encode(text)
    }
}
