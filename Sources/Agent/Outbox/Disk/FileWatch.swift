import Core
import Glibc

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
