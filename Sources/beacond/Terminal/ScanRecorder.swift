import Agent
import Core

/// The recorder of `--write`, beside the table: it writes events to the file, and reports its state.
struct ScanRecorder {
    private let recent: RecentEvents
    /// `nil` once writing has failed.
    private var writer: CaptureWriter?
    private var cursor = EventRing.Cursor()
    private var missed: UInt64 = 0
    private var written: UInt64 = 0
    private let path: String
    /// The error of writing; the table goes on without the capture.
    private(set) var failure: FileError?

    /// Creates the file.
    init(path: String, recent: RecentEvents) throws(FileError) {
        writer = try CaptureWriter(path: path, mode: 0o640)
        self.path = path
        self.recent = recent
    }

    /// Writes all events that are there now.
    mutating func drain() {
        let end = recent.newest
        while writer != nil {
            let piece = recent.piece(from: cursor, through: end)
            if piece.isEmpty { return }
            cursor = piece.next
            missed += piece.missed
            let timebase = SystemClock.timebase
            do throws(FileError) {
                try writer?.write(piece) { timebase.wall($0) }
                written = writer?.count ?? written
            } catch {
                failure = error
                writer = nil
            }
        }
    }

    /// Syncs the capture, once the radio has stopped.
    mutating func finish() {
        drain()
        do throws(FileError) { try writer?.sync() } catch { failure = error }
    }

    /// True if the reader of standard output is gone.
    var isBroken: Bool { path == "-" && failure != nil }

    /// `room.btsnoop: 1234 events`, with the error, if any.
    var status: String {
        let lost = missed > 0 ? ", \(missed) missed" : ""
        guard let failure else { return "capture \(path): \(written) events\(lost)" }
        return "capture stopped after \(written) events\(lost): \(failure)"
    }
}
