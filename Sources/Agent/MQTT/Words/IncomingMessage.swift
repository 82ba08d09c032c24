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
