import Agent
import Core

/// A log of receivers, entry by entry. `-` is standard input; a pipe is read as it comes. Two that read the file share its place
/// in it.
final class LocationLogFile {
    private var file: InputFile
    private var log = LocationLog()
    private var waiting: ArraySlice<LogClock<LocationLog.Entry>.Dated> = []
    private var isAtEnd = false
    private var toldMalformed = 0

    private static let pieceLength = 1 << 16

    init(path: String) throws(FileError) {
        file = try InputFile(path: path, mayBePipe: true)
    }

    /// When the next entry came; `nil` at the end.
    ///
    /// - Parameter wait: waits until there is something to read from a descriptor; `false` where nobody wants it any more.
    func nextTime(_ wait: (Int32) -> Bool) throws(FileError) -> WallTime? {
        while waiting.isEmpty, !isAtEnd {
            guard wait(file.descriptor) else { return nil }
            var octets: [UInt8] = []
            isAtEnd = try file.read(into: &octets, count: Self.pieceLength) == 0
            waiting = ArraySlice(isAtEnd ? log.finish() : log.read(octets))
        }
        return waiting.first?.came
    }

    func take() -> LogClock<LocationLog.Entry>.Dated? { waiting.popFirst() }

    /// Lines that were damaged, or of no time that is known.
    var unplayedCount: Int { log.malformedCount + log.undatedCount }

    /// Damaged lines since the last call.
    func takeMalformed() -> Int {
        defer { toldMalformed = log.malformedCount }
        return log.malformedCount - toldMalformed
    }
}
