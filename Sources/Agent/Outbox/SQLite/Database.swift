import CSQLite
import Glibc

/// One connection to an SQLite file. It checks every return code; it prepares statements once and keeps them.
final class Database {
    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// Opens the file at `path`, or makes it. `vfs` names SQLite's file layer; `nil` is the system's.
    convenience init(path: String, vfs: String? = nil) throws(DiskError) {
        try self.init(path: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: vfs)
    }

    /// Opens a file for reading only. No other process may write it meanwhile: it is not locked.
    ///
    /// SQLite needs a lock or shared memory to read a write-ahead log, and creates files even where there is no log. A
    /// read-only file system permits neither. So a log is read without locks, and a file without a log is declared
    /// immutable.
    convenience init(readOnlyPath path: String) throws(DiskError) {
        var information = stat()
        if stat(path + "-wal", &information) == 0, information.st_size > 0 {
            try self.init(path: path, flags: SQLITE_OPEN_READWRITE, vfs: "unix-none")
        } else {
            try self.init(
                path: "file:\(Self.escaped(path))?immutable=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs: nil)
        }
    }

    /// Escapes `path` for a URI: every octet that may mean something there is written in hexadecimal.
    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return path.utf8.map { octet in
            let isPlain = octet > 0x20 && octet < 0x7F && !"%?#".utf8.contains(octet)
            return isPlain
                ? String(UnicodeScalar(octet)) : "%\(digits[Int(octet >> 4)])\(digits[Int(octet & 15)])"
        }.joined()
    }

    private init(path: String, flags: Int32, vfs: String?) throws(DiskError) {
        var opened: OpaquePointer?
        let flags = flags | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, vfs)
        guard code == SQLITE_OK, let opened else {
            let error = DiskError.current(of: opened, code: code, during: "open \(path)")
            _ = sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit {
        statements = [:]
        // Closing cannot fail once every statement is finalised.
        _ = sqlite3_close_v2(handle)
    }

    /// True if SQLite could open the file for reading only.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs `sql`, which has no parameters and whose rows are ignored.
    func execute(_ sql: String) throws(DiskError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw DiskError.current(of: handle, code: code, during: sql) }
    }

    /// Runs `sql` once with `values` as its parameters.
    func run(_ sql: String, _ values: SQLValue...) throws(DiskError) { try run(sql, values) }

    func run(_ sql: String, _ values: [SQLValue]) throws(DiskError) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Runs `sql` with `values` as its parameters and passes each row to `row`, which returns whether it wants another.
    func query(
        _ sql: String, _ values: SQLValue..., row: (Statement) throws(DiskError) -> Bool
    ) throws(DiskError) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {
            guard try row(statement) else { return }
        }
    }

    /// The first column of the first row as a number; 0 where there is none.
    func integer(_ sql: String) throws(DiskError) -> Int64 {
        var result: Int64 = 0
        try query(sql) { row in
            result = row.integer(0)
            return false
        }
        return result
    }

    /// Rows that the last statement inserted, changed or deleted.
    var changes: Int64 { sqlite3_changes64(handle) }

    /// Runs `body` as one transaction. All of it is on the disk when this returns, none of it if this throws.
    ///
    /// After an error of the disk at the very end, the file may still hold the transaction once it is opened anew. The
    /// outbox is written so that this does no harm.
    func transaction(_ body: () throws(DiskError) -> Void) throws(DiskError) {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
            try execute("COMMIT")
        } catch {
            // SQLite may already have rolled back by itself.
            if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// Sets whether a transaction is synced before it returns. Otherwise it is only in the log, and the next such
    /// transaction or checkpoint syncs it. Either way it survives a crash of the process.
    func setSynchronous(_ isDurable: Bool) throws(DiskError) {
        try execute("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
    }

    /// Pages written to the write-ahead log since the last call.
    func takePagesWritten() -> Int64 {
        var current: Int32 = 0
        var highest: Int32 = 0
        let code = sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 1)
        return code == SQLITE_OK ? Int64(current) : 0
    }

    /// Sets whether deleted content is overwritten with zeros everywhere, or only in pages that are written anyway.
    func setSecureDelete(_ isEverywhere: Bool) throws(DiskError) {
        try execute("PRAGMA secure_delete = \(isEverywhere ? "ON" : "FAST")")
    }

    /// Copies the write-ahead log into the database, and lets the next commit start the log anew. Returns the number of
    /// pages copied.
    ///
    /// - Parameter truncatesLog: whether the log's file is emptied.
    func checkpoint(truncatesLog: Bool) throws(DiskError) -> Int64 {
        var inLog: Int32 = 0
        var copied: Int32 = 0
        let mode = truncatesLog ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &inLog, &copied)
        guard code == SQLITE_OK else { throw DiskError.current(of: handle, code: code, during: "checkpoint") }
        return Int64(max(copied, 0))
    }

    /// Writes all committed content into a new database at `path`, where there is no file or an empty one. The copy is
    /// not synced.
    func copy(to path: String) throws(DiskError) { try run("VACUUM INTO ?1", .text(path)) }

    /// Leaves the file as it is when the connection closes; for a file of another format.
    func leaveUntouchedOnClose() throws(DiskError) {
        let code = beacond_sqlite3_no_checkpoint_on_close(handle)
        guard code == SQLITE_OK else { throw DiskError.current(of: handle, code: code, during: "configure") }
    }

    private func prepared(_ sql: String) throws(DiskError) -> Statement {
        if let statement = statements[sql] { return statement }
        do throws(DiskError) {
            let statement = try Statement(sql, database: handle)
            statements[sql] = statement
            return statement
        } catch {
            throw error.ofSchema
        }
    }
}
