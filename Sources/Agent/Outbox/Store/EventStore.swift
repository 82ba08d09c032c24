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
    /// True if the file can be read, but not written.
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

    /// Reads the names of the epochs, by their numbers.
    static func readEpochs(into names: inout [Int64: String], from database: Database) throws(DiskError) {
        try database.query("SELECT id, name FROM epoch") { row in
            names[row.integer(0)] = row.text(1)
            return true
        }
    }

    private func readMeta() throws(DiskError) -> Meta? {
        try Self.readEpochs(into: &epochNames, from: database)
        for (number, name) in epochNames { epochNumbers[name] = number }
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
        // The next event would take the place of another one.
        if let next = result?.nextPosition, try database.integer("SELECT max(position) FROM event") >= next {
            isSensible = false
        }
        guard isSensible else { throw Self.damage("read the numbers") }
        return result
    }

    /// Writes `meta`; `created` (microseconds since 1970) counts where there was none.
    private func write(_ new: Meta, created: Int64) throws(DiskError) {
        let epoch = try number(ofEpoch: new.numbering.epoch)
        let numbers = Schema.numberColumns.map { series, column in
            switch column {
            case .next: SQLValue.integer(new.numbering[series])
            case .settled: SQLValue.integer(new.settledReservations[series])
            }
        }
        try database.run(Schema.writeMeta, [.integer(epoch), .integer(new.nextPosition), .integer(created)] + numbers)
    }

    /// Records that the transaction that wrote `new` is committed.
    private func committed(_ new: Meta) {
        meta = new
        epochNumbers = [:]
        for (number, name) in epochNames { epochNumbers[name] = number }
    }

    /// The `epoch` row of a name, which is made if there is none. Rows are never deleted, since epochs are rare.
    private func number(ofEpoch name: String) throws(DiskError) -> Int64 {
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
    private func number(ofKnownEpoch name: String) -> Int64? { epochNames.first { $0.value == name }?.key }

    /// The name of an epoch in the file; empty for an unknown number.
    package func name(ofEpoch number: Int64) -> String { epochNames[number] ?? "" }

    // MARK: Texts

    /// Runs `body` as one transaction; see `Database`.
    private func transaction(_ body: () throws(DiskError) -> Void) throws(DiskError) {
        let before = model
        do {
            try database.transaction(body)
        } catch {
            model = before
            throw error
        }
    }

    /// Writes `text` with the model. A text that is unlike every sample becomes a sample itself.
    private func coded(_ text: [UInt8], isMessage: Bool) throws(DiskError) -> [UInt8] {
        let coded = model.encode(text)
        let isSample = isMessage ? model.lacksMessage(text, coded: coded) : model.lacks(text, coded: coded)
        guard isSample else { return coded }
        let sample = model.sample(of: text)
        try database.run("INSERT INTO sample (text) VALUES (?1)", .blob(sample))
        model.add(sample)
        return model.encode(text)
    }
}

// MARK: - The transaction that brings the file to the state of the outbox

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
            next.deleted(try delete(next.acknowledged))
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

// MARK: - Events. Positions are those of this process

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
            try row(
                QueuedMessage(
                    position: origin.position(inFile: statement.integer(0)),
                    message: try Self.message(statement, epochNames, model)))
        }
    }

    /// Returns the message of a row with its position, epoch, series, number and content.
    static func message(
        _ row: Statement, _ epochNames: [Int64: String], _ model: TextModel
    ) throws(DiskError) -> NumberedMessage {
        guard let (topic, payload) = EventText.read(row.bytes(4), model) else { throw damage("read an event") }
        return NumberedMessage(try number(row, epochNames), topic: topic, payload: payload)
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
                    position: origin.position(inFile: row.integer(0)), number: try Self.number(row, epochNames),
                    size: row.integer(4) + EventRow.overhead))
            return true
        }
        return entries
    }

    /// A row's epoch, series and number, in the columns before its content. Throws damage for values that the agent
    /// never writes.
    private static func number(_ row: Statement, _ epochNames: [Int64: String]) throws(DiskError) -> MessageNumber {
        guard numbers.contains(row.integer(0)), let series = NumberSeries(rawValue: row.integer(2)),
            numbers.contains(row.integer(3))
        else { throw damage("read an event") }
        return MessageNumber(epoch: epochNames[row.integer(1)] ?? "", series: series, seq: row.integer(3))
    }

    /// The row that a message will take, to be inserted in the same transaction.
    private func row(_ queued: QueuedMessage) throws(DiskError) -> EventRow {
        EventRow(queued: queued, content: try coded(EventText.write(queued.message), isMessage: true))
    }

    private func insert(_ row: EventRow) throws(DiskError) {
        let number = row.queued.number
        let epoch = try self.number(ofEpoch: number.epoch)
        try database.run(
            "INSERT INTO event (position, epoch, seq, content, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
            .integer(origin.numberInFile(row.queued.position)), .integer(epoch), .integer(number.seq),
            .blob(row.content), .integer(number.series.rawValue))
    }

    package func count() throws(DiskError) -> Int64 { try database.integer("SELECT count(*) FROM event") }

    /// The number of messages that `max_events` does not count.
    private func countUncounted() throws(DiskError) -> Int64 {
        try database.integer("SELECT count(*) FROM event WHERE \(Schema.isUncounted)")
    }

    /// Deletes the events in `positions`, and returns their number.
    private func delete(_ positions: Range<Position>) throws(DiskError) -> Int64 {
        try database.run(
            "DELETE FROM event WHERE position >= ?1 AND position < ?2",
            .integer(origin.numberInFile(positions.lowerBound)), .integer(origin.numberInFile(positions.upperBound)))
        return database.changes
    }

    @discardableResult
    func delete(_ positions: RangeSet<Position>) throws(DiskError) -> Int64 {
        var count: Int64 = 0
        for range in positions.ranges { count += try delete(range) }
        return count
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
    private func giveBackFreePages() throws(DiskError) {
        let free = try database.integer("PRAGMA freelist_count")
        if free > 4_096, try free > database.integer("PRAGMA page_count") / 4 * 3 {
            try database.execute("PRAGMA incremental_vacuum(512)")
        }
    }
}

