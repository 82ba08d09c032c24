import Core

/// A durable message that waits for delivery, with its place in the line.
///
/// The message alone would not do: what states a gap has no number, and a disk that comes back hands out older numbers after newer
/// ones.
package struct OutgoingMessage: Hashable, Sendable {
    /// Its place in the source: above 0, ascending for as long as the process lives, whatever becomes of the disk. It need
    /// not be the number in the payload.
    var sequence: UInt64
    var message: Message
    /// The sequences of messages, handed out before, whose loss this one states: once this one has gone out, they don't any
    /// more.
    var givesUp: [UInt64]
    /// The same news in the words of others. They go out before it each time that it does, and nothing waits for them: a broker
    /// takes what comes in order, so that once it has the message it had them.
    var companions: [Message]
    /// A retained topic that is said again once nothing waits any more, because the companions tell of what is past.
    var present: String?

    init(
        sequence: UInt64, _ message: Message, givesUp: [UInt64] = [], companions: [Message] = [], present: String? = nil
    ) {
        self.present = present
        self.sequence = sequence
        self.message = message
        self.givesUp = givesUp
        self.companions = companions
    }
}

/// Where durable messages wait, on disk, until a broker has accepted them.
///
/// It handles its own failures: a source that cannot be read has nothing to deliver for now.
package protocol OutgoingSource {
    /// At most `limit` messages with numbers above `sequence` (`nil`: from the first that waits), ascending.
    mutating func next(after sequence: UInt64?, limit: Int) -> [OutgoingMessage]

    /// As above, of messages that speak for another gateway: for the one that this one was before it was moved. They go out
    /// under its topics, which the broker may have closed to us, so they hold up none of our own.
    mutating func nextOfFormerGateway(after sequence: UInt64?, limit: Int) -> [OutgoingMessage]

    /// These messages were accepted and need not be kept. They come several at a time so that one transaction suffices.
    /// One that is no longer there is not an error.
    mutating func acknowledge(_ sequences: [UInt64])

    /// This message can't be delivered because of what it is: set it aside.
    mutating func park(_ sequence: UInt64)

    /// This message of a former gateway can't be delivered: the broker refuses what that gateway says.
    mutating func giveUp(_ sequence: UInt64)
}

/// A source that was never another gateway's.
extension OutgoingSource {
    mutating func nextOfFormerGateway(after sequence: UInt64?, limit: Int) -> [OutgoingMessage] { [] }
    mutating func giveUp(_ sequence: UInt64) {}
}

/// How much a broker may deliver to us.
package struct IncomingLimits: Hashable, Sendable {
    /// Messages that wait to be taken, at most; those beyond are dropped.
    package var messages: Int
    /// Longer payloads are not kept.
    package var payload_bytes: Int

    package init(messages: Int, payload_bytes: Int) {
        self.messages = messages
        self.payload_bytes = payload_bytes
    }

    /// A request is a few hundred bytes.
    package static let requests = IncomingLimits(messages: 64, payload_bytes: 4_096)

    /// What the broker is told not to exceed: the broker drops what is larger instead of sending it. A topic and what MQTT needs have
    /// room in it, and a request that is a little too long, so that it can be refused with the reason.
    var packet_bytes: UInt32 { UInt32(clamping: max(65_536, payload_bytes + 16_384)) }
}

/// A message that the broker delivered to one of our subscriptions.
package struct IncomingMessage: Hashable, Sendable {
    package enum Payload: Hashable, Sendable {
        case bytes([UInt8])
        /// The payload had `length` bytes, more than the limit, and was dropped.
        case oversize(length: Int)
    }

    package var topic: String
    package var payload: Payload
    /// A retained message was published before we subscribed: an old request, which must not be carried out.
    var isRetained: Bool
    /// Where the answer is wanted (MQTT 5).
    var responseTopic: String?
    /// What the answer must carry back (MQTT 5).
    var correlationData: [UInt8]?

    package init(
        topic: String, payload: Payload, isRetained: Bool, responseTopic: String? = nil, correlationData: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.responseTopic = responseTopic
        self.correlationData = correlationData
    }
}

/// How delivery goes, for `health`. Counts run from the start of the process.
package struct DeliveryCounters: Hashable, Sendable {
    var isConnected = false
    /// Connections that stood after the first.
    var reconnects = 0
    /// QoS 1 messages handed to a connection, repetitions included.
    var published = 0
    /// QoS 1 messages that a PUBACK accepted.
    var acknowledged = 0
    /// Durable messages that a PUBACK accepted although no subscriber matched their topic.
    var unmatched = 0
    /// QoS 1 messages that a PUBACK refused, by its reason.
    var refused: [ReasonCode: Int] = [:]
    /// Events given up because they themselves were at fault.
    var parked = 0
    /// QoS 0 messages handed to a connection.
    var ephemeralPublished = 0
    /// QoS 0 messages dropped because there was no connection.
    var ephemeralDroppedOffline = 0
    /// QoS 0 messages dropped because the connection was backed up.
    var ephemeralDroppedBackedUp = 0
    /// Retained topics refused because there were too many.
    var retainedTopicsRefused = 0
    /// Requests lost because the caller did not take them in time.
    var incomingDropped = 0
    /// Answers to requests given up: the broker was gone, refused them, or took them too slowly.
    var answersDropped = 0
    /// Why there is no connection, or why the last one ended.
    var lastFailure: ConnectionFailure?

    init() {}
}
