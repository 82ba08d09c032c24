/// One MQTT message, ready to be published.
package struct Message: Hashable, Sendable {
    /// MQTT's quality of service. Level 2 is not used: every message is idempotent or numbered.
    package enum QoS: UInt8, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    package var topic: String
    /// UTF-8 JSON; empty to clear a retained topic.
    package var payload: [UInt8]
    /// How it reaches those who want it.
    package let delivery: MessageDelivery
    /// Whether the broker is asked to keep it for those who subscribe later: as its delivery says, unless this broker keeps nothing.
    package var isRetained: Bool
    /// Seconds after which a broker need not deliver it any more (MQTT 5); `nil` for never.
    package var expiry_s: UInt32?
    /// Of a response: what its requester knows it by (MQTT 5).
    package var correlationData: [UInt8]?
    /// Of a response that may be long: what goes out in its place where the broker takes none of that length.
    var shortPayload: [UInt8]?

    package init(
        topic: String, payload: [UInt8], _ delivery: MessageDelivery, expiry_s: UInt32? = nil,
        correlationData: [UInt8]? = nil, shortPayload: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.delivery = delivery
        self.isRetained = delivery == .retained
        self.expiry_s = expiry_s
        self.correlationData = correlationData
        self.shortPayload = shortPayload
    }

    package var qos: QoS { delivery.qos }

    /// Whether it takes what is retained from its topic.
    package var clearsTopic: Bool { delivery == .retained && payload.isEmpty }

    /// The same message with its short payload, where it has one.
    package var shortened: Message? {
        guard let shortPayload else { return nil }
        var message = self
        message.payload = shortPayload
        message.shortPayload = nil
        return message
    }
}
