/// What stands in the way of a state folder, where looking at it tells.
enum StateObstacle: Hashable, Sendable, CustomStringConvertible {
    /// Something else stands where a folder should be: the state folder, or the one that it is to be in.
    case notAFolder(path: String)
    /// A link that leads to nothing.
    case danglingLink(path: String)
    /// The agent makes the state folder itself, but not what it is in.
    case noParent(path: String)
    /// A file system that takes no folders, as `/proc`.
    case takesNoFolders(path: String)
    /// Something else stands where one of the folder's files should be.
    case notAFile(path: String, kind: FileKind)
    /// The process, or the machine, may open no further file.
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

    /// What the operator can do.
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
