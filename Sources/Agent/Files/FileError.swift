import Glibc

/// A file that can't be used.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case open, read, write, create
    }

    package enum Cause: Hashable, Sendable {
        /// The system's error number.
        case system(Int32)
        /// It is there, but no regular file.
        case kind(FileKind)
    }

    var path: String
    package var operation: Operation
    package var cause: Cause

    package init(path: String, operation: Operation, cause: Cause) {
        self.path = path
        self.operation = operation
        self.cause = cause
    }

    /// - Parameter code: the system's error number.
    package init(path: String, operation: Operation, code: Int32) {
        self.init(path: path, operation: operation, cause: .system(code))
    }

    package var description: String {
        "\(path): can't \(operation.rawValue) it: \(reason)" + (remedy.map { "; \($0)" } ?? "")
    }

    /// Why, in a few words.
    package var reason: String {
        switch cause {
        case .system(let code): String(cString: strerror(code))
        case .kind(let kind): "it is \(kind), not a regular file"
        }
    }

    /// What to do about it, where that is plain.
    package var remedy: String? {
        switch cause {
        case .kind(.folder), .system(EISDIR): "name a file, not a folder"
        case .kind: "name a regular file"
        case .system(EACCES): "check its permissions"
        case .system(ENOENT): operation == .create ? "make its folder first" : "check the path"
        case .system(ENOSPC): "make room on the disk"
        case .system(EROFS): "the disk can only be read: choose another place"
        case .system(EMFILE), .system(ENFILE): "allow more open files: ulimit -n, or LimitNOFILE= of the service"
        case .system(ENXIO): operation == .create ? "start what reads from that pipe first" : nil
        case .system: nil
        }
    }
}
