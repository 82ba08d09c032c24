import Core
import Glibc

/// The outbox's way to its disk: the folder and the open file, faults and their retries, wear, and lines for the log.
///
/// `Outbox` decides about content, takes the steps, and reports each refusal of the disk by `fail`.
final class OutboxDisk {
    let limits: OutboxLimits
    /// `nil` for an outbox in memory alone.
    let folder: (any OutboxFolder)?
    private let vfs: String?
    private(set) var mode: OutboxMode<EventStore>
    private var files = FileWatch()
    private var reports = DiskReports()
    private(set) var wear = Wear()
    /// True if the former value of a replaced secret may still stand in a file.
    private var erasesSecret = false
    private(set) var now: Instant

    init(_ folder: (any OutboxFolder)?, vfs: String?, _ limits: OutboxLimits, at now: Instant) {
        (self.folder, self.vfs, self.limits, self.now) = (folder, vfs, limits, now)
        mode = folder == nil ? .detached : .atStart
    }

    // MARK: Steps

    func pass(to now: Instant) { self.now = max(self.now, now) }

    /// Ends the first try: the outbox has users from now on.
    func started() { mode.started() }

    func hold() throws(DiskError) { try folder?.hold() }

    /// Continues in memory until the disk works again.
    ///
    /// - Parameter mayReplace: see `OutboxMode.failed`.
    func fail(_ error: DiskError, mayReplace: Bool) {
        let (error, unreadableSince) = DiskFault.judge(
            error, refusal: error.isDamage ? folder?.readFailure() : nil, since: mode.fault?.unreadableSince, at: now)
        let condition = OutboxCondition(error, directory: folder?.path ?? "", obstacle: folder?.obstacle(to: error))
        let fault = DiskFault(condition, unreadableSince: unreadableSince, after: mode.fault, at: now)
        mode.failed(fault, error, mayReplace: mayReplace)
        reports.log(condition)
        // Perhaps the damaged file fills the disk. Its readable part is in memory, so the file can go.
        if error.isFull, mode.isSalvaged { folder?.tidyDamagedFile(limit: limits.damagedBytes) }
    }

    func setAside() throws(DiskError) {
        try folder?.setDamagedFileAside()
        mode.setAside()
    }

    /// Makes the file anew in the folder, from the content of the open one.
    ///
    /// Writes to a file that was deleted, moved or replaced are lost with the process, though no write fails. The open
    /// file still has its whole content.
    func carryOver(_ old: EventStore) throws(DiskError) {
        do throws(DiskError) {
            try folder?.makeReplacement { path throws(DiskError) in try old.database.copy(to: path) }
            try folder?.putReplacementInPlace()
        } catch {
            // Perhaps the old file's disk is gone. The next new file then begins with a gap for the part that can't be
            // read any more.
            if (try? old.count()) == nil { mode.letGo() }
            throw error
        }
        // The old file closes before the new one opens, because closing deletes a log of the same name.
        mode.letGo()
        log("outbox.sqlite was deleted or replaced; it is made anew with all that it held, in a new epoch")
    }

    /// Opens the file, which has to be met before `opened`.
    func open(_ folder: any OutboxFolder) throws(DiskError) -> EventStore {
        mode.letGo()
        try folder.makeDatabasePrivate()
        let store = try EventStore(path: folder.databasePath, vfs: vfs, limits: limits)
        try folder.synchronise()
        return store
    }

    /// Reads a file that was set aside, for `opened`, the new file; `nil` where nothing is to be saved. A process that
    /// was killed before it committed may have set the file aside.
    func salvage(into opened: EventStore) -> Salvage? {
        guard opened.meta == nil, let folder, folder.hasReplacedFile, !mode.isSalvaged else { return nil }
        return Salvage(path: folder.replacedPath, vfs: vfs, limit: limits.memoryBytes)
    }

    /// Records that the readable part of a damaged file is in memory.
    func salvaged(_ salvage: Salvage, events: Int) {
        mode.salvaged()
        log(
            "outbox.sqlite was damaged and is replaced; \(events) waiting events and \(salvage.records.count) records "
                + "were saved from it")
    }

    /// Records that a file is open and its content known. Throws where it cannot be written.
    func opened(_ store: EventStore) throws(DiskError) {
        mode.opened(store, isReadOnly: store.isReadOnly)
        if store.isReadOnly { throw DiskError.readOnly(folder?.databasePath ?? "") }
    }

    /// Records that the file has everything, and proves that the database itself can be written too.
    func written(_ folder: any OutboxFolder) throws(DiskError) {
        // A process that was killed while it replaced a secret has left the former secret in the log.
        try checkpoint(truncatesLog: true)
        if mode.written() != nil { log("the disk works again; what was in memory is committed") }
        reports.resetFaults()
        if folder.hasReplacedFile { folder.tidyDamagedFile(limit: limits.damagedBytes) }
        files.record(folder)
    }

    /// Checks now and then whether the files in the folder are still the open ones. Returns `false` where one is not.
    func holdsFiles() -> Bool {
        guard let folder, mode.isWorking, let finding = files.look(at: now, in: folder) else { return true }
        mode.missed(finding)
        if finding == .logReplaced {
            log("outbox.sqlite-wal was deleted or replaced; it is begun anew, and nothing is lost")
        }
        return false
    }

