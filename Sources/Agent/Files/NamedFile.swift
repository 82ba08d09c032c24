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
