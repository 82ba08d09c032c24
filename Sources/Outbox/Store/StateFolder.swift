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
    var logPath: String { databasePath + "-wal" }
    var damagedPath: String { databasePath + ".corrupt" }
    private var replacementPath: String { databasePath + ".new" }
    private var lockPath: String { path + "/outbox.lock" }

    /// Whether the lock that is held is the one that another process would find.
    var isHeld: Bool {
        lock >= 0 && !FileIdentity(descriptor: lock).isReplaced(by: FileIdentity(path: lockPath))
    }

    /// Makes the folder where only its last level is missing, and takes the lock. One that is held is taken anew where it
    /// does not stand there any more, or where its disk has failed for good: it may have been mounted again since.
    func hold() throws(DiskError) {
        if isHeld, fdatasync(lock) == 0 { return }
        let former = lock
        if former >= 0 { flock(former, LOCK_UN) }
        lock = -1
        do {
            try takeLock()
            if former >= 0 { close(former) }
        } catch {
            // Better than nothing: a number can be reserved in it as long as its disk works.
            if former >= 0, error.source != .inUse, flock(former, LOCK_EX | LOCK_NB) == 0 { lock = former }
            if former >= 0, lock < 0 { close(former) }
            throw error
        }
    }

    private func takeLock() throws(DiskError) {
        if mkdir(path, 0o750) != 0, errno != EEXIST { throw .system(errno, during: "make the folder") }
        var descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
        // On a read-only file system the lock can still be taken, and what waits can still be read.
        var code = errno
        if descriptor < 0, code == EROFS { descriptor = open(lockPath, O_RDONLY | O_CLOEXEC) }
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
    func makeDatabasePrivate() { makePrivate(databasePath) }

    private func makePrivate(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Has `write` make a database beside the present one, and makes it durable.
    func makeReplacement(_ write: (String) throws(DiskError) -> Void) throws(DiskError) {
        unlink(replacementPath)
        makePrivate(replacementPath)
        do throws(DiskError) {
            try write(replacementPath)
            let descriptor = open(replacementPath, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            guard descriptor >= 0, fsync(descriptor) == 0 else { throw .system(errno, during: "copy outbox.sqlite") }
        } catch {
            unlink(replacementPath)
            throw error
        }
    }

    /// Gives the replacement the database's name. No log may stand beside it, since it would be taken for its own.
    func putReplacementInPlace() throws(DiskError) {
        unlink(logPath)
        guard rename(replacementPath, databasePath) == 0 else {
            throw .system(errno, during: "put outbox.sqlite in its place")
        }
        synchronise()
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
