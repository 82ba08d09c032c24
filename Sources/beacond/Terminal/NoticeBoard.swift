import Logging
import Synchronization

/// Keeps the last thing that the radio said, for a screen on which lines of a log would smear the picture.
final class NoticeBoard: Sendable {
    private let text = Mutex("")

    var last: String { text.withLock(\.self) }

    /// Takes messages from `notice` on.
    var logger: Logger {
        var logger = Logger(label: "beacond") { _ in Handler(board: self) }
        logger.logLevel = .notice
        return logger
    }

    private struct Handler: LogHandler {
        let board: NoticeBoard
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { board.text.withLock { $0 = "\(event.message)" } }
    }
}
