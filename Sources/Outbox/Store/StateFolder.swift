import Glibc

/// The state folder: who may use it, the names in it, and the reservation of numbers.
///
/// `outbox.lock` is held with `flock` for as long as the process lives, so that two agents never share a folder; the
/// kernel lets go of it however the process ends. Its 64 bytes hold the `Reservation`.
final class StateFolder {
    let path: String
    private var lock: Int32 = -1

    init(path: String) {
        self.path = path
    }

    deinit { release() }

    /// Lets another process have the folder.
    func release() {
        guard lock >= 0 else { return }
        // A process that is just being forked off may hold a copy of the descriptor, which closing would not unlock.
        flock(lock, LOCK_UN)
        close(lock)
        lock = -1
    }

    var databasePath: String { path + "/outbox.sqlite" }
    var damagedPath: String { databasePath + ".corrupt" }

    /// Makes the folder where only its last level is missing, and takes the lock.
    func hold() throws(DiskError) {
        guard lock < 0 else { return }
        if mkdir(path, 0o750) != 0, errno != EEXIST { throw .system(errno, during: "make the folder") }
        let name = path + "/outbox.lock"
        var descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        // On a read-only file system the lock can still be taken, and what waits can still be read.
        var code = errno
        if descriptor < 0, code == EROFS { descriptor = open(name, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(code, during: "open outbox.lock") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            code = errno
            close(descriptor)
            if code == EWOULDBLOCK {
                throw DiskError(source: .inUse, code: code, systemError: code, operation: "lock the folder")
            }
            throw .system(code, during: "lock the folder")
        }
        lock = descriptor
        // Its disk block has to be there before the disk is full. Where this fails, reserving fails later, which is seen.
        if reservationBytes().count < Reservation.length {
            _ = write([UInt8](repeating: 0x20, count: Reservation.length))
        }
    }

    func reservation() -> Reservation? { Reservation(bytes: reservationBytes()) }

    /// Writes the reservation in place and waits until the disk has it; `false` where the disk refuses.
    func reserve(_ reservation: Reservation) -> Bool { write(reservation.bytes) }

    /// Makes the database's file where there is none, for its owner alone: it holds keys. SQLite would let everyone read it.
    func makeDatabasePrivate() {
        let descriptor = open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sets a damaged database aside as `outbox.sqlite.corrupt`, in place of an earlier one, with its log beside it so
    /// that both can be read together.
    func setDamagedFileAside() throws(DiskError) {
        for suffix in ["-wal", ""] where rename(databasePath + suffix, damagedPath + suffix) != 0 && errno != ENOENT {
            throw .system(errno, during: "set the damaged file aside")
        }
        // It is part of the name of no file that SQLite would open by itself.
        unlink(databasePath + "-shm")
    }

    /// Leaves one file of what was set aside, and none where it is larger than `limit` bytes.
    func tidyDamagedFile(limit: Int64) {
        unlink(damagedPath + "-wal")
        unlink(damagedPath + "-shm")
        var information = stat()
        if stat(damagedPath, &information) == 0, Int64(information.st_size) > limit { unlink(damagedPath) }
    }

    /// Makes the names of new files durable.
    func synchronise() {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func reservationBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Reservation.length)
        let count = pread(lock, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        pwrite(lock, bytes, bytes.count, 0) == bytes.count && fdatasync(lock) == 0
    }
}
