import Glibc

/// A file or standard input, read piece by piece.
struct InputFile: ~Copyable {
    private let descriptor: Int32
    let path: String

    /// - Parameter path: `-` for standard input.
    init(path: String) throws(FileError) {
        self.path = path
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, operation: .open, code: errno) }
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    /// Appends up to `count` octets to `buffer`, and returns how many: 0 at the end.
    mutating func read(into buffer: inout [UInt8], count: Int) throws(FileError) -> Int {
        var (got, code) = (-1, Int32(0))
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { piece in
            repeat {
                got = Glibc.read(descriptor, piece.baseAddress, piece.count)
                code = errno
            } while got < 0 && code == EINTR
            // Appending zeros to read over would take far longer than the reading, in a debug build 0.4 s for 60 kB.
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<max(0, got)]))
        }
        guard got >= 0 else { throw FileError(path: path, operation: .read, code: code) }
        return got
    }

    /// The whole file, at most `limit` octets and one more, by which the caller sees that there are too many.
    static func readAll(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        var file = try InputFile(path: path)
        var octets: [UInt8] = []
        while octets.count <= limit {
            let got = try file.read(into: &octets, count: min(65_536, limit + 1 - octets.count))
            if got == 0 { break }
        }
        return octets
    }
}

/// A file that can't be used.
struct FileError: Error, CustomStringConvertible {
    enum Operation: String {
        case open, read, write, create
    }

    var path: String
    var operation: Operation
    /// The system's error number.
    var code: Int32

    var description: String {
        let reason = String(cString: strerror(code))
        return "\(path): can't \(operation.rawValue) it: \(reason)" + (remedy.map { "; \($0)" } ?? "")
    }

    /// What to do about it, where that is plain.
    private var remedy: String? {
        switch code {
        case EACCES: "check its permissions"
        case EISDIR: "name a file, not a folder"
        case ENOENT: operation == .create ? "make its folder first" : "check the path"
        case ENOSPC: "make room on the disk"
        case EROFS: "the disk can only be read: choose another place"
        default: nil
        }
    }
}
