import Agent
import Core

/// The output of `beacond replay --output jsonl` for one gateway, line by line. `-` is standard input.
final class MessageLog {
    struct Line {
        /// The time since the beginning of the file, plus `delay`; never less than in the line before.
        var t: Instant
        var topic: String
        /// `nil` for a message that clears its topic.
        var payload: PayloadFields?
    }

    /// A store has 64 of them open: together they must not take more memory than the store itself.
    private static let pieceLength = 1 << 13
    /// Longer than any message; a longer line is damaged.
    private static let longestLine = PayloadFields.maxPayload_bytes

    private let file: InputFile
    private var buffer: [UInt8] = []
    private var start = 0
    /// The place up to which no line ends after `start`.
    private var searched = 0
    private var isAtEnd = false
    private var isSkipping = false
    /// The place of the next line in the buffer, and its time. A parsed line would take five times the memory, and each
    /// of 64 files has one waiting.
    private var waiting: (place: Range<Int>, t: Instant)?
    private var latest = Instant.origin
    /// The time from the origin to the beginning of the file. Set it before any line is taken.
    var delay = TimeSpan.zero
    /// The number of lines that could not be read.
    private(set) var malformedCount = 0

    init(path: String) throws(FileError) { file = try InputFile(path: path, mayBePipe: false) }

    /// The time of the next line, as its beginning states; `nil` at the end.
    func nextTime() throws(FileError) -> Instant? {
        while waiting == nil, let place = try nextLine() {
            let octets = buffer[place]
            if octets.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
            do throws(PayloadError) {
                waiting = (place, max(latest, .origin + .seconds(try JSONLine.time_s(octets))))
            } catch {
                malformedCount += 1
            }
        }
        return waiting.map { $0.t + delay }
    }

    /// Reads the next line without taking it; `nil` at the end, and where the line is damaged after its time.
    func peek() throws(FileError) -> Line? {
        guard try nextTime() != nil, let (place, t) = waiting else { return nil }
        do throws(PayloadError) {
            let (_, topic, payload) = try JSONLine.read(Array(buffer[place]))
            return Line(t: t + delay, topic: topic, payload: payload)
        } catch {
            waiting = nil
            malformedCount += 1
            return nil
        }
    }

    /// Takes the next line; `nil` as in `peek`.
    func take() throws(FileError) -> Line? {
        guard let line = try peek(), let t = waiting?.t else { return nil }
        (waiting, latest) = (nil, t)
        return line
    }

    private func nextLine() throws(FileError) -> Range<Int>? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = start..<end
                (start, searched) = (end + 1, end + 1)
                if isSkipping { isSkipping = false } else { return line }
                continue
            }
            if isAtEnd {
                let line = start..<buffer.count
                (start, searched) = (buffer.count, buffer.count)
                if line.isEmpty { (buffer, start, searched) = ([], 0, 0) }
                return line.isEmpty || isSkipping ? nil : line
            }
            buffer.removeSubrange(..<start)
            start = 0
            if buffer.count > Self.longestLine {
                if !isSkipping { malformedCount += 1 }
                isSkipping = true
                buffer = []
            }
            searched = buffer.count
            isAtEnd = try file.read(into: &buffer, count: Self.pieceLength) == 0
        }
    }
}
