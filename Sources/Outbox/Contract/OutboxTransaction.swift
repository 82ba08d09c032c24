public import Messages

/// What becomes true together: messages and the region states that gave rise to them.
public struct OutboxTransaction: Hashable, Sendable {
    /// Numbered without a gap from the `Numbering` that the transaction was built for, each series by itself.
    public var messages: [NumberedMessage]
    /// Stored under their keys, in place of what stood there.
    public var records: [OutboxRecord]
    /// Keys whose records go. A key that also stands in `records` is removed.
    public var removedRecords: [String]
    /// Events that were lost before they could be numbered: they get the numbers after those of `messages`, which are stated
    /// as a gap. Negative values count as 0.
    public var lostEvents: Int64

    public init(
        messages: [NumberedMessage] = [], records: [OutboxRecord] = [], removedRecords: [String] = [],
        lostEvents: Int64 = 0
    ) {
        self.messages = messages
        self.records = records
        self.removedRecords = removedRecords
        self.lostEvents = max(lostEvents, 0)
    }

    public var isEmpty: Bool { messages.isEmpty && records.isEmpty && removedRecords.isEmpty && lostEvents <= 0 }
}

/// A piece of state that outlives the process, in the caller's own encoding.
public struct OutboxRecord: Hashable, Sendable {
    public var key: String
    public var value: [UInt8]

    public init(key: String, value: [UInt8]) {
        self.key = key
        self.value = value
    }
}
