import Messages
import Radio
import Synchronization

/// The bounded queue of requests from the delivery loop to the radio loop: the one thing that travels against the stream.
final class RequestQueue: Sendable {
    struct Entry {
        var request: Request
        var address: ReplyAddress
    }

    /// More than this many wait only where the radio loop hangs.
    static let limit = 32

    private let entries = Mutex<[Entry]>([])
    private let loop: RadioLoop

    init(loop: RadioLoop) {
        self.loop = loop
    }

    /// `false` where too many wait already.
    func push(_ entry: Entry) -> Bool {
        let isTaken = entries.withLock { entries in
            guard entries.count < Self.limit else { return false }
            entries.append(entry)
            return true
        }
        if isTaken { loop.wake() }
        return isTaken
    }

    func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries.removeAll(keepingCapacity: true) }
            return entries
        }
    }
}
