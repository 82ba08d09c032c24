import CSQLite
import Core

/// The layout of `outbox.sqlite` and how it is opened.
package enum Schema {
    /// The latest of `versions`.
    static let version: Int64 = versions.map(\.version).max() ?? 0
    /// The version that every file is brought up to as it is opened. A later step comes with the first message that needs it, so that
    /// an earlier agent can read the file of a gateway that had no such message.
    static let openedVersion: Int64 = 3
    /// Small pages, because an event that is committed alone writes one for itself, one for its record and one for `meta`.
    static let pageBytes: Int64 = 1_024

    /// The statements that lead to each version.
    ///
    /// `event.epoch` and `meta.epoch` refer to `epoch.id`, `event.kind` and `gap.kind` are `NumberSeries`. `meta` is one row; its columns
    /// for each series are named by `nextColumn` and `settledColumn`. The samples, in order of `id`, are the `TextModel` that
    /// `event.content` (topic, NUL, payload) and `record.value` are written with.
    static let versions: [(version: Int64, tables: String)] =
        [(1, events), (2, kinds), (3, batches)]
        + NumberSeries.allCases.filter { $0.version > 3 }.map { ($0.version, columns(of: $0)) }

    private static let events = """
        CREATE TABLE epoch (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, next_seq INTEGER NOT NULL,
            next_position INTEGER NOT NULL, settled INTEGER NOT NULL, created_us INTEGER NOT NULL);
        CREATE TABLE sample (id INTEGER PRIMARY KEY, text BLOB NOT NULL);
        CREATE TABLE event (position INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            content BLOB NOT NULL);
        CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE value (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE gap (id INTEGER PRIMARY KEY, epoch TEXT NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER NOT NULL,
            cause TEXT NOT NULL);
        PRAGMA user_version = 1;
        """

    /// Spans of coverage are few among a million events: an index of them alone costs the events nothing.
    private static let kinds = """
        ALTER TABLE event ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE gap ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE meta ADD COLUMN next_span INTEGER NOT NULL DEFAULT 1;
        CREATE INDEX span ON event (position) WHERE kind = 1;
        PRAGMA user_version = 2;
        """

    /// Uncounted messages are few among a million events, so an index of them alone costs the events nothing. The index replaces that of the
    /// spans.
    private static let batches = """
        ALTER TABLE meta ADD COLUMN next_batch INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE meta ADD COLUMN settled_batch INTEGER NOT NULL DEFAULT 0;
        DROP INDEX span;
        CREATE INDEX uncounted ON event (position) WHERE \(isUncounted);
        PRAGMA user_version = 3;
        """

    /// The step to the version that is the first to have this series.
    private static func columns(of series: NumberSeries) -> String {
        let settled = series.settledColumn.map { "ALTER TABLE meta ADD COLUMN \($0) INTEGER NOT NULL DEFAULT 0;" }
        return """
            ALTER TABLE meta ADD COLUMN \(series.nextColumn) INTEGER NOT NULL DEFAULT 1;
            \(settled ?? "")
            PRAGMA user_version = \(series.version);
            """
    }

    /// The condition for a row of `event` whose series is not counted. The index serves only queries with the same words.
    static let isUncounted = "kind > 0"

    /// A column of `meta` that is a series' own.
    enum NumberColumn {
        case next
        case settled
    }

    /// Those columns of a file of that version, in the order in which they are read and written.
    static func numberColumns(_ version: Int64) -> [(series: NumberSeries, column: NumberColumn)] {
        NumberSeries.allCases.filter { $0.version <= version }.flatMap { series in
            [(series, .next)] + (series.settledColumn == nil ? [] : [(series, .settled)])
        }
    }

    private static func numberColumnNames(_ version: Int64) -> [String] {
        numberColumns(version).map { series, column in
            column == .next ? series.nextColumn : series.settledColumn ?? ""
        }
    }

    /// `epoch`, `next_position` and then `numberColumns`.
    static func readMeta(_ version: Int64) -> String {
        "SELECT epoch, next_position, \(numberColumnNames(version).joined(separator: ", ")) FROM meta"
    }

    /// `epoch`, `next_position`, `created_us` and then `numberColumns`. `created_us` takes effect only where there was no row.
    static func writeMeta(_ version: Int64) -> String {
        let names = numberColumnNames(version)
        return """
            INSERT INTO meta (id, epoch, next_position, created_us, \(names.joined(separator: ", ")))
            VALUES (1, ?1, ?2, ?3, \(names.indices.map { "?\($0 + 4)" }.joined(separator: ", ")))
            ON CONFLICT (id) DO UPDATE SET epoch = ?1, next_position = ?2, \(
                names.enumerated().map { "\($1) = ?\($0 + 4)" }.joined(separator: ", "))
            """
    }

    /// Brings a file up from one version to another.
    static func step(_ database: Database, from version: Int64, to target: Int64) throws(DiskError) {
        for step in versions where step.version > version && step.version <= target {
            try database.execute(step.tables)
        }
    }

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

/// The place of a series in the file, which follows from its number and from the names of its fields.
extension NumberSeries {
    /// The version of the file that is the first to have it.
    var version: Int64 { rawValue + 1 }

    /// The field with a message's number: `seq`, `span` …
    private var field: Substring { gapKeys.from.description.dropFirst("from_".count) }

    /// The column of `meta` with the next number.
    var nextColumn: String { "next_\(field)" }

    /// The column of `meta` with the end of the last reservation that is dealt with, see `Reservation`; `nil` where numbers are not
    /// reserved.
    var settledColumn: String? {
        switch self {
        case .events: "settled"
        case .spans: nil
        default: "settled_\(field)"
        }
    }

    /// Numbers are given on a working disk only: they are not reserved, so a restart would give those again that were given in memory.
    var needsDisk: Bool { settledColumn == nil }
}
