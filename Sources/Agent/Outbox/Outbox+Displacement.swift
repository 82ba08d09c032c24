import Core
import Glibc

/// Handles files of the state folder that are deleted, moved or replaced while they are open.
///
/// Writes to such a file are lost with the process, though no write fails. The open file still has its whole content,
/// so the outbox copies it back into the folder. It then begins a new epoch: the file that was moved away, perhaps with
/// its whole disk, may come back and would repeat the old epoch's numbers.
extension Outbox {
    /// Checks whether the files in the folder are still the open ones, and repairs what is not.
    func lookAtFiles() {
        guard let folder, isDurable, let finding = files.look(at: now, in: folder) else { return }
        mode.missed(finding)
        if finding == .logReplaced {
            reports.say("outbox: outbox.sqlite-wal was deleted or replaced; it is begun anew, and nothing is lost")
        }
        recover()
    }

    /// Makes the file anew in the folder, from the content of the open one.
    func carryOver(_ old: EventStore, to folder: any OutboxFolder) throws(DiskError) {
        do throws(DiskError) {
            try folder.makeReplacement { path throws(DiskError) in try old.database.copy(to: path) }
            try folder.putReplacementInPlace()
        } catch {
            // Perhaps the old file's disk is gone. The next new file then begins with a gap for the part that can't be
            // read any more.
            if (try? old.count()) == nil { mode.letGo() }
            throw error
        }
        // The old file closes before the new one opens, because closing deletes a log of the same name.
        mode.letGo()
        reports.say(
            "outbox: outbox.sqlite was deleted or replaced; it is made anew with all that it held, in a new epoch")
        if bookkeeping.isEpochStored { beginEpoch() }
    }
}

/// Checks now and then whether the files in the state folder are still the open ones.
struct FileWatch {
    package enum Finding {
        /// The database's name stands for another file, or for none.
        case databaseReplaced
        case logReplaced
        case lockReplaced
    }

    /// The time between two checks of the folder.
    package static let interval = TimeSpan.seconds(5)

    /// The open files.
    private var database = FileIdentity.unknown
    private var log = FileIdentity.unknown
    private var due = Instant.origin

    /// Notes which files are open.
    mutating func note(_ folder: any OutboxFolder) {
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

    /// Whether the name, which stood for this file, now stands for another file or for none.
    func isReplaced(by now: FileIdentity) -> Bool { self != now && self != .unknown && now != .unknown }
}
