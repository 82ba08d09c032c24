import Core

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
}

/// A piece of state that outlives the process, in the caller's own encoding.
package struct OutboxRecord: Hashable, Sendable {
    var key: String
    package var value: [UInt8]
}
