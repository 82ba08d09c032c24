import Agent
import Core

/// A log of receivers, entry by entry. `-` is standard input; a pipe is read as its data comes. Copies share the
/// position in the file.
final class LocationLogFile {
    private let file: InputFile
    private var log = LocationLog()
    private var waiting: ArraySlice<LogClock<LocationLog.Entry>.Dated> = []
    private var isAtEnd = false
    private var loggedMalformed = 0

    private static let pieceLength = 1 << 16

    init(path: String) throws(FileError) { file = try InputFile(path: path, mayBePipe: true) }

    /// The time of the next entry; `nil` at the end.
    ///
    /// - Parameter wait: waits until a descriptor has something to read; returns `false` to give up.
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

    /// Lines that were damaged or have no known time.
    var unplayedCount: Int { log.malformedCount + log.undatedCount }

    /// Damaged lines since the last call.
    func takeMalformed() -> Int {
        defer { loggedMalformed = log.malformedCount }
        return log.malformedCount - loggedMalformed
    }
}
