import Agent
import Glibc

/// Writes to a descriptor in large pieces.
final class Output {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    /// True if the reader is gone, or writing failed: then no more is written.
    private(set) var isBroken = false
    /// The error of writing, such as a full disk. A reader that closes the pipe is no error.
    private(set) var failure: FileError?

    static let flushThreshold = 1 << 16

    /// - Parameter path: the name in an error.
    init(descriptor: Int32, path: String = "standard output") {
        self.descriptor = descriptor
        self.path = path
    }

    func write(_ octets: some Sequence<UInt8>) {
        buffer.append(contentsOf: octets)
        if buffer.count >= Self.flushThreshold { flush() }
    }

    /// Writes octets; a long piece is not copied first.
    func write(_ octets: [UInt8]) {
        if octets.count < Self.flushThreshold {
            buffer.append(contentsOf: octets)
            if buffer.count >= Self.flushThreshold { flush() }
        } else {
            flush()
            writeOut(octets)
        }
    }

    func flush() {
        writeOut(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    private func writeOut(_ octets: [UInt8]) {
        var start = 0
        while start < octets.count, !isBroken {
            let written = octets.withUnsafeBytes { octets in
                Glibc.write(descriptor, octets.baseAddress?.advanced(by: start), octets.count - start)
            }
            let code = errno
            if written >= 0 {
                start += written
            } else if code != EINTR {
                isBroken = true
                if code != EPIPE { failure = FileError(path: path, operation: .write, code: code) }
            }
        }
    }

    /// Writes one line to standard error, at once.
    static func complain(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    /// Writes a text, at once.
    static func write(_ text: String, to descriptor: Int32) {
        let output = Output(descriptor: descriptor)
        output.write(text.utf8)
        output.flush()
    }
}
