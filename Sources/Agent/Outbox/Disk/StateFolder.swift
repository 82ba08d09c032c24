import Glibc

/// The state folder on a disk.
///
/// The agent holds `outbox.lock` with `flock` for as long as it lives, so that two agents never share a folder. The
/// kernel releases the lock however the process ends. The first 64 bytes of the file hold the `Reservation`; the rest
/// names the holder.
final class StateFolder: OutboxFolder {
    let path: String
    private let holder: String
    private var lock: Int32 = -1

    /// - Parameter holder: the name of the gateway that holds the lock, for others to read.
    init(path: String, holder: String) {
        self.path = path
        self.holder = holder
    }

    deinit { release() }

    func release() {
        guard lock >= 0 else { return }
        // A process that is just being forked may hold a copy of the descriptor, which closing would not unlock.
        flock(lock, LOCK_UN)
        close(lock)
        lock = -1
    }

    private var replacementPath: String { databasePath + ".new" }
    var lockPath: String { path + "/outbox.lock" }
    private var trialPath: String { path + "/outbox.try" }
    /// All files that an agent makes here, in the order in which they may be removed.
    var everything: [String] { [logPath, databasePath + "-shm", databasePath, lockPath, path] }

    var databaseIdentity: FileIdentity { FileIdentity(path: databasePath) }
    var logIdentity: FileIdentity { FileIdentity(path: logPath) }

    var isLockInPlace: Bool {
        lock >= 0 && !FileIdentity(descriptor: lock).isReplaced(by: FileIdentity(path: lockPath))
    }

