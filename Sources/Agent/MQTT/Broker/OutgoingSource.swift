import Core

/// A durable message that waits for delivery, with its place in the queue.
///
/// The `seq` of a payload cannot be the place: a gap has none, and once a failed disk works again, older messages come after newer ones.
package struct OutgoingMessage: Hashable, Sendable {
    /// The place in the source: above 0, and ascending for as long as the process lives, whatever happens to the disk.
    /// It need not be the number in the payload.
    var sequence: UInt64
    var message: Message
    /// Of a gap: the messages that were sent without an acknowledgement before the outbox dropped them. Once the gap has gone out, they are not
    /// sent again.
    var givesUp: [UInt64] = []
    /// Messages with the same content for integrations, such as OwnTracks. Companions go out before the message, once in a connection. The message does not
    /// wait for their acknowledgements: a broker takes messages in order, and a companion that it refuses is not repeated.
    var companions: [Message] = []
    /// A retained topic whose present state is published again once no message waits, because a companion has overwritten it with an old one.
    var present: String?
}

/// A source of durable messages, which wait on disk until a broker has accepted them.
///
/// A source handles its own failures: if it cannot be read, it has nothing to deliver for now.
package protocol OutgoingSource {
    /// The next messages, ascending, of those not returned before: at most `limit`, and the gaps besides. The caller keeps what it got until
    /// it is acknowledged, over all connections.
    mutating func next(limit: Int) -> [OutgoingMessage]

    /// The next messages from when this machine had another site or gateway id. These keep their topics. The broker may refuse those, so
    /// they must not hold up this gateway's own messages. Sequences are unique across both.
    mutating func nextOfFormerGateway(limit: Int) -> [OutgoingMessage]

    /// Removes messages that the broker accepted. They come several at a time so that one transaction suffices. A
    /// message that is already gone is no error.
    mutating func acknowledge(_ sequences: [UInt64])

    /// Sets a message aside that can't be delivered because of its content.
    mutating func park(_ sequence: UInt64)

    /// Gives up a message of a former gateway, because the broker refuses it. A gap takes its place, under this gateway's own topic.
    mutating func giveUp(_ sequence: UInt64)
}

/// The limits of what a broker may deliver to the agent.
package struct IncomingLimits: Hashable, Sendable {
    /// The most messages that wait to be taken; those beyond are dropped.
    package var messages: Int
    /// The longest payload that is kept.
    package var payload_bytes: Int
    /// MQTT's Maximum Packet Size, which the agent announces: a broker drops longer packets instead of sending them.
    var packet_bytes: UInt32

    /// - Parameter packet_bytes: `nil` for 16 KiB above the payload, at least 64 KiB. So the agent receives a request that is too long, and can
    ///   refuse it with the reason.
    package init(messages: Int, payload_bytes: Int, packet_bytes: UInt32? = nil) {
        self.messages = messages
        self.payload_bytes = payload_bytes
        self.packet_bytes = packet_bytes ?? UInt32(clamping: max(65_536, payload_bytes + 16_384))
    }

    /// A request has a few hundred bytes.
    package static let requests = IncomingLimits(messages: 64, payload_bytes: 4_096)

    /// The limits where the agent takes settings over MQTT besides requests. Longer settings stay at the broker.
    package static let settings = IncomingLimits(
        messages: 64, payload_bytes: DesiredSettings.maxOctets, packet_bytes: UInt32(DesiredSettings.maxOctets))
}

/// The figures of delivery, for `health`. Counters begin at 0 when the process starts.
package struct DeliveryCounters: Hashable, Sendable {
    var isConnected = false
    /// Connections after the first.
    var reconnects = 0
    /// QoS 1 messages handed to a connection, repetitions included.
    var published = 0
    /// QoS 1 messages that a PUBACK accepted.
    var acknowledged = 0
    /// Durable messages that a PUBACK accepted although no subscriber matched their topic.
    var unmatched = 0
    /// QoS 1 messages that a PUBACK refused, by its reason.
    var refused: [ReasonCode: Int] = [:]
    /// Events set aside because their content was at fault.
    var parked = 0
    /// QoS 0 messages handed to a connection.
    var ephemeralPublished = 0
    /// QoS 0 messages dropped because there was no connection.
    var ephemeralDroppedOffline = 0
    /// QoS 0 messages dropped because the connection was backed up.
    var ephemeralDroppedBackedUp = 0
    /// Retained topics that the agent did not publish, because it had published as many as it may.
    var retainedTopicsRefused = 0
    /// Requests lost because the caller did not take them in time.
    var incomingDropped = 0
    /// Answers to requests that were dropped: the connection ended, or the broker refused them or took them too slowly.
    var answersDropped = 0
    /// The reason why there is no connection, or why the last one ended.
    var lastFailure: ConnectionFailure?

    init() {}
}
