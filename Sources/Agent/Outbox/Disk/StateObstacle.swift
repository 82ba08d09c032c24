import CSQLite
import Glibc

/// A visible obstacle to a state folder.
enum StateObstacle: Hashable, Sendable, CustomStringConvertible {
    /// Another kind of file stands where a folder should be: the state folder, or its parent.
    case notAFolder(path: String)
    /// The path is a link to a missing file.
    case danglingLink(path: String)
    /// The parent folder is missing. The agent makes only the state folder itself.
    case noParent(path: String)
    /// The parent is on a file system that takes no folders, such as `/proc`.
    case takesNoFolders(path: String)
    /// Another kind of file stands where one of the folder's files should be.
    case notAFile(path: String, kind: FileKind)
    /// The process, or the machine, has reached its limit of open files.
    case tooManyOpenFiles

    var description: String {
        switch self {
        case .notAFolder(let path): "\(path) exists and is no folder"
        case .danglingLink(let path): "\(path) is a link to something that is not there"
        case .noParent(let path): "\(path), which it is to be in, is not there"
        case .takesNoFolders(let path): "\(path), which it is to be in, takes no folders"
        case .notAFile(let path, let kind): "\(path) is \(kind), not a regular file"
        case .tooManyOpenFiles: "too many open files"
        }
    }

    var remedy: String {
        switch self {
        case .notAFolder: "name another state_dir, or move what stands there away"
        case .danglingLink: "make what it leads to, mount what should be there, or remove the link"
        case .noParent(let path): "make \(path), mount what should be there, or correct state_dir"
        case .takesNoFolders: "name a state_dir on a disk"
        case .notAFile: "move it away: the agent makes its files itself"
        case .tooManyOpenFiles: "allow more: ulimit -n, or LimitNOFILE= of the service"
        }
    }
}

extension StateFolder {
    /// The visible cause of the failure; `nil` where only the error itself tells.
    func obstacle(to error: DiskError) -> StateObstacle? {
        if error.systemError == EMFILE || error.systemError == ENFILE { return .tooManyOpenFiles }
        switch error.source {
        case .system: break
        case .sqlite where error.code & 0xFF == SQLITE_CANTOPEN || error.code & 0xFF == SQLITE_IOERR: break
        case .sqlite, .inUse, .otherFormat: return nil
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { return obstacleAbove(error) }
        if stat(path, &status) != 0 { return errno == ENOENT || errno == ELOOP ? .danglingLink(path: path) : nil }
        guard FileKind.ofFile(at: path) == .folder else { return .notAFolder(path: path) }
        for file in [lockPath, databasePath, logPath] {
            if let kind = FileKind.ofFile(at: file) { return .notAFile(path: file, kind: kind) }
            // Opening a link to a missing file would create its target.
            if stat(file, &status) != 0, lstat(file, &status) == 0 { return .danglingLink(path: file) }
        }
        return nil
    }

    /// The obstacle where the folder is missing and could not be made.
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
