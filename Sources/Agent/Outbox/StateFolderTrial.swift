import Glibc

/// Tries an outbox's operations on its state folder, and leaves everything as it was: for a check before an agent is
/// started.
package enum StateFolderTrial {
    package enum Finding: Hashable, Sendable {
        case writable
        /// The agent of this very gateway uses the folder now.
        case heldByOwner
        /// The agent of another gateway uses it; `nil` where its name is not known.
        case held(by: String?)
        /// An outbox would report this condition, and work in memory.
        case refused(OutboxCondition)
    }

    /// - Parameter owner: the name of the gateway that checks.
    package static func run(directory: String, owner: String, limits: OutboxLimits) -> Finding {
        let folder = StateFolder(path: directory, holder: "")
        let before = Set(folder.everything.filter { isThere($0) })
        var isHeld = false
        defer {
            // Files that another agent made meanwhile must stay. An empty folder does no harm.
            let made = folder.everything.filter { !before.contains($0) && (isHeld || $0 == directory) }
            for path in made where unlink(path) != 0 { rmdir(path) }
            folder.release()
        }
        do throws(DiskError) {
            try folder.hold()
            isHeld = true
            try folder.makeDatabasePrivate()
            try open(folder.databasePath, limits: limits)
            try folder.tryWriting()
            return .writable
        } catch {
            guard error.source == .inUse else {
                return .refused(OutboxCondition(error, directory: directory, obstacle: folder.obstacle(to: error)))
            }
            let holder = folder.currentHolder
            return holder == owner ? .heldByOwner : .held(by: holder)
        }
    }

    private static func open(_ path: String, limits: OutboxLimits) throws(DiskError) {
        let store = try EventStore(path: path, vfs: nil, limits: limits)
        if store.isReadOnly { throw DiskError.readOnly(path) }
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
