import CSQLite
import Glibc

/// Why the state folder or the file in it could not be used.
package struct DiskError: Error, Hashable {
    package enum Source: Hashable {
        /// `code` is SQLite's extended result code, such as `SQLITE_IOERR_FSYNC` (1034).
        case sqlite
        /// `code` is the system's `errno`.
        case system
        /// Another process holds the folder; `code` is the system's `errno`.
        case inUse
        /// The file's layout is newer than this program; `code` is its version.
        case newerVersion
    }

    var source: Source
    var code: Int32
    /// The system's `errno` behind it, 0 where there is none.
    var systemError: Int32
    /// What was being done, in words or as the SQL text.
    var operation: String
    /// `max_mib` as it would have to be, where not the disk is full but the file has reached its own limit.
    var neededMiB: Int?

    /// The file's content is damaged, or it never was one of ours: no later attempt on the same file can succeed.
    var isDamage: Bool {
        source == .sqlite && (code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB)
    }

    /// The same as damage, where the statements are ours and fit the tables that we make: an SQL error then means that the text of those
    /// tables in the file is no longer what was written.
    var ofSchema: DiskError {
        guard source == .sqlite, code == SQLITE_ERROR else { return self }
        var error = self
        error.code = SQLITE_CORRUPT
        return error
    }

    /// Reading still works: only writing was refused.
    var leavesFileReadable: Bool {
        source == .sqlite && (code & 0xFF == SQLITE_FULL || code & 0xFF == SQLITE_READONLY)
    }

    /// SQLite's word for a file that can't grow, which does not say whether the disk or `max_page_count` forbids it.
    var isFull: Bool {
        source == .sqlite && code & 0xFF == SQLITE_FULL && systemError != ENOSPC && systemError != EDQUOT
    }

    static func system(_ code: Int32, during operation: String) -> DiskError {
        DiskError(source: .system, code: code, systemError: code, operation: operation)
    }

    /// The file at `path` cannot be written, because of its file system or of whom it belongs to.
    static func readOnly(_ path: String) -> DiskError {
        let systemError = access(path, W_OK) == 0 ? 0 : errno
        return DiskError(
            source: .sqlite, code: SQLITE_READONLY, systemError: systemError, operation: "open outbox.sqlite")
    }

    /// What it means to the operator.
    var cause: OutboxCondition.Cause {
        switch source {
        case .inUse: return .inUse
        case .newerVersion: return .newerVersion
        case .system, .sqlite: break
        }
        if neededMiB != nil { return .limitReached }
        switch systemError {
        case ENOSPC, EDQUOT: return .diskFull
        case EROFS: return .readOnly
        case EACCES, EPERM: return .notPermitted
        default: break
        }
        guard source == .sqlite else { return systemError == EIO ? .inputOutput : .cannotOpen }
        switch code & 0xFF {
        case SQLITE_FULL: return .diskFull
        case SQLITE_READONLY: return .readOnly
        case SQLITE_IOERR: return .inputOutput
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged
        case SQLITE_CANTOPEN: return .cannotOpen
        case SQLITE_BUSY, SQLITE_LOCKED: return .inUse
        case SQLITE_PERM, SQLITE_AUTH: return .notPermitted
        default: return .other
        }
    }
}

extension OutboxCondition {
    init(_ error: DiskError, directory: String, obstacle: StateObstacle?) {
        // An SQL text may run over several lines; the condition is one.
        let operation = error.operation.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        self.init(
            cause: obstacle == nil ? error.cause : .cannotOpen, code: error.code,
            operation: String(operation.prefix(60)), directory: directory,
            neededMiB: error.neededMiB, obstacle: obstacle)
    }
}
