import Agent
import Core
import Glibc

/// Writes HCI events to a btsnoop file that always ends with a whole record, even if the disk fails.
final class CaptureWriter {
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
        descriptor = try NamedFile.createOrStandardOutput(path, mode: mode)
        self.path = path
        length = 0
        try append(BTSnoopWriter.header)
    }

    deinit { close(descriptor) }

    /// - Parameter wall: the wall clock's time at which an event was received.
    func write(_ piece: EventPiece, wall: (Instant) -> WallTime) throws(FileError) {
        var octets: [UInt8] = []
        var events: UInt64 = 0
        piece.read { event, instant in
            octets += BTSnoopWriter.record(event: event.indices.map { event[$0] }, at: wall(instant))
            events += 1
        }
        try append(octets)
        count += events
    }

    func sync() throws(FileError) {
        // A pipe cannot be synced, and need not be.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
            throw FileError(path: path, operation: .write, code: errno)
        }
    }

    private func append(_ octets: [UInt8]) throws(FileError) {
        if let code = NamedFile.writeAll(octets, to: descriptor) {
            // Half a record would make the capture a damaged one.
            ftruncate(descriptor, off_t(length))
            throw FileError(path: path, operation: .write, code: code)
        }
        length += octets.count
    }
}
