import Agent
import Glibc

/// A file, or standard output, that is written from beginning to end through the C library's buffer.
struct OutputFile: ~Copyable {
    private let path: String
    /// `nil` once it is closed.
    private var stream: UnsafeMutablePointer<FILE>?

    /// Creates or empties the file at `path`; `-` is standard output.
    init(path: String) throws(FileError) {
        let descriptor = try NamedFile.createOrStandardOutput(path, mode: 0o666)
        guard let opened = fdopen(descriptor, "w") else {
            throw FileError(path: path, operation: .create, code: errno)
        }
        self.path = path
        self.stream = opened
    }

    func write(_ bytes: [UInt8]) throws(FileError) {
        guard let stream else { throw FileError(path: path, operation: .write, code: EBADF) }
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else {
            throw FileError(path: path, operation: .write, code: errno)
        }
    }

    /// Writes what is buffered. A full disk may show only here.
    mutating func close() throws(FileError) {
        guard let open = stream else { return }
        stream = nil
        guard fclose(open) == 0 else { throw FileError(path: path, operation: .write, code: errno) }
    }

    deinit {
        if let stream { fclose(stream) }
    }
}
