import CSQLite
import Core

/// The layout of `outbox.sqlite` and how it is opened.
enum Schema {
    /// The number of this layout, which each change of a table or of a stored line raises. A file with another number
    /// is refused.
    static let version: Int64 = 8
    /// Small pages, because an event that is committed alone writes one for itself, one for its record and one for
    /// `meta`.
    static let pageBytes: Int64 = 1_024

    /// The condition for a row of `event` whose series is not counted. The index serves only queries with the same
    /// words.
    static let isUncounted = "kind > 0"

    /// The tables. `event.epoch` and `meta.epoch` refer to `epoch.id`, `event.kind` and `gap.kind` are `NumberSeries`.
    /// `meta` is one row, with `numberColumns`. The samples, in order of `id`, are the `TextModel` that `event.content`
    /// (topic, NUL, payload) and `record.value` are written with.
    ///
    /// Uncounted messages are few among a million events, so an index of them alone costs the events nothing.
    static let tables = """
        CREATE TABLE epoch (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, next_position INTEGER NOT NULL,
            created_us INTEGER NOT NULL, \(columnNames.map { "\($0) INTEGER NOT NULL" }.joined(separator: ", ")));
        CREATE TABLE sample (id INTEGER PRIMARY KEY, text BLOB NOT NULL);
        CREATE TABLE event (position INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            content BLOB NOT NULL, kind INTEGER NOT NULL);
        CREATE INDEX uncounted ON event (position) WHERE \(isUncounted);
        CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE value (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE gap (id INTEGER PRIMARY KEY, epoch TEXT NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL,
            cause TEXT NOT NULL, kind INTEGER NOT NULL);
        PRAGMA user_version = \(version);
        """

    /// A column of `meta` that is a series' own.
    enum NumberColumn {
        case next
        case settled
    }

    /// Those columns, in the order in which they are read and written.
    static let numberColumns: [(series: NumberSeries, column: NumberColumn)] = NumberSeries.allCases.flatMap {
        [($0, .next)] + ($0.needsDisk ? [] : [($0, .settled)])
    }

    private static let columnNames = numberColumns.map { series, column in
        column == .next ? series.nextColumn : series.settledColumn
    }

    /// `epoch`, `next_position` and then `numberColumns`.
    static let readMeta = "SELECT epoch, next_position, \(columnNames.joined(separator: ", ")) FROM meta"

    /// `epoch`, `next_position`, `created_us` and then `numberColumns`. `created_us` takes effect only where there was
    /// no row.
    static let writeMeta = """
        INSERT INTO meta (id, epoch, next_position, created_us, \(columnNames.joined(separator: ", ")))
        VALUES (1, ?1, ?2, ?3, \(columnNames.indices.map { "?\($0 + 4)" }.joined(separator: ", ")))
        ON CONFLICT (id) DO UPDATE SET epoch = ?1, next_position = ?2, \(
            columnNames.enumerated().map { "\($1) = ?\($0 + 4)" }.joined(separator: ", "))
        """

    /// Exclusive locking keeps the log's index in this process's memory: no shared memory file that a full disk could
    /// turn into a bus error. Checkpoints are the outbox's own, so that it can count and report them. Deleted rows need
    /// no overwriting with zeros; that only wears the disk.
    static func prepare(_ database: Database, limits: OutboxLimits) throws(DiskError) {
        try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        try database.execute("PRAGMA busy_timeout = 1000")
        try database.execute("PRAGMA page_size = \(pageBytes)")
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        var journal = ""
        try database.query("PRAGMA journal_mode = WAL") { row in
            journal = row.text(0)
            return false
        }
        guard journal == "wal" else {
            throw DiskError(
                source: .sqlite, code: SQLITE_CANTOPEN, systemError: 0, operation: "begin the write-ahead log")
        }
        try database.execute("PRAGMA synchronous = FULL")
        // A secret that is replaced is overwritten, in pages that are written anyway.
        try database.execute("PRAGMA secure_delete = FAST")
        try database.execute("PRAGMA wal_autocheckpoint = 0")
        try database.execute("PRAGMA journal_size_limit = \(limits.logBytes)")
        try database.execute("PRAGMA cache_size = -1000")
        try database.execute("PRAGMA temp_store = MEMORY")
        // What makes room comes first and is exact to a page or two; this is the last line of defence.
        try database.execute("PRAGMA max_page_count = \((limits.fileBytes + limits.logBytes) / pageBytes + 64)")
    }
}

/// The place of a series in the file, which follows from the names of its fields.
extension NumberSeries {
    /// The field with a message's number: `seq`, `span` …
    private var field: Substring { gapKeys.from.description.dropFirst("from_".count) }

    var nextColumn: String { "next_\(field)" }

    /// The column of `meta` with the end of the last reservation that is dealt with, see `Reservation`.
    var settledColumn: String { "settled_\(field)" }

    /// True for a series that is numbered on a working disk only: its numbers are not reserved, so a restart would
    /// repeat those that were given in memory.
    var needsDisk: Bool { self == .spans }
}
