import Core
import DequeModule

extension Outbox {
    /// The number of acknowledged events at which a transaction of its own deletes them from the file.
    static let deletionBatch: Int64 = 1_000
    /// The longest time until that transaction. If another transaction comes first, the deletion costs nothing.
    static let deletionDelay = TimeSpan.seconds(60)

    /// The next events to send, oldest first, of those not returned since the last `rewind`: at most `limit`, at most
    /// 1000 and about 1 MiB at a time.
    ///
    /// While the disk cannot be read, events in memory are returned although older ones wait in the file. The older
    /// ones follow once the disk can be read.
    package func next(limit: Int) -> [QueuedMessage] {
        next(limit: limit, in: bookkeeping.formerEnd..<Position.afterAll)
    }

    /// The next events of former owners. They wait apart, so that they do not hold up this owner's events.
    func nextOfFormerOwners(limit: Int) -> [QueuedMessage] {
        guard bookkeeping.formerEnd > .beforeAll else { return [] }
        return next(limit: limit, in: Position.beforeAll..<bookkeeping.formerEnd)
    }

    private func next(limit: Int, in positions: Range<Position>) -> [QueuedMessage] {
        let limit = min(max(limit, 0), Self.largestPage)
        guard limit > 0 else { return [] }
        var page: [QueuedMessage] = []
        do {
            page = try nextStored(limit: limit, in: positions)
        } catch {
            fail(error)
        }
        var bytes = page.reduce(0) { $0 + $1.size }
        var index = pending.firstIndex(atOrAfter: positions.lowerBound)
        while page.count < limit, bytes < Self.largestPageBytes, index < pending.events.count {
            let event = pending.events[index]
            guard event.position < positions.upperBound else { break }
            if let end = cursor.endOfPassed(containing: event.position) {
                index = pending.firstIndex(atOrAfter: end)
                continue
            }
            page.append(event)
            bytes += event.size
            index += 1
        }
        for event in page { cursor.handedOut(event.position) }
        return page
    }

    /// Removes events that the broker has acknowledged. Positions that are not in the outbox are ignored.
    ///
    /// The file follows with the next transaction, after 1000 acknowledgements or after a minute. A crash before that
    /// only means a second delivery with the same numbers.
    package func acknowledge(_ positions: some Sequence<Position>) {
        for position in positions
        where position > bookkeeping.origin.beforeFile && position < bookkeeping.nextPosition {
            cursor.acknowledged(position)
            guard !pending.remove(at: position), position < bookkeeping.storedEnd,
                !bookkeeping.droppedPositions.contains(position)
            else { continue }
            bookkeeping.acknowledged.insert(position)
        }
        settleIfEmpty()
        guard bookkeeping.acknowledgedCount > 0 else { return }
        deletionDue = min(deletionDue, now + Self.deletionDelay)
        if isDurable, bookkeeping.acknowledgedCount >= Self.deletionBatch { persistPending() }
    }

    /// Sets an event aside that the broker refuses, so that it does not hold up the others. The event stays in the
    /// outbox, and is offered again after a restart. Beyond 1000 such events the oldest is given up and reported as a
    /// gap.
    func park(_ event: QueuedMessage) {
        let entry = ParkedEvents.Entry(position: event.position, number: event.number)
        guard let givenUp = cursor.park(entry) else { return }
        bookkeeping.drop([givenUp.number], cause: .refused)
        acknowledge([givenUp.position])
    }

    /// Gives up an event that the broker refuses for good: it leaves the outbox, and is reported as a gap.
    func giveUp(_ event: QueuedMessage) {
        bookkeeping.drop([event.number], cause: .refused)
        acknowledge([event.position])
    }

    /// Begins again with the oldest event and gap that the broker has not acknowledged; for every new connection.
    func rewind() {
        cursor.rewind(acknowledged: bookkeeping.acknowledged)
        bookkeeping.gaps.rewind()
        fresh.end()
    }

    /// Gaps to publish that were not returned since the last `rewind`.
    func takeGaps() -> [OutboxGap] { bookkeeping.gaps.take() }

    /// Whether subscribers have not been told all gaps yet.
    package var hasGaps: Bool { !bookkeeping.gaps.gaps.isEmpty }

    /// Removes `gap` after subscribers were told it. Before that, each `rewind` or restart offers it again.
    func confirm(_ gap: OutboxGap) {
        guard bookkeeping.gaps.confirm(gap) else { return }
        bookkeeping.areGapsChanged = true
        deletionDue = min(deletionDue, now + Self.deletionDelay)
    }

    private func nextStored(limit: Int, in positions: Range<Position>) throws(DiskError) -> [QueuedMessage] {
        guard let store, bookkeeping.storedEvents > bookkeeping.acknowledgedCount else { return [] }
        let isOwn = positions.upperBound == .afterAll
        if isOwn, fresh.isComplete {
            return fresh.take(limit: limit, bytes: Self.largestPageBytes) {
                cursor.endOfPassed(containing: $0.position) == nil
            }
        }
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
                if let end = cursor.endOfPassed(containing: event.position) {
                    resumption = end
                    return false
                }
                page.append(event)
                bytes += event.size
                return true
            }
        }
        // Later messages are handed on as they were written.
        if isOwn, !isFull { fresh.begin() }
        return page
    }

    /// Marks every number as settled where no event waits.
    private func settleIfEmpty() {
        if pending.events.isEmpty, bookkeeping.storedEvents <= bookkeeping.acknowledgedCount {
            bookkeeping.settled = bookkeeping.numbering
        }
    }
}

/// The progress of delivery on the present connection, and the positions that it skips.
struct DeliveryCursor {
    /// Positions to skip: sent already, acknowledged or set aside.
    private var passed = RangeSet<Position>()
    private(set) var parked = ParkedEvents()

    /// The end of the run of skipped positions that holds `position`; `nil` where it is not skipped.
    func endOfPassed(containing position: Position) -> Position? {
        // Ranges are few, since events are sent in order.
        passed.ranges.first { $0.contains(position) }?.upperBound
    }

    mutating func handedOut(_ position: Position) { passed.insert(position) }

    mutating func acknowledged(_ position: Position) {
        if !parked.entries.isEmpty { parked.remove(position: position) }
        if !passed.contains(position) { passed.insert(position) }
    }

    /// Sets an event aside; returns the event that is given up for it.
    mutating func park(_ entry: ParkedEvents.Entry) -> ParkedEvents.Entry? {
        passed.insert(entry.position)
        return parked.add(entry)
    }

    /// Begins again with the oldest event that is neither acknowledged nor set aside.
    mutating func rewind(acknowledged: RangeSet<Position>) {
        passed = acknowledged
        for entry in parked.entries { passed.insert(entry.position) }
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

    package struct Entry: Hashable {
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

    mutating func remove(position: Position) { entries.removeAll { $0.position == position } }
}
