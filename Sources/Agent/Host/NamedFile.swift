import Glibc

/// Opens every file that a configuration or a command names, so that no such file can make the process wait.
package enum NamedFile {
    /// Opens a regular file for reading.
    ///
    /// Opening a named pipe waits for a writer, for ever and against SIGTERM. Opening a device may start it. So the
    /// kind of the file is checked before it is opened, and again once it is open: by then the name may stand for
    /// another file.
    ///
    /// - Parameter mayBePipe: whether a pipe is allowed too. It is opened at once; the reader waits for the writer by
    /// polling.
    /// - Returns: the descriptor, which the caller closes.
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

    /// Only opening must not wait. Reading and writing may wait for a slow peer.
    private static func awaitIO(_ descriptor: Int32) {
        let opened = fcntl(descriptor, F_GETFL)
        if opened >= 0 { _ = fcntl(descriptor, F_SETFL, opened & ~O_NONBLOCK) }
    }

    /// Checks that a file can be opened, before its name is handed to a library that opens it.
    static func check(_ path: String) throws(FileError) { close(try open(path)) }

    /// Creates or empties a file for writing. A device, or a pipe with a reader, is allowed too. A pipe without a
    /// reader is an error, not a wait.
    ///
    /// - Parameters:
    ///   - mode: the permissions of a new file, before the umask.
    ///   - followsLinks: whether a link in its place is followed.
    /// - Returns: the descriptor, which the caller closes.
    package static func create(
        _ path: String, mode: mode_t, followsLinks: Bool = true
    ) throws(FileError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let descriptor = Glibc.open(path, followsLinks ? flags : flags | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .create, code: errno) }
        awaitIO(descriptor)
        return descriptor
    }

    /// Replaces a file as a whole: another process finds the former content or the new one, never a part.
    ///
    /// - Parameters:
    ///   - mode: the permissions, whatever the umask is.
    ///   - isDurable: whether the file outlives a power cut once this returns.
    package static func replace(
        _ path: String, by octets: [UInt8], mode: mode_t, isDurable: Bool
    ) throws(FileError) {
        let temporary = path + ".tmp"
        let descriptor = try create(temporary, mode: mode, followsLinks: false)
        fchmod(descriptor, mode)
        var failure = writeAll(octets, to: descriptor)
        if failure == nil, isDurable, fsync(descriptor) != 0 { failure = errno }
        let closed = close(descriptor)
        if failure == nil, closed != 0 { failure = errno }
        if let failure {
            unlink(temporary)
            throw FileError(path: temporary, operation: .write, code: failure)
        }
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw FileError(path: path, operation: .create, code: code)
        }
        if isDurable { try syncFolder(of: path) }
    }

    /// Makes a rename in a folder outlive a power cut.
    private static func syncFolder(of path: String) throws(FileError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = Glibc.open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: folder, operation: .open, code: errno) }
        let code = fsync(descriptor) == 0 ? nil : errno
        close(descriptor)
        if let code { throw FileError(path: folder, operation: .write, code: code) }
    }

    /// Returns the system's error number; `nil` where everything was written.
    package static func writeAll(_ octets: [UInt8], to descriptor: Int32) -> Int32? {
        var start = 0
        while start < octets.count {
            let written = octets.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), octets.count - start)
            }
            if written > 0 { start += written } else if written < 0, errno != EINTR { return errno }
        }
        return nil
    }

    /// Checks that a file can be made and written beside `path`, and removes the trial file.
    package static func tryWriting(beside path: String) throws(FileError) {
        let trial = path + ".check-\(getpid())"
        let descriptor = Glibc.open(trial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .create, code: errno) }
        var octet: UInt8 = 0
        // A full disk reports its error at fsync at the latest.
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

/// The kind of a file that is not a regular one.
package enum FileKind: String, Hashable, Sendable, CustomStringConvertible {
    case folder = "a folder"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"

    package var description: String { rawValue }

    /// The kind of the file at `path`, links followed; `nil` for a regular file, and where `stat` fails.
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
        /// The name exists, but is not a regular file.
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

    /// The reason of the failure, in a few words.
    package var reason: String {
        switch cause {
        case .system(let code): String(cString: strerror(code))
        case .kind(let kind): "it is \(kind), not a regular file"
        }
    }

    /// A remedy for the operator; `nil` where there is no simple one.
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
