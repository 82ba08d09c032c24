import Agent
import Core

/// What `--write` does beside the table: takes the events into the file, and says how that goes.
struct ScanRecorder: ~Copyable {
    private let recent: RecentEvents
    /// `nil` once writing has failed.
    private var writer: CaptureWriter?
    private var cursor = EventRing.Cursor()
    private var missed: UInt64 = 0
    private var written: UInt64 = 0
    private let path: String
    /// What went wrong; the table goes on without the capture.
    private(set) var failure: FileError?

    /// Creates the file.
    init(path: String, recent: RecentEvents) throws(FileError) {
        // Created before anything of the recorder is there: see InputFile.
        self.init(try CaptureWriter(path: path, mode: 0o640), path: path, recent: recent)
    }

    private init(_ writer: consuming CaptureWriter, path: String, recent: RecentEvents) {
        self.writer = consume writer
        self.path = path
        self.recent = recent
    }

    /// Writes everything that is there now.
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

    /// Has the disk confirm the capture, once the radio has stopped.
    mutating func finish() {
        drain()
        do throws(FileError) { try writer?.sync() } catch { failure = error }
    }

    /// Whether whoever reads standard output has gone away.
    var isBroken: Bool { path == "-" && failure != nil }

    /// `room.btsnoop: 1234 events`, and what went wrong with it.
    var status: String {
        let lost = missed > 0 ? ", \(missed) missed" : ""
        guard let failure else { return "capture \(path): \(written) events\(lost)" }
        return "capture stopped after \(written) events\(lost): \(failure)"
    }
}