    /// Closes the file, and releases the folder for another process.
    func close() {
        if mode.isWorking { _ = try? checkpoint(truncatesLog: true) }
        mode.closed()
        folder?.release()
    }

    // MARK: Writing

    /// Writes `incoming` and `changes` as one transaction of the file; see `EventStore.write`.
    ///
    /// - Parameter isSynced: whether it is on the disk when this returns.
    func write(
        _ incoming: [QueuedMessage], _ changes: PendingChanges, _ next: inout Bookkeeping, owner: String?,
        at wallTime: WallTime, isSynced: Bool, in store: EventStore
    ) throws(DiskError) -> Bool {
        if !isSynced { try store.database.setSynchronous(false) }
        defer { if !isSynced { _ = try? store.database.setSynchronous(true) } }
        if erasesSecret { try store.database.setSecureDelete(true) }
        defer { if erasesSecret { _ = try? store.database.setSecureDelete(false) } }
        let areAllKept: Bool
        do throws(DiskError) {
            (areAllKept, wear.usedBytes) = try store.write(
                incoming, changes, &next, owner: owner, limits, truncates: mode.fault != nil, at: wallTime)
        } catch {
            // The file may reach its limit although the disk has room for all of `max_mib`. Then `max_mib` is too
            // small: events make room for each other, but region states cannot be dropped. With another file layer
            // under SQLite, the file system's free space means nothing.
            guard error.isFull, vfs == nil, let free = folder?.freeBytes, free >= limits.maxBytes else { throw error }
            var error = error
            let stored = (try? store.usedBytes()) ?? 0
            error.neededMiB = limits.neededMiB(fileBytes: stored + changes.storedBytes)
            throw error
        }
        wear.committed(pages: store.database.takePagesWritten(), isSynced: isSynced)
        return areAllKept
    }

    /// Overwrites what the next transactions delete, and empties the log after the next one.
    func eraseSecret() { erasesSecret = true }

    /// True if the log has grown to its limit, or holds a secret that was replaced.
    var isCheckpointDue: Bool { wear.logBytes >= limits.logBytes || erasesSecret }

    /// Copies the log into the database.
    ///
    /// - Parameter truncatesLog: whether the log's file is emptied. It is also emptied where a secret was replaced.
    func checkpoint(truncatesLog: Bool = false) throws(DiskError) {
        guard let store = mode.file else { return }
        wear.checkpointed(pages: try store.database.checkpoint(truncatesLog: truncatesLog || erasesSecret))
        guard erasesSecret else { return }
        erasesSecret = false
        // A damaged file that was set aside holds the secret of its day.
        folder?.tidyDamagedFile(limit: -1)
    }

    // MARK: The log

    func log(_ line: String) { reports.log("outbox: " + line) }

    /// Log lines: each fault once until the disk works again, and then its recovery.
    func takeReports() -> [String] { reports.take() }
}

/// Checks now and then whether the files in the state folder are still the open ones.
struct FileWatch {
    enum Finding {
        /// The database's name stands for another file, or for none.
        case databaseReplaced
        case logReplaced
        case lockReplaced
    }

    /// The time between two checks of the folder.
    static let interval = TimeSpan.seconds(5)

    /// The open files.
    private var database = FileIdentity.unknown
    private var log = FileIdentity.unknown
    private var due = Instant.origin

    /// Records which files are open.
    mutating func record(_ folder: any OutboxFolder) {
        database = folder.databaseIdentity
        log = folder.logIdentity
    }

    /// - Returns: `nil` where all files are in place, or where it is too early to check again.
    mutating func look(at now: Instant, in folder: any OutboxFolder) -> Finding? {
        guard now >= due else { return nil }
        due = now + Self.interval
        if database.isReplaced(by: folder.databaseIdentity) { return .databaseReplaced }
        if log.isReplaced(by: folder.logIdentity) { return .logReplaced }
        return folder.isLockInPlace ? nil : .lockReplaced
    }
}

/// The file that stands under a name, as opposed to the one that was opened by it.
enum FileIdentity: Hashable {
    case file(device: UInt, inode: UInt)
    case missing
    /// The disk does not tell.
    case unknown

    init(path: String) {
        var information = stat()
        if stat(path, &information) == 0 {
            self = .file(device: UInt(information.st_dev), inode: UInt(information.st_ino))
        } else {
            self = errno == ENOENT || errno == ENOTDIR ? .missing : .unknown
        }
    }

    init(descriptor: Int32) {
        var information = stat()
        if fstat(descriptor, &information) == 0 {
            self = .file(device: UInt(information.st_dev), inode: UInt(information.st_ino))
        } else {
            self = .unknown
        }
    }

    /// Returns whether the name, which stood for this file, now stands for another file or for none.
    func isReplaced(by now: FileIdentity) -> Bool { self != now && self != .unknown && now != .unknown }
}

/// Log lines about the disk: each fault once until the disk works again, and then its recovery.
struct DiskReports {
    private var loggedCauses = LogOnce<OutboxCondition.Cause>()
    private var lines: [String] = []

    mutating func log(_ line: String) { lines.append(line) }

    mutating func log(_ condition: OutboxCondition) {
        if loggedCauses.isNew(condition.cause) { lines.append(condition.description) }
    }

    mutating func resetFaults() { loggedCauses.reset() }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}
