import Glibc

/// The way to every file that a configuration or a command names: none of them makes the process wait.
package enum NamedFile {
    /// Opens a regular file for reading.
    ///
    /// To open a named pipe waits for a writer, for ever and against SIGTERM, and to open a device may set it going. So it
    /// is looked at before, and again once it is open, because the name may stand for another file by then.
    ///
    /// - Parameter mayBePipe: a pipe is as good. It is opened at once, and who reads it waits for its writer by polling.
    /// - Returns: its descriptor, which is the caller's to close.
    package static func open(_ path: String, mayBePipe: Bool = false) throws(FileError) -> Int32 {
        func refuse(_ status: stat) throws(FileError) {
            guard let kind = FileKind(mode: status.st_mode), kind != .pipe || !mayBePipe else { return }
            throw FileError(path: path, operation: .open, cause: .kind(kind))
        }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path: path, operation: .open, code: errno) }
        try refuse(status)
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .open, code: errno) }
        guard fstat(descriptor, &status) == 0 else { return descriptor }
        do {
            try refuse(status)
        } catch {
            close(descriptor)
            throw error
        }
        awaitIO(descriptor)
        return descriptor
    }

    /// Only to open it must not wait. A reader or a writer that is slow is waited for.
    private static func awaitIO(_ descriptor: Int32) {
        let opened = fcntl(descriptor, F_GETFL)
        if opened >= 0 { _ = fcntl(descriptor, F_SETFL, opened & ~O_NONBLOCK) }
    }

    /// Whether it could be opened, for whoever hands the name on to a library that opens it.
    static func check(_ path: String) throws(FileError) { close(try open(path)) }

    /// Creates or empties a file for writing. A pipe that somebody reads from and a device are as good; a pipe without a
    /// reader is an error, not a wait.
    ///
    /// - Parameters:
    ///   - mode: who may read it where it is new, before the umask.
    ///   - followsLinks: whether a link in its place is followed.
    /// - Returns: its descriptor, which is the caller's to close.
    package static func create(
        _ path: String, mode: mode_t, followsLinks: Bool = true
    ) throws(FileError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = Glibc.open(path, followsLinks ? flags : flags | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .create, code: errno) }
        awaitIO(descriptor)
        return descriptor
    }

    /// Tries whether a file can be made and written beside `path`, and leaves nothing of it.
    package static func tryWriting(beside path: String) throws(FileError) {
        let trial = path + ".check-\(getpid())"
        let descriptor = Glibc.open(trial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .create, code: errno) }
        var octet: UInt8 = 0
        // A disk that is full says so at the latest when it has to keep it.
        let isWritten = write(descriptor, &octet, 1) == 1 && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        unlink(trial)
        if !isWritten { throw FileError(path: path, operation: .write, code: code) }
    }

    /// Creates or empties a file as `create` does; where the path is `-`, it is standard output.
    package static func createOrStandardOutput(_ path: String, mode: mode_t) throws(FileError) -> Int32 {
        if path != "-" { return try create(path, mode: mode) }
        let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw FileError(path: "standard output", operation: .open, code: errno) }
        return descriptor
    }
}

/// What stands under a name that is no regular file.
package enum FileKind: String, Hashable, Sendable, CustomStringConvertible {
    case folder = "a folder"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"

    package var description: String { rawValue }

    /// What stands at `path`, links followed; `nil` for a regular file, and where there is nothing that can be looked at.
    package static func ofFile(at path: String) -> FileKind? {
        var status = stat()
        return stat(path, &status) == 0 ? FileKind(mode: status.st_mode) : nil
    }

    /// `nil` for a regular file.
    init?(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: self = .folder
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .device
        }
    }
}

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
