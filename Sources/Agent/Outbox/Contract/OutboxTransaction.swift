import Core

/// What becomes true together: messages and the region states that gave rise to them.
struct OutboxTransaction: Hashable, Sendable {
    /// Numbered without a gap from the `Numbering` that the transaction was built for, each series by itself.
    package var messages: [NumberedMessage]
    /// Stored under their keys, in place of what stood there.
    var records: [OutboxRecord]
    /// Keys whose records go. A key that also stands in `records` is removed.
    var removedRecords: [String]
    /// Events that were lost before they could be numbered: they get the numbers after those of `messages`, which are stated
    /// as a gap. Negative values count as 0.
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
