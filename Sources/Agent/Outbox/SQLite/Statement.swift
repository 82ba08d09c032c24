import CSQLite

enum SQLValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// A prepared SQL statement, finalised with its last reference.
final class Statement {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let sql: String

    /// Tells SQLite to copy what is bound before the call returns.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ sql: String, database: OpaquePointer) throws(DiskError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else {
            throw DiskError.current(of: database, code: code, during: sql)
        }
        handle = prepared
        self.database = database
        self.sql = sql
    }

    deinit {
        // The code repeats the error of the last step, which was reported then.
        _ = sqlite3_finalize(handle)
    }

    /// Binds the parameters, from the first on.
    func bind(_ values: [SQLValue]) throws(DiskError) {
        for (index, value) in zip(Int32(1)..., values) {
            switch value {
            case .integer(let integer): try check(sqlite3_bind_int64(handle, index, integer))
            case .text(let text): try check(sqlite3_bind_text(handle, index, text, -1, Self.copied))
            case .blob(let bytes): try check(bind(bytes, at: index))
            }
        }
    }

    private func bind(_ bytes: [UInt8], at index: Int32) -> Int32 {
        // A null address would bind NULL, which is not an empty value.
        if bytes.isEmpty { return sqlite3_bind_zeroblob(handle, index, 0) }
        return bytes.withUnsafeBytes {
            sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), Self.copied)
        }
    }

    /// Steps once; `true` where there is a row to read.
    func step() throws(DiskError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw DiskError.current(of: database, code: code, during: sql)
        }
    }

    /// Prepares the statement for its next use. The code repeats the error of the last step, which was reported then.
    func reset() {
        _ = sqlite3_reset(handle)
        _ = sqlite3_clear_bindings(handle)
    }

    /// The column at `index`, counted from 0; 0 where it holds no number.
    func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

    func text(_ index: Int32) -> String { String(decoding: bytes(index), as: UTF8.self) }

    func bytes(_ index: Int32) -> [UInt8] {
        guard let base = sqlite3_column_blob(handle, index) else { return [] }
        return Array(UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, index))))
    }

    private func check(_ code: Int32) throws(DiskError) {
        guard code == SQLITE_OK else { throw DiskError.current(of: database, code: code, during: sql) }
    }
}

extension DiskError {
    /// The error that the connection `database` remembers.
    static func current(of database: OpaquePointer?, code: Int32, during operation: String) -> DiskError {
        // The remembered code is extended. It is used only where it belongs to the present failure.
        let extended = database.map { sqlite3_extended_errcode($0) } ?? code
        return DiskError(
            source: .sqlite,
            code: extended & 0xFF == code & 0xFF ? extended : code,
            systemError: database.map { sqlite3_system_errno($0) } ?? 0,
            operation: operation)
    }
}
