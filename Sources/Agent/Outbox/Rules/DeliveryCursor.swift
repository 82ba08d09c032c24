import Core
import DequeModule

/// The progress of delivery: the events that wait to be handed out.
struct DeliveryCursor {
    /// The most that one page returns.
    static let largestPage = 1_000
    static let largestPageBytes: Int64 = 1 << 20

    /// Positions to skip: handed out or acknowledged.
    private var passed = RangeSet<Position>()
    private var parked = ParkedEvents()
    private var fresh = FreshMessages()

    var parkedCount: Int { parked.entries.count }

    /// The next events of the file, oldest first: at most `limit`, and as many as begin within about 1 MiB.
    ///
    /// - Parameter store: the open file; `nil` while it can't be read. Events that are in memory too need no file.
    mutating func next(
        limit: Int, in positions: Range<Position>, of store: EventStore?, _ bookkeeping: Bookkeeping
    ) throws(DiskError) -> [QueuedMessage] {
        guard bookkeeping.storedEvents > bookkeeping.acknowledgedCount else { return [] }
        let isOwn = positions.upperBound == .afterAll
        if isOwn, fresh.isComplete {
            let passed = passed
            return fresh.take(limit: limit, bytes: Self.largestPageBytes) { !passed.contains($0.position) }
        }
        guard let store else { return [] }
        var page: [QueuedMessage] = []
        var bytes: Int64 = 0
        var isFull = false
        var resumption: Position? = max(positions.lowerBound, bookkeeping.origin.beforeFile)
        while let start = resumption {
            resumption = nil
            try store.events(from: start) { (event: QueuedMessage) throws(DiskError) in
                // Rows beyond are left from a transaction that failed; its content is in memory.
                guard event.position < min(bookkeeping.storedEnd, positions.upperBound) else { return false }
                isFull = page.count >= limit || bytes >= Self.largestPageBytes
                if isFull { return false }
                if let end = endOfPassed(containing: event.position) {
                    resumption = end
                    return false
                }
                page.append(event)
                bytes += event.size
                return true
            }
        }
        // Later messages are handed on as they were written.
        // A file that is only read may show more once the disk works.
        if isOwn, !isFull, !store.isReadOnly { fresh.begin() }
        return page
    }

    /// Hands out `page` and, within its limits, the events in memory after it.
    mutating func handOut(
        _ page: [QueuedMessage], limit: Int, in positions: Range<Position>, and pending: PendingChanges
    ) -> [QueuedMessage] {
        var page = page
        var bytes = page.reduce(0) { $0 + $1.size }
        var index = pending.firstIndex(atOrAfter: positions.lowerBound)
        while page.count < limit, bytes < Self.largestPageBytes, index < pending.events.count {
            let event = pending.events[index]
            guard event.position < positions.upperBound else { break }
            if let end = endOfPassed(containing: event.position) {
                index = pending.firstIndex(atOrAfter: end)
                continue
            }
            page.append(event)
            bytes += event.size
            index += 1
        }
        for event in page { passed.insert(event.position) }
        return page
    }

    /// The end of the run of skipped positions that holds `position`; `nil` where it is not skipped.
    private func endOfPassed(containing position: Position) -> Position? {
        // Ranges are few, since events are sent in order.
        passed.ranges.first { $0.contains(position) }?.upperBound
    }

    mutating func acknowledged(_ position: Position) {
        if !parked.entries.isEmpty { parked.remove(position: position) }
        if !passed.contains(position) { passed.insert(position) }
    }

    /// Sets an event aside that was handed out; returns the event that is given up for it.
    mutating func park(_ entry: ParkedEvents.Entry) -> ParkedEvents.Entry? { parked.add(entry) }

    /// Records that the file has `messages` of this owner now.
    ///
    /// - Parameters:
    ///   - areAllKept: whether the file has room for all.
    ///   - isFirst: whether no other message of the file waits.
    mutating func committed(_ messages: [QueuedMessage], areAllKept: Bool, isFirst: Bool) {
        if !areAllKept {
            fresh.end()
        } else if isFirst {
            fresh.begin()
        }
        fresh.append(messages)
    }

    /// Removes events that were set aside and have left the outbox with the file.
    mutating func removeParked(where hasLeft: (Position) -> Bool) { parked.remove(where: hasLeft) }

    /// Returns the events of the file that wait and are in memory too. The file is read from now on.
    mutating func takeFresh() -> [QueuedMessage] {
        defer { fresh.end() }
        return fresh.take(limit: .max, bytes: .max) { !passed.contains($0.position) }
    }
}

/// The messages that were committed last, as they were written.
///
/// While the broker takes messages, delivery finds them here. The file is read for a backlog alone.
struct FreshMessages {
    /// The most octets. With more, delivery is behind, and reads the file.
    static let largest_bytes: Int64 = 1 << 18

    /// True while `messages` has each message of the file that waits to be handed out, apart from a former owner's.
    private(set) var isComplete = false
    private var messages: Deque<QueuedMessage> = []
    private var bytes: Int64 = 0

    /// Begins where no message of the file waits that was not handed out.
    mutating func begin() { (isComplete, messages, bytes) = (true, [], 0) }

    mutating func end() { (isComplete, messages, bytes) = (false, [], 0) }

    /// Adds messages that were committed to the file.
    mutating func append(_ committed: [QueuedMessage]) {
        guard isComplete else { return }
        messages += committed
        bytes += committed.reduce(0) { $0 + $1.size }
        if bytes > Self.largest_bytes { end() }
    }

    /// Removes and returns the oldest that wait: at most `limit`, and as many as begin within `limit_bytes`.
    mutating func take(
        limit: Int, bytes limit_bytes: Int64, where isWaiting: (QueuedMessage) -> Bool
    ) -> [QueuedMessage] {
        var (page, taken_bytes) = ([QueuedMessage](), Int64(0))
        while page.count < limit, taken_bytes < limit_bytes, let message = messages.popFirst() {
            bytes -= message.size
            guard isWaiting(message) else { continue }
            page.append(message)
            taken_bytes += message.size
        }
        return page
    }
}

/// Events that the broker refuses, set aside so that they do not hold up the others. They stay in the outbox, and are
/// offered again after a restart.
struct ParkedEvents: Hashable {
    /// The most events; beyond it the oldest is given up.
    static let capacity = 1_000

    struct Entry: Hashable {
        var position: Position
        var number: MessageNumber
    }

    private(set) var entries: [Entry] = []

    /// Sets an event aside; returns the event that is given up for it.
    mutating func add(_ entry: Entry) -> Entry? {
        guard !entries.contains(where: { $0.position == entry.position }) else { return nil }
        entries.append(entry)
        return entries.count > Self.capacity ? entries.removeFirst() : nil
    }

    mutating func remove(position: Position) { remove { $0 == position } }

    mutating func remove(where isGone: (Position) -> Bool) { entries.removeAll { isGone($0.position) } }
}
