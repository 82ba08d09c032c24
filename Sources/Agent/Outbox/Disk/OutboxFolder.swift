/// The state folder: its lock, its files, and 64 bytes for the reservation of numbers.
protocol OutboxFolder: AnyObject {
    var path: String { get }

    /// Makes the folder where only its last level is missing, and takes its lock. It takes a held lock anew where the
    /// lock file is no longer in place, or where its disk has failed for good: the disk may have been mounted again
    /// since.
    func hold() throws(DiskError)

    /// Releases the folder for another process.
    func release()

    /// The visible cause of a failure; `nil` where there is none.
    func obstacle(to error: DiskError) -> StateObstacle?

    /// The bytes that were reserved last, as far as they can be read.
    func reservedBytes() throws(DiskError) -> [UInt8]

    /// Writes the bytes in place and waits until the disk has them; `false` where the disk refuses.
    func reserve(_ bytes: [UInt8]) -> Bool

    /// Makes the database's file where there is none, readable for its owner alone: it holds keys. SQLite would make it
    /// readable for everyone. SQLite would also delete a log without a database, so the log of a database that was set
    /// aside is moved first.
    func makeDatabasePrivate() throws(DiskError)

    /// The error of reading the database and its log to the end; `nil` where both can be read, or where there is none.
    func readFailure() -> DiskError?

    /// Sets a damaged database aside as `outbox.sqlite.replaced`, with its log beside it so that both can be read
    /// together. A process that is killed meanwhile leaves the log in place; `makeDatabasePrivate` then moves it.
    func setDamagedFileAside() throws(DiskError)

    /// True if a damaged database was set aside and is not tidied yet.
    var hasReplacedFile: Bool { get }

    /// Keeps the database that was set aside as `outbox.sqlite.corrupt`, without its log and in place of an earlier
    /// one. Deletes it where it is larger than `limit` bytes.
    func tidyDamagedFile(limit: Int64)

    /// Makes the names of new files durable. Before that, a power cut removes the files even if they were synced.
    func synchronise() throws(DiskError)

    /// The files that stand under the names of the database and its log.
    var databaseIdentity: FileIdentity { get }
    var logIdentity: FileIdentity { get }

    /// True if the lock that is held is the one that another process would find.
    var isLockInPlace: Bool { get }

    /// The bytes that this process may still write on the folder's file system; `nil` where that is not known.
    var freeBytes: Int64? { get }

    /// Makes a database beside the present one, with `write`, and makes it durable.
    func makeReplacement(_ write: (String) throws(DiskError) -> Void) throws(DiskError)

    /// Gives the replacement the database's name. The old log is deleted first, since SQLite would take it for the
    /// replacement's own.
    func putReplacementInPlace() throws(DiskError)
}

/// Where no other process has access to the folder, every file stays in its place.
extension OutboxFolder {
    var databaseIdentity: FileIdentity { .unknown }
    var logIdentity: FileIdentity { .unknown }
    var isLockInPlace: Bool { true }
    var freeBytes: Int64? { nil }
    func obstacle(to error: DiskError) -> StateObstacle? { nil }
    func readFailure() -> DiskError? { nil }
    func makeReplacement(_ write: (String) throws(DiskError) -> Void) throws(DiskError) {}
    func putReplacementInPlace() throws(DiskError) {}
}

extension OutboxFolder {
    var databasePath: String { path + "/outbox.sqlite" }
    var logPath: String { databasePath + "-wal" }
    /// The damaged database, until its readable part is committed in the new one.
    var replacedPath: String { databasePath + ".replaced" }
    /// The damaged database afterwards.
    var damagedPath: String { databasePath + ".corrupt" }

    func reservation() throws(DiskError) -> Reservation? { Reservation(bytes: try reservedBytes()) }

    /// Makes a reservation durable; `false` where the disk refuses.
    func reserve(_ reservation: Reservation) -> Bool { reservation.bytes.map(reserve) ?? false }
}