// MARK: - Region states, small values and gaps

extension EventStore {
    /// The two tables of keys and values.
    enum Table: String {
        case record, value
    }

    /// Stores `value` under `key`; `nil` removes the key.
    private func put(_ value: [UInt8]?, forKey key: String, in table: Table) throws(DiskError) {
        guard let value else {
            return try database.run("DELETE FROM \(table.rawValue) WHERE key = ?1", .text(key))
        }
        let stored = table == .record ? try coded(value, isMessage: false) : value
        try database.run("INSERT OR REPLACE INTO \(table.rawValue) VALUES (?1, ?2)", .text(key), .blob(stored))
    }

    /// Every key and value of `table`, by key.
    func contents(of table: Table) throws(DiskError) -> [OutboxRecord] {
        var records: [OutboxRecord] = []
        try Self.read(table, into: &records, model, from: database)
        return records
    }

    static func read(
        _ table: Table, into records: inout [OutboxRecord], _ model: TextModel, from database: Database
    ) throws(DiskError) {
        try database.query("SELECT key, value FROM \(table.rawValue) ORDER BY key") {
            (row: Statement) throws(DiskError) in
            guard let value = table == .record ? model.decode(row.bytes(1)) : row.bytes(1) else {
                throw damage("read a record")
            }
            records.append(OutboxRecord(key: row.text(0), value: value))
            return true
        }
    }

    package func value(forKey key: String) throws(DiskError) -> [UInt8]? {
        var value: [UInt8]?
        try database.query("SELECT value FROM value WHERE key = ?1", .text(key)) { row in
            value = row.bytes(0)
            return false
        }
        return value
    }

    func gaps() throws(DiskError) -> [OutboxGap] {
        var gaps: [OutboxGap] = []
        try Self.readGaps(into: &gaps, from: database)
        return gaps
    }

    static func readGaps(into gaps: inout [OutboxGap], from database: Database) throws(DiskError) {
        try database.query("SELECT epoch, from_seq, to_seq, cause, kind FROM gap ORDER BY id") { row in
            guard let series = NumberSeries(rawValue: row.integer(4)), numbers.contains(row.integer(1)),
                (row.integer(1)...numbers.upperBound).contains(row.integer(2))
            else { return true }
            gaps.append(
                OutboxGap(
                    epoch: row.text(0), series: series, fromSeq: row.integer(1), toSeq: row.integer(2),
                    cause: OutboxGap.Cause(rawValue: row.text(3)) ?? .disk))
            return true
        }
    }

    /// Replaces the stored gaps. Gaps are few and rare.
    private func write(_ gaps: [OutboxGap]) throws(DiskError) {
        try database.execute("DELETE FROM gap")
        for gap in gaps {
            try database.run(
                "INSERT INTO gap (epoch, from_seq, to_seq, cause, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
                .text(gap.epoch), .integer(gap.fromSeq), .integer(gap.toSeq), .text(gap.cause.rawValue),
                .integer(gap.series.rawValue))
        }
    }
}

// MARK: - The owner of the content

extension EventStore {
    /// Reads the file's owners. The epochs are read only where the values name another owner.
    func inheritance(_ meta: Meta, for owner: String?) throws(DiskError) -> Inheritance {
        var inheritance = Inheritance(values: try contents(of: .value))
        let named = inheritance.values.filter { EpochOwners.isTheirs($0.key) }
        guard let owner, named.map(\.key) != [EpochOwners.key] || named.map(\.value) != [Array(owner.utf8)] else {
            return inheritance
        }
        inheritance.epochs = Set(try gaps().map(\.epoch) + [meta.numbering.epoch])
        try database.query("SELECT DISTINCT epoch FROM event") { row in
            inheritance.epochs.insert(name(ofEpoch: row.integer(0)))
            return true
        }
        return inheritance
    }

    /// The file's position of the last event of these epochs; `nil` where there is none.
    func last(of owners: EpochOwners) throws(DiskError) -> Int64? {
        var last: Int64?
        for epoch in owners.epochs.sorted() {
            guard let number = number(ofKnownEpoch: epoch) else { continue }
            try database.query("SELECT max(position) FROM event WHERE epoch = ?1", .integer(number)) { row in
                if Self.numbers.contains(row.integer(0)) { last = max(last ?? 0, row.integer(0)) }
                return false
            }
        }
        return last
    }

    /// Replaces the names of the file's owner and former owners.
    private func write(_ owners: EpochOwners, owner: String) throws(DiskError) {
        for value in try contents(of: .value) where EpochOwners.isTheirs(value.key) {
            try put(nil, forKey: value.key, in: .value)
        }
        for value in owners.values + [OutboxRecord(key: EpochOwners.key, value: Array(owner.utf8))] {
            try put(value.value, forKey: value.key, in: .value)
        }
    }
}

/// A message as it stands in the file: its text, compressed by the model.
private struct EventRow {
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
