/// A numbered message on its way into the outbox.
public struct OutboxEvent: Hashable, Sendable {
    public var kind: OutboxKind
    /// Its number among those of its kind within the outbox's current epoch.
    public var seq: Int64
    public var topic: String
    /// UTF-8 JSON, which names the same epoch and number.
    public var payload: [UInt8]

    public init(kind: OutboxKind = .event, seq: Int64, topic: String, payload: [UInt8]) {
        self.kind = kind
        self.seq = seq
        self.topic = topic
        self.payload = payload
    }
}

/// A message waiting for the broker's acknowledgement.
public struct QueuedEvent: Hashable, Sendable {
    /// Names the event while this process lives, across epochs. Later events have greater positions.
    public var position: Int64
    /// The epoch that `seq` belongs to; not the current one where the event is older than that.
    public var epoch: String
    public var kind: OutboxKind
    public var seq: Int64
    public var topic: String
    public var payload: [UInt8]

    public init(
        position: Int64, epoch: String, kind: OutboxKind = .event, seq: Int64, topic: String, payload: [UInt8]
    ) {
        self.position = position
        self.epoch = epoch
        self.kind = kind
        self.seq = seq
        self.topic = topic
        self.payload = payload
    }

    var number: MessageNumber { MessageNumber(epoch: epoch, kind: kind, seq: seq) }

    /// What it takes in a file or in memory, about, in bytes: its text and what surrounds it.
    var size: Int64 { Int64(topic.utf8.count) + Int64(payload.count) + Self.overhead }

    /// A row's header and cell pointer in SQLite are smaller, the allocations in memory about this.
    static let overhead: Int64 = 96
}
