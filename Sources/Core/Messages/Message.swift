/// One MQTT message, ready to be published.
package struct Message: Hashable, Sendable {
    /// MQTT's quality of service. Level 2 is not used: every message is idempotent or numbered, so a duplicate does no harm.
    package enum QoS: UInt8, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    package var topic: String
    /// UTF-8 JSON; empty to clear a retained topic.
    package var payload: [UInt8]
    package let delivery: MessageDelivery
    /// True if the broker is asked to keep it for later subscribers. The delivery decides, unless this broker keeps no
    /// messages.
    package var isRetained: Bool
    /// The seconds after which a broker need not deliver it any more (MQTT 5); `nil` for never.
    package var expiry_s: UInt32?
    /// The correlation data of a response, by which its requester recognises it (MQTT 5).
    package var correlationData: [UInt8]?
    /// The replacement of a long response, for a broker that refuses its length.
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

    package var clearsTopic: Bool { delivery == .retained && payload.isEmpty }

    /// This message with its short payload, where it has one.
    package var shortened: Message? {
        guard let shortPayload else { return nil }
        var message = self
        message.payload = shortPayload
        message.shortPayload = nil
        return message
    }
}

/// The delivery of a message. Its QoS follows from it, and so does its way through queue, outbox and publisher.
package enum MessageDelivery: Hashable, Sendable {
    /// At least once, in order: the message waits in the outbox until the broker has acknowledged it. It has a number
    /// of this series; `nil` for a `gap` message, which has none.
    case durable(NumberSeries?)
    /// The latest message of its topic counts, and the broker keeps it for later subscribers.
    case retained
    /// On the present connection or not at all, unacknowledged. The next message replaces it.
    case ephemeral
    /// To the requester, on the present connection or not at all, acknowledged. A requester without an answer repeats
    /// the request.
    case answer

    var qos: Message.QoS { self == .ephemeral ? .atMostOnce : .atLeastOnce }

    /// True if other messages may overtake it when the broker refuses it. An older access list may refuse a new kind,
    /// which must not delay the events.
    package var isOptional: Bool {
        if case .durable(let series?) = self { series.isOptional } else { false }
    }
}
