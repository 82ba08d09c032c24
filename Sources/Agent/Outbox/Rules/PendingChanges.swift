import Core
import DequeModule

/// The content in memory alone: everything where there is no disk, and what waits for a failing disk.
struct PendingChanges {
    /// In order of position.
    private(set) var events: Deque<QueuedMessage> = []
    private(set) var bytes: Int64 = 0
    /// The number of events that `max_events` counts.
    private(set) var countedEvents: Int64 = 0
    /// Records changed since the file was last written; `nil` for a removed one.
    private(set) var records: [String: [UInt8]?] = [:]
    /// Values changed since the file was last written; `nil` for a removed one.
    private(set) var values: [String: [UInt8]?] = [:]

    var isEmpty: Bool { events.isEmpty && records.isEmpty && values.isEmpty }

    /// The most bytes that records and values take in the file. Rows do not fill their pages.
    var storedBytes: Int64 { Int64(Self.size(of: records) + Self.size(of: values)) * 5 / 4 }

    private static func size(of values: [String: [UInt8]?]) -> Int {
        values.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.count ?? 0) + 8 }
    }

    mutating func append(_ event: QueuedMessage) {
        events.append(event)
        bytes += event.size
        if event.number.series.isCounted { countedEvents += 1 }
    }

    mutating func apply(_ transaction: OutboxTransaction) {
        for record in transaction.records { records.updateValue(record.value, forKey: record.key) }
        for key in transaction.removedRecords { records.updateValue(nil, forKey: key) }
    }

    mutating func setValue(_ value: [UInt8], forKey key: String) { values.updateValue(value, forKey: key) }

    /// Removes records and values where there are no newer ones.
    mutating func remove(records keys: [String], values valueKeys: [String]) {
        for key in keys where records[key] == nil { records.updateValue(nil, forKey: key) }
        for key in valueKeys where values[key] == nil { values.updateValue(nil, forKey: key) }
    }

    /// Puts older events before the present ones.
    mutating func prepend(_ older: [QueuedMessage]) {
        events = Deque(older + events)
        bytes += older.reduce(0) { $0 + $1.size }
        countedEvents += Int64(older.count { $0.number.series.isCounted })
    }

    /// Adds older records and values where there are no newer ones.
    mutating func fill(records older: [OutboxRecord], values olderValues: [OutboxRecord]) {
        for record in older where records[record.key] == nil { records.updateValue(record.value, forKey: record.key) }
        for value in olderValues where values[value.key] == nil { values.updateValue(value.value, forKey: value.key) }
    }

    mutating func remove(at position: Position) {
        let index = firstIndex(atOrAfter: position)
        guard index < events.count, events[index].position == position else { return }
        let event = events.remove(at: index)
        bytes -= event.size
        if event.number.series.isCounted { countedEvents -= 1 }
    }

    /// Removes the oldest events that `retention` has no room for.
    mutating func dropOldest(_ retention: Retention) -> (events: [QueuedMessage], cause: OutboxGap.Cause)? {
        guard let excess = retention.excess(events: countedEvents, bytes: bytes) else { return nil }
        let count = excess.victims(among: events.lazy.filter { excess.concerns($0.number.series) }.map(\.size))
        var victims: [QueuedMessage] = []
        var spared: [QueuedMessage] = []
        while victims.count < count, let oldest = events.popFirst() {
            if excess.concerns(oldest.number.series) { victims.append(oldest) } else { spared.append(oldest) }
        }
        events.prepend(contentsOf: spared)
        bytes -= victims.reduce(0) { $0 + $1.size }
        countedEvents -= Int64(victims.count { $0.number.series.isCounted })
        return (victims, excess.cause)
    }

    /// The broken rules among those that always hold, a sentence for each.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        if bytes != events.reduce(0, { $0 + $1.size }) {
            broken.append("\(bytes) is not the size of the events in memory")
        }
        if countedEvents != Int64(events.count { $0.number.series.isCounted }) {
            broken.append("\(countedEvents) is not the number of counted events in memory")
        }
        if zip(events, events.dropFirst()).contains(where: { $0.position >= $1.position }) {
            broken.append("events in memory are out of order")
        }
        return broken
    }

    /// The index of the first event at or after `position`, found by bisection.
    func firstIndex(atOrAfter position: Position) -> Int {
        var low = 0
        var high = events.count
        while low < high {
            let middle = (low + high) / 2
            if events[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A message that waits for the broker's acknowledgement, with its place in the outbox.
///
/// The number alone does not tell the place: numbers have no order between series and epochs, and do not tell which of
/// two files holds the message.
package struct QueuedMessage: Hashable, Sendable {
    /// Identifies the message while this process lives, across epochs. Later messages have greater positions.
    package var position: Position
    /// The message. Its epoch may be older than the current one.
    var message: NumberedMessage

    package var number: MessageNumber { message.number }

    /// The approximate size in a file or in memory, in bytes: the text and its surroundings.
    var size: Int64 { Self.size(of: message) }

    static func size(of message: NumberedMessage) -> Int64 {
        Int64(message.topic.utf8.count) + Int64(message.payload.count) + Self.overhead
    }

    /// Approximate overhead of a message in memory. A row's header and cell pointer in SQLite are smaller.
    static let overhead: Int64 = 96
}

/// Messages, and the region states that caused them, to be stored together.
struct OutboxTransaction: Hashable, Sendable {
    /// Numbered without a gap from the `Numbering` given to `build`, each series by itself.
    var messages: [NumberedMessage]
    /// Records that replace those with the same keys.
    var records: [OutboxRecord]
    /// Keys of records to remove. A key that also stands in `records` is removed.
    var removedRecords: [String]
    /// Events that were lost before they got a number. They get the numbers after those of `messages`, which are
    /// reported as a gap. Negative values count as 0.
    var lostEvents: Int64

    init(
        messages: [NumberedMessage] = [], records: [OutboxRecord] = [], removedRecords: [String] = [],
        lostEvents: Int64 = 0
    ) {
        self.messages = messages
        self.records = records
        self.removedRecords = removedRecords
        self.lostEvents = max(lostEvents, 0)
    }

    var isEmpty: Bool { messages.isEmpty && records.isEmpty && removedRecords.isEmpty && lostEvents <= 0 }

    /// Stores a record, even where an earlier part of the transaction removes it.
    mutating func store(_ record: OutboxRecord) {
        removedRecords.removeAll { $0 == record.key }
        records.append(record)
    }

    /// Removes records, even where an earlier part of the transaction stores them.
    mutating func remove(_ keys: [String]) {
        let keys = Set(keys)
        records.removeAll { keys.contains($0.key) }
        removedRecords += keys.sorted()
    }
}

/// A piece of state that outlives the process, in the caller's own encoding.
package struct OutboxRecord: Hashable, Sendable {
    var key: String
    package var value: [UInt8]
}
