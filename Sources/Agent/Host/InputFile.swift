import Glibc

/// A regular file, a pipe or standard input, read piece by piece.
package final class InputFile {
    /// For `poll`, to wait for more to read.
    package let descriptor: Int32
    private let path: String

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - mayBePipe: whether a pipe is allowed; its reader polls the descriptor first.
    package init(path: String, mayBePipe: Bool) throws(FileError) {
        descriptor = path == "-" ? STDIN_FILENO : try NamedFile.open(path, mayBePipe: mayBePipe)
        self.path = path
    }

    /// A regular file by its name, also one that is called `-`.
    private init(named path: String) throws(FileError) {
        descriptor = try NamedFile.open(path, mayBePipe: false)
        self.path = path
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    /// Appends up to `count` octets to `buffer`, and returns their number: 0 at the end.
    package func read(into buffer: inout [UInt8], count: Int) throws(FileError) -> Int {
        var got: Result<Int, FileError> = .success(0)
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { piece in
            got = read(piece)
            // Appending zeros and reading over them would take far longer: in a debug build 0.4 s for 60 kB.
            let filled = (try? got.get()) ?? 0
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<filled]))
        }
        return try got.get()
    }

    /// The octets of `rest`, which are few, and up to `count` more; none of those at the end. They are read in place,
    /// since copying would cost 70 instructions for each report of a capture.
    package func read(after rest: ArraySlice<UInt8>, count: Int) throws(FileError) -> [UInt8] {
        var got: Result<Int, FileError> = .success(0)
        let octets = [UInt8](unsafeUninitializedCapacity: rest.count + count) { space, filled in
            filled = rest.count
            _ = space.initialize(from: rest)
            got = read(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: space[filled...])))
            filled += (try? got.get()) ?? 0
        }
        _ = try got.get()
        return octets
    }

    private func read(_ space: UnsafeMutableRawBufferPointer) -> Result<Int, FileError> {
        while true {
            let got = Glibc.read(descriptor, space.baseAddress, space.count)
            let code = errno
            if got >= 0 { return .success(got) }
            if code != EINTR { return .failure(FileError(path: path, operation: .read, code: code)) }
        }
    }

    /// The whole of a regular file: at most `limit` octets, and one more that tells the caller of a longer file.
    package static func readAll(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let file = try InputFile(named: path)
        var octets: [UInt8] = []
        while octets.count <= limit {
            let got = try file.read(into: &octets, count: min(65_536, limit + 1 - octets.count))
            if got == 0 { break }
        }
        return octets
    }
}
