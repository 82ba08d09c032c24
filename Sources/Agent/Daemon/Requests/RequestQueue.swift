import Core
import Synchronization

/// The bounded queue of requests from the delivery loop to the radio loop: the one thing that travels against the stream.
package final class RequestQueue: Sendable {
    package struct Entry {
        var request: Request
        package var address: ReplyAddress
    }

    /// More than this many wait only where the radio loop hangs.
    package static let limit = 32

    private let entries = Mutex<[Entry]>([])
    private let wake: @Sendable () -> Void

    /// - Parameter wake: has the radio loop look for requests soon; it is called from the delivery loop.
    package init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// `false` where too many wait already.
    func push(_ entry: Entry) -> Bool {
        let isTaken = entries.withLock { entries in
            guard entries.count < Self.limit else { return false }
            entries.append(entry)
            return true
        }
        if isTaken { wake() }
        return isTaken
    }

    package func take() -> [Entry] {
        entries.withLock { entries in
            defer { entries.removeAll(keepingCapacity: true) }
            return entries
        }
    }
}
