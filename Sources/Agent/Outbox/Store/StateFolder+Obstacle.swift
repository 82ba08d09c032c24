import CSQLite
import Glibc

extension StateFolder {
    /// What can be seen to have caused the failure; `nil` where there is nothing to see but the error itself.
    func obstacle(to error: DiskError) -> StateObstacle? {
        if error.systemError == EMFILE || error.systemError == ENFILE { return .tooManyOpenFiles }
        switch error.source {
        case .system: break
        case .sqlite where error.code & 0xFF == SQLITE_CANTOPEN || error.code & 0xFF == SQLITE_IOERR: break
        case .sqlite, .inUse, .newerVersion: return nil
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return obstacleAbove(error) }
        if stat(path, &status) != 0 { return errno == ENOENT || errno == ELOOP ? .danglingLink(path: path) : nil }
        guard FileKind.ofFile(at: path) == .folder else { return .notAFolder(path: path) }
        for file in [lockPath, databasePath, logPath] {
            if let kind = FileKind.ofFile(at: file) { return .notAFile(path: file, kind: kind) }
            // Of a link that leads nowhere the end would be made, if that were possible.
            if stat(file, &status) != 0, lstat(file, &status) == 0 { return .danglingLink(path: file) }
        }
        return nil
    }

    /// The folder is not there, and could not be made.
    private func obstacleAbove(_ error: DiskError) -> StateObstacle? {
        let parent = Self.parent(of: path)
        var status = stat()
        guard stat(parent, &status) == 0 else {
            return errno == ENOENT ? .noParent(path: parent) : errno == ENOTDIR ? .notAFolder(path: parent) : nil
        }
        guard FileKind.ofFile(at: parent) == .folder else { return .notAFolder(path: parent) }
        // `mkdir` says EPERM where the file system has no folders to give, and /proc says ENOENT.
        return error.systemError == ENOENT || error.systemError == EPERM ? .takesNoFolders(path: parent) : nil
    }

    static func parent(of path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
