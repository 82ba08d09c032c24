import Core

/// Looks now and then whether the files in the state folder are still those that are open.
struct FileWatch {
    package enum Finding {
        /// Another file stands where the database was, or none.
        case databaseReplaced
        case logReplaced
        case lockReplaced
    }

    /// From one look at the folder to the next.
    package static let interval = TimeSpan.seconds(5)

    /// The files that are open, by their names.
    private var database = FileIdentity.unknown
    private var log = FileIdentity.unknown
    private var due = Instant.origin

    /// Takes down which files are open.
    mutating func note(_ folder: any OutboxFolder) {
        database = folder.databaseIdentity
        log = folder.logIdentity
    }

    /// - Returns: `nil` where all are in their places, or it is too early to look again.
    mutating func look(at now: Instant, in folder: any OutboxFolder) -> Finding? {
        guard now >= due else { return nil }
        due = now + Self.interval
        if database.isReplaced(by: folder.databaseIdentity) { return .databaseReplaced }
        if log.isReplaced(by: folder.logIdentity) { return .logReplaced }
        return folder.isLockInPlace ? nil : .lockReplaced
    }
}
