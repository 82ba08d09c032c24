import Glibc

/// The state folder on a disk.
///
/// `outbox.lock` is held with `flock` for as long as the process lives, so that two agents never share a folder; the
/// kernel lets go of it however the process ends. Its 64 bytes hold the `Reservation`.
final class StateFolder: OutboxFolder {
    package let path: String
    private var lock: Int32 = -1

    init(path: String) {
        self.path = path
    }

    deinit { release() }

    package func release() {
        guard lock >= 0 else { return }
        // A process that is just being forked off may hold a copy of the descriptor, which closing would not unlock.
        flock(lock, LOCK_UN)
        close(lock)
        lock = -1
    }

    package func hold() throws(DiskError) {
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
        if reservedBytes().count < Reservation.length {
            _ = reserve([UInt8](repeating: 0x20, count: Reservation.length))
        }
    }

    package func makeDatabasePrivate() {
        let descriptor = open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    package func setDamagedFileAside() throws(DiskError) {
        for suffix in ["-wal", ""] where rename(databasePath + suffix, damagedPath + suffix) != 0 && errno != ENOENT {
            throw .system(errno, during: "set the damaged file aside")
        }
        // It is part of the name of no file that SQLite would open by itself.
        unlink(databasePath + "-shm")
    }

    package func tidyDamagedFile(limit: Int64) {
        unlink(damagedPath + "-wal")
        unlink(damagedPath + "-shm")
        var information = stat()
        if stat(damagedPath, &information) == 0, Int64(information.st_size) > limit { unlink(damagedPath) }
    }

    package func synchronise() {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    package func reservedBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Reservation.length)
        let count = pread(lock, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    package func reserve(_ bytes: [UInt8]) -> Bool {
        pwrite(lock, bytes, bytes.count, 0) == bytes.count && fdatasync(lock) == 0
    }
}
