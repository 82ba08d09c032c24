import Agent
import Glibc

/// A regular file, a pipe or standard input, read piece by piece.
struct InputFile: ~Copyable {
    /// For waiting until there is something to read.
    let descriptor: Int32
    let path: String

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - mayBePipe: who reads it polls its descriptor first.
    init(path: String, mayBePipe: Bool) throws(FileError) {
        // Nothing of it is there while it may still fail: Swift 6.2 destroys twice what such an initialiser leaves half made.
        let opened = path == "-" ? 0 : try NamedFile.open(path, mayBePipe: mayBePipe)
        self.init(path: path, descriptor: opened)
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
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

    /// The whole of a regular file, at most `limit` octets and one more, by which the caller sees that there are too many.
    static func readAll(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        var file = try InputFile(path: path, mayBePipe: false)
        var octets: [UInt8] = []
        while octets.count <= limit {
            let got = try file.read(into: &octets, count: min(65_536, limit + 1 - octets.count))
            if got == 0 { break }
        }
        return octets
    }
}
