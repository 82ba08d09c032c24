import Files
import HCI
import Messages

/// What `beacond replay --output jsonl` printed for one gateway, line by line. `-` is standard input.
final class MessageLog {
    struct Line {
        /// Since the beginning of the file, never less than in the line before.
        var t: Instant
        var topic: String
        /// `nil` for a message that clears its topic.
        var payload: PayloadFields?
    }

    private static let pieceLength = 1 << 16
    /// Longer than any message; what is longer is damaged.
    private static let longestLine = PayloadFields.maxPayload_bytes

    private var file: InputFile
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var isSkipping = false
    private var next: Line?
    private var latest = Instant.origin
    /// Lines that could not be read.
    private(set) var malformedCount = 0

    init(path: String) throws(FileError) {
        file = try InputFile(path: path, mayBePipe: false)
    }

    /// The next line that can be read; `nil` at the end.
    func peek() throws(FileError) -> Line? {
        while next == nil, let octets = try nextLine() {
            if octets.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            do throws(PayloadError) {
                let (t_s, topic, payload) = try JSONLine.read(octets)
                latest = max(latest, .origin + .seconds(t_s))
                next = Line(t: latest, topic: topic, payload: payload)
            } catch {
                malformedCount += 1
            }
        }
        return next
    }

    func take() { next = nil }

    private func nextLine() throws(FileError) -> [UInt8]? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                if isSkipping { isSkipping = false } else { return Array(buffer[start..<end]) }
                continue
            }
            if isAtEnd {
                defer { (buffer, start) = ([], 0) }
                return start < buffer.count && !isSkipping ? Array(buffer[start...]) : nil
            }
            buffer.removeSubrange(..<start)
            start = 0
            if buffer.count > Self.longestLine {
                if !isSkipping { malformedCount += 1 }
                isSkipping = true
                buffer = []
            }
            isAtEnd = try file.read(into: &buffer, count: Self.pieceLength) == 0
        }
    }
}
