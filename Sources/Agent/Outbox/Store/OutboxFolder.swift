/// The state folder: who may use it, the files in it, and 64 bytes for the reservation of numbers.
protocol OutboxFolder: AnyObject {
    var path: String { get }

    /// Makes the folder where only its last level is missing, and takes its lock. One that is held is taken anew where it
    /// does not stand there any more, or where its disk has failed for good: it may have been mounted again since.
    func hold() throws(DiskError)

    /// Lets another process have the folder.
    func release()

    /// What can be seen to have caused a failure; `nil` where nothing can.
    func obstacle(to error: DiskError) -> StateObstacle?

    /// The bytes that were reserved last, as far as they can be read.
    func reservedBytes() throws(DiskError) -> [UInt8]

    /// Writes the bytes in place and waits until the disk has them; `false` where the disk refuses.
    func reserve(_ bytes: [UInt8]) -> Bool

    /// Makes the database's file where there is none, for its owner alone: it holds keys. SQLite would let everyone read it. It would
    /// delete a log without a database too: the log of one that was set aside follows it first.
    func makeDatabasePrivate() throws(DiskError)

    /// Returns the error of reading the database and its log to the end; `nil` where both can be read, or where there is none.
    func readFailure() -> DiskError?

    /// Sets a damaged database aside as `outbox.sqlite.replaced`, with its log beside it so that both can be read together. A process
    /// that is killed meanwhile leaves the database set aside and its log in place: `makeDatabasePrivate` moves the log too.
    func setDamagedFileAside() throws(DiskError)

    /// A damaged database was set aside and is not tidied yet.
    var hasReplacedFile: Bool { get }

    /// Keeps the database that was set aside as `outbox.sqlite.corrupt`, in place of an earlier one and without its log. Keeps none where it
    /// is larger than `limit` bytes.
    func tidyDamagedFile(limit: Int64)

    /// Makes the names of new files durable. Until then a power cut takes the files away, whatever was synced in them.
    func synchronise() throws(DiskError)

    /// The files that stand under the names of the database and its log.
    var databaseIdentity: FileIdentity { get }
    var logIdentity: FileIdentity { get }

    /// Whether the lock that is held is the one that another process would find.
    var isLockInPlace: Bool { get }

    /// What this process may still write on the file system of the folder; `nil` where that is not known.
    var freeBytes: Int64? { get }

    /// Has `write` make a database beside the present one, and makes it durable.
    func makeReplacement(_ write: (String) throws(DiskError) -> Void) throws(DiskError)

    /// Gives the replacement the database's name. No log may stand beside it, since it would be taken for its own.
    func putReplacementInPlace() throws(DiskError)
}

/// In a folder that nobody else gets at, every file stays in its place.
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
    /// The damaged database, until what could be read from it is committed in the new one.
    var replacedPath: String { databasePath + ".replaced" }
    /// The damaged database afterwards.
    var damagedPath: String { databasePath + ".corrupt" }

    func reservation() throws(DiskError) -> Reservation? { Reservation(bytes: try reservedBytes()) }

    /// Makes a reservation durable; `false` where the disk refuses.
    func reserve(_ reservation: Reservation) -> Bool { reservation.bytes.map(reserve) ?? false }
}
