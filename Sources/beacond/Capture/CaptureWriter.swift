import Glibc
import HCI

/// Writes HCI events to a btsnoop file that ends with a whole record at any time, whatever the disk does.
struct CaptureWriter: ~Copyable {
    let path: String
    /// Events written.
    private(set) var count: UInt64 = 0
    private let descriptor: Int32
    /// Octets up to the end of the last whole piece.
    private var length: Int = 0

    /// Creates or empties the file, and begins it; `-` is standard output.
    ///
    /// - Parameter mode: who may read it, before the umask.
    init(path: String, mode: mode_t) throws(FileError) {
        self.path = path
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        descriptor = path == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, flags, mode)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .create, code: errno) }
        try append(BTSnoopWriter.header)
    }

    deinit { close(descriptor) }

    /// - Parameter wall: the time of day at which an event was received.
    mutating func write(_ piece: EventPiece, wall: (Instant) -> WallTime) throws(FileError) {
        var octets: [UInt8] = []
        var events: UInt64 = 0
        piece.read { event, instant in
            octets += BTSnoopWriter.record(event: event.indices.map { event[$0] }, at: wall(instant))
            events += 1
        }
        try append(octets)
        count += events
    }

    /// Has it on the disk.
    func sync() throws(FileError) {
        // A pipe cannot be synced, and need not.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
            throw FileError(path: path, operation: .write, code: errno)
        }
    }

    private mutating func append(_ octets: [UInt8]) throws(FileError) {
        var start = 0
        while start < octets.count {
            let written = octets.withUnsafeBytes { octets in
                Glibc.write(descriptor, octets.baseAddress?.advanced(by: start), octets.count - start)
            }
            if written >= 0 {
                start += written
            } else if errno != EINTR {
                let code = errno
                // Half a record would make the capture a damaged one.
                ftruncate(descriptor, off_t(length))
                throw FileError(path: path, operation: .write, code: code)
            }
        }
        length += octets.count
    }
}
