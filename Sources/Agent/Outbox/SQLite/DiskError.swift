import CSQLite
import Glibc

/// The reason why the state folder, or the file in it, could not be used.
package struct DiskError: Error, Hashable {
    enum Source: Hashable {
        /// `code` is SQLite's extended result code, such as `SQLITE_IOERR_FSYNC` (1034).
        case sqlite
        /// `code` is the system's `errno`.
        case system
        /// Another process holds the folder; `code` is the system's `errno`.
        case inUse
        /// The file's layout is of an earlier or a later version; `code` is its number.
        case otherFormat
    }

    var source: Source
    var code: Int32
    /// The system's `errno` behind the error; 0 where there is none.
    var systemError: Int32
    /// The operation that failed, in words or as the SQL text.
    var operation: String
    /// The `max_mib` that is needed, where the file has reached its own limit though the disk is not full.
    var neededMiB: Int?

    /// True if the file's content is damaged, or never was an outbox: no retry on the same file can succeed.
    var isDamage: Bool { source == .sqlite && (code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB) }

    /// The error as damage, for our statements on our tables. There an SQL error means that the file no longer holds
    /// the tables as the agent wrote them.
    var ofSchema: DiskError {
        guard source == .sqlite, code == SQLITE_ERROR else { return self }
        var error = self
        error.code = SQLITE_CORRUPT
        return error
    }

    /// True if only writing was refused, and reading still works.
    var leavesFileReadable: Bool { source == .sqlite && (code & 0xFF == SQLITE_FULL || code & 0xFF == SQLITE_READONLY) }

    /// True if SQLite reports that the file can't grow. It does not tell whether the disk or `max_page_count` forbids
    /// that.
    var isFull: Bool {
        source == .sqlite && code & 0xFF == SQLITE_FULL && systemError != ENOSPC && systemError != EDQUOT
    }

    static func system(_ code: Int32, during operation: String) -> DiskError {
        DiskError(source: .system, code: code, systemError: code, operation: operation)
    }

    /// The file at `path` cannot be written, because of its file system or its owner.
    static func readOnly(_ path: String) -> DiskError {
        let systemError = access(path, W_OK) == 0 ? 0 : errno
        return DiskError(
            source: .sqlite, code: SQLITE_READONLY, systemError: systemError, operation: "open outbox.sqlite")
    }

    var cause: OutboxCondition.Cause {
        switch source {
        case .inUse: return .inUse
        case .otherFormat: return .otherFormat
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
        // An SQL text may have several lines; the condition has one.
        let operation = error.operation.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        self.init(
            cause: obstacle == nil ? error.cause : .cannotOpen, code: error.code,
            operation: String(operation.prefix(60)), directory: directory,
            neededMiB: error.neededMiB, obstacle: obstacle)
    }
}
