/// The state folder: who may use it, the files in it, and 64 bytes for the reservation of numbers.
package protocol OutboxFolder: AnyObject {
    var path: String { get }

    /// Makes the folder where only its last level is missing, and takes its lock, unless it is held already.
    func hold() throws(DiskError)

    /// Lets another process have the folder.
    func release()

    /// The bytes that were reserved last, as far as they can be read.
    func reservedBytes() -> [UInt8]

    /// Writes the bytes in place and waits until the disk has them; `false` where the disk refuses.
    func reserve(_ bytes: [UInt8]) -> Bool

    /// Makes the database's file where there is none, for its owner alone: it holds keys. SQLite would let everyone read it.
    func makeDatabasePrivate()

    /// Sets a damaged database aside as `outbox.sqlite.corrupt`, in place of an earlier one, with its log beside it so
    /// that both can be read together.
    func setDamagedFileAside() throws(DiskError)

    /// Leaves one file of what was set aside, and none where it is larger than `limit` bytes.
    func tidyDamagedFile(limit: Int64)

    /// Makes the names of new files durable.
    func synchronise()
}

extension OutboxFolder {
    package var databasePath: String { path + "/outbox.sqlite" }
    package var damagedPath: String { databasePath + ".corrupt" }

    func reservation() -> Reservation? { Reservation(bytes: reservedBytes()) }

    /// Makes a reservation durable; `false` where the disk refuses.
    func reserve(_ reservation: Reservation) -> Bool { reserve(reservation.bytes) }
}
