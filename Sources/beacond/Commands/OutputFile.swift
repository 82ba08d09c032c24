import Glibc

/// A file, or standard output, that is written from beginning to end through the C library's buffer.
struct OutputFile: ~Copyable {
    /// What went wrong with which file.
    struct Failure: Error, CustomStringConvertible {
        var path: String
        var verb: String
        var code: Int32

        var description: String { "\(path): cannot \(verb): \(String(cString: strerror(code)))" }
    }

    private let path: String
    /// `nil` once it is closed.
    private var stream: UnsafeMutablePointer<FILE>?

    /// Creates or empties the file at `path`; `-` is standard output.
    init(path: String) throws(Failure) {
        let opened = path == "-" ? fdopen(dup(STDOUT_FILENO), "w") : fopen(path, "we")
        guard let opened else { throw Failure(path: path, verb: "open for writing", code: errno) }
        self.path = path
        self.stream = opened
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        guard let stream else { throw Failure(path: path, verb: "write", code: EBADF) }
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count else {
            throw Failure(path: path, verb: "write", code: errno)
        }
    }

    /// Writes what is buffered. A full disk may show only here.
    mutating func close() throws(Failure) {
        guard let open = stream else { return }
        stream = nil
        guard fclose(open) == 0 else { throw Failure(path: path, verb: "write", code: errno) }
    }

    deinit {
        if let stream { fclose(stream) }
    }
}
