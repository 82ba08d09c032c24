import Agent
import Core
import Glibc

/// Writes HCI events to a btsnoop file that always ends with a whole record, even if the disk fails.
struct CaptureWriter: ~Copyable {
    let path: String
    /// Events written.
    private(set) var count: UInt64 = 0
    private let descriptor: Int32
    /// Octets up to the end of the last whole piece.
    private var length: Int

    /// Creates or empties the file, and writes its header; `-` is standard output.
    ///
    /// - Parameter mode: the permissions of a new file, before the umask.
    init(path: String, mode: mode_t) throws(FileError) {
        // The header is written before the struct exists: see InputFile.
        let opened = try NamedFile.createOrStandardOutput(path, mode: mode)
        guard Self.put(BTSnoopWriter.header, to: opened) == 0 else {
            let code = errno
            close(opened)
            throw FileError(path: path, operation: .write, code: code)
        }
        self.init(path: path, descriptor: opened, length: BTSnoopWriter.header.count)
    }

    private init(path: String, descriptor: Int32, length: Int) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
    }

    deinit { close(descriptor) }

    /// - Parameter wall: the wall clock's time at which an event was received.
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

    /// Syncs the file.
    func sync() throws(FileError) {
        // A pipe cannot be synced, and need not be.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
            throw FileError(path: path, operation: .write, code: errno)
        }
    }

    private mutating func append(_ octets: [UInt8]) throws(FileError) {
        guard Self.put(octets, to: descriptor) == 0 else {
            let code = errno
            // Half a record would make the capture a damaged one.
            ftruncate(descriptor, off_t(length))
            throw FileError(path: path, operation: .write, code: code)
        }
        length += octets.count
    }

    /// Writes all octets. Returns 0, or −1 with `errno`.
    private static func put(_ octets: [UInt8], to descriptor: Int32) -> Int32 {
        var start = 0
        while start < octets.count {
            let written = octets.withUnsafeBytes { octets in
                Glibc.write(descriptor, octets.baseAddress?.advanced(by: start), octets.count - start)
            }
            if written >= 0 { start += written } else if errno != EINTR { return -1 }
        }
        return 0
    }
}