    var freeBytes: Int64? {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return nil }
        let blocks = Int64(clamping: information.f_bavail)
        return blocks.multipliedReportingOverflow(by: Int64(clamping: information.f_frsize)).overflow
            ? .max : blocks * Int64(clamping: information.f_frsize)
    }

    func hold() throws(DiskError) {
        if isLockInPlace, fdatasync(lock) == 0 { return }
        let former = lock
        if former >= 0 { flock(former, LOCK_UN) }
        lock = -1
        do {
            try takeLock()
            if former >= 0 { close(former) }
        } catch {
            // The former lock is better than none: numbers can be reserved in it as long as its disk works.
            if former >= 0, error.source != .inUse, flock(former, LOCK_EX | LOCK_NB) == 0 { lock = former }
            if former >= 0, lock < 0 { close(former) }
            throw error
        }
    }

    private func takeLock() throws(DiskError) {
        if mkdir(path, 0o750) == 0 {
            try Self.synchronise(Self.parent(of: path))
        } else if errno != EEXIST {
            throw .system(errno, during: "make the folder")
        }
        try requireRegular(lockPath, during: "open outbox.lock")
        var descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o640)
        // On a read-only file system the lock can still be taken, and queued events can still be read.
        var code = errno
        if descriptor < 0, code == EROFS { descriptor = open(lockPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
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
        // The file needs its disk block before the disk is full. If this fails, a later reservation fails and is
        // noticed. An unreadable file is not overwritten: its reservation may keep numbers from being given twice.
        let reserved: [UInt8]
        do throws(DiskError) {
            reserved = try reservedBytes()
        } catch {
            lock = -1
            close(descriptor)
            throw error
        }
        if reserved.count < Reservation.length {
            _ = reserve([UInt8](repeating: 0x20, count: Reservation.length))
        }
        sign()
        // If the file's name is lost, so is a reservation in it.
        try? synchronise()
    }

    /// Writes the holder's name into the lock file. Only the text of a check depends on it.
    private func sign() {
        guard !holder.isEmpty else { return }
        let line = Array((holder + "\n").utf8)
        _ = pwrite(lock, line, line.count, off_t(Reservation.length))
    }

    /// The name of the gateway that holds the lock, if the file tells.
    var currentHolder: String? {
        guard let descriptor = try? NamedFile.open(lockPath) else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = pread(descriptor, &bytes, bytes.count, off_t(Reservation.length))
        let line = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return line.isEmpty ? nil : String(validating: line, as: UTF8.self)
    }

    /// Writes more than an agent's first transaction needs, syncs it, and removes it again.
    func tryWriting() throws(DiskError) {
        let descriptor = open(trialPath, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(errno, during: "make a file") }
        defer {
            close(descriptor)
            unlink(trialPath)
        }
        let block = [UInt8](repeating: 0, count: 65_536)
        let written = write(descriptor, block, block.count)
        guard written == block.count else { throw .system(written < 0 ? errno : ENOSPC, during: "write a file") }
        guard fsync(descriptor) == 0 else { throw .system(errno, during: "write a file") }
    }

    private func requireRegular(_ path: String, during operation: String) throws(DiskError) {
        guard let kind = FileKind.ofFile(at: path) else { return }
        throw .system(kind == .folder ? EISDIR : EINVAL, during: operation)
    }

    func makeDatabasePrivate() throws(DiskError) {
        try requireRegular(databasePath, during: "open outbox.sqlite")
        if hasReplacedFile, access(databasePath, F_OK) != 0 { try setLogAside() }
        makePrivate(databasePath)
    }

    private func makePrivate(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

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

    func putReplacementInPlace() throws(DiskError) {
        unlink(logPath)
        guard rename(replacementPath, databasePath) == 0 else {
            throw .system(errno, during: "put outbox.sqlite in its place")
        }
        try synchronise()
    }

    func readFailure() -> DiskError? {
        var block = [UInt8](repeating: 0, count: 65_536)
        for path in [databasePath, logPath] {
            guard let descriptor = try? NamedFile.open(path) else { continue }
            defer { close(descriptor) }
            var count = 0
            repeat { count = read(descriptor, &block, block.count) } while count > 0 || (count < 0 && errno == EINTR)
            if count < 0 { return .system(errno, during: "read outbox.sqlite") }
        }
        return nil
    }

    func setDamagedFileAside() throws(DiskError) {
        // SQLite would read the log of an earlier database as this one's.
        unlink(replacedPath + "-wal")
        guard rename(databasePath, replacedPath) == 0 || errno == ENOENT else {
            throw .system(errno, during: "set the damaged file aside")
        }
        // In the other order a crash could leave a database without its log, which would read as whole.
        try synchronise()
        try setLogAside()
        // The shared-memory file belongs to the database that was set aside.
        unlink(databasePath + "-shm")
    }

    private func setLogAside() throws(DiskError) {
        guard rename(logPath, replacedPath + "-wal") == 0 || errno == ENOENT else {
            throw .system(errno, during: "set the damaged file's log aside")
        }
        try synchronise()
    }

    var hasReplacedFile: Bool { access(replacedPath, F_OK) == 0 }

    func tidyDamagedFile(limit: Int64) {
        unlink(replacedPath + "-wal")
        unlink(replacedPath + "-shm")
        rename(replacedPath, damagedPath)
        var information = stat()
        if stat(damagedPath, &information) == 0, Int64(information.st_size) > limit { unlink(damagedPath) }
    }

    func synchronise() throws(DiskError) { try Self.synchronise(path) }

    /// Some file systems cannot sync a folder, and some folders can't be opened. Only a failing disk is an error.
    private static func synchronise(_ path: String) throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let code = fsync(descriptor) == 0 ? 0 : errno
        close(descriptor)
        if [EIO, ENOSPC, EDQUOT].contains(code) { throw .system(code, during: "sync the folder") }
    }

    func reservedBytes() throws(DiskError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Reservation.length)
        var count = pread(lock, &bytes, bytes.count, 0)
        while count < 0, errno == EINTR { count = pread(lock, &bytes, bytes.count, 0) }
        guard count >= 0 else { throw .system(errno, during: "read outbox.lock") }
        return Array(bytes.prefix(count))
    }

    func reserve(_ bytes: [UInt8]) -> Bool {
        pwrite(lock, bytes, bytes.count, 0) == bytes.count && fdatasync(lock) == 0
    }
}
