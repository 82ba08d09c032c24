import Core
import Glibc

/// Someone deletes, moves or replaces files in the state folder while they are open.
///
/// What is written to them from then on is lost with the process, though nothing ever fails. The open file still has
/// everything that it had, so it is copied to where it belongs. Numbers do not go on in its epoch: the file that was
/// moved away, perhaps with its whole disk, may come back and would give them again.
extension Outbox {
    /// Looks whether the files in the folder are still those that are open, and mends what is not.
    func lookAtFiles() {
        guard let folder, isDurable, let finding = files.look(at: now, in: folder) else { return }
        mode.missed(finding)
        if finding == .logReplaced {
            reports.say("outbox: outbox.sqlite-wal was deleted or replaced; it is begun anew, and nothing is lost")
        }
        recover()
    }

    /// Makes the file anew where it belongs, out of the one that is open.
    func carryOver(_ old: EventStore, to folder: any OutboxFolder) throws(DiskError) {
        do throws(DiskError) {
            try folder.makeReplacement { path throws(DiskError) in try old.database.copy(to: path) }
            try folder.putReplacementInPlace()
        } catch {
            // It may be the old file's disk that is gone. What can't be read any more is stated as a gap when a new
            // file has been begun.
            if (try? old.count()) == nil { mode.letGo() }
            throw error
        }
        // It closes before the other opens: it deletes a log by that name.
        mode.letGo()
        reports.say(
            "outbox: outbox.sqlite was deleted or replaced; it is made anew with all that it held, in a new epoch")
        if bookkeeping.isEpochStored { beginEpoch() }
    }
}

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

/// Which file stands under a name, as opposed to the one that was opened by it.
enum FileIdentity: Hashable {
    case file(device: UInt, inode: UInt)
    case missing
    /// The disk does not say.
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

    /// Whether the name, which stood for this file, stands for another one by now, or for none.
    func isReplaced(by now: FileIdentity) -> Bool { self != now && self != .unknown && now != .unknown }
}
