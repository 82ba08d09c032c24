/// A message's number, which identifies the message for ever.
package struct MessageNumber: Hashable, Sendable {
    /// The name of the epoch.
    package var epoch: String
    package var series: NumberSeries
    /// The number within the epoch and the series, from 1, without gaps.
    package var seq: Int64

    package init(epoch: String, series: NumberSeries = .events, seq: Int64) {
        self.epoch = epoch
        self.series = series
        self.seq = seq
    }
}

/// A durable message, from the transaction that commits it to the acknowledgement of the broker.
package struct NumberedMessage: Hashable, Sendable {
    package var number: MessageNumber
    package var topic: String
    /// UTF-8 JSON, which contains the number too.
    package var payload: [UInt8]
    /// The values of the payload; `nil` for a message that was read from the outbox's file, or has waited in memory.
    package var values: (any NumberedPayload)?

    package init(_ number: MessageNumber, topic: String, payload: [UInt8], values: (any NumberedPayload)? = nil) {
        self.number = number
        self.topic = topic
        self.payload = payload
        self.values = values
    }

    /// The values are in the payload too.
    package static func == (left: NumberedMessage, right: NumberedMessage) -> Bool {
        left.number == right.number && left.topic == right.topic && left.payload == right.payload
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(topic)
    }
}

/// The payload of a numbered message. It contains the number too.
package protocol NumberedPayload: Payload {
    var number: MessageNumber { get }
}

extension NumberedMessage {
    init(_ payload: some NumberedPayload, topic: String) {
        self.init(payload.number, topic: topic, payload: payload.encoded, values: payload)
    }
}

extension Message {
    /// Makes the message to publish.
    package init(_ numbered: NumberedMessage) {
        self.init(topic: numbered.topic, payload: numbered.payload, .durable(numbered.number.series))
    }
}

/// The delivery of a message. Its QoS, retain flag and expiry follow from it, and so does its way through queue, outbox
/// and publisher.
package enum MessageDelivery: Hashable, Sendable {
    /// At least once, in order: the message waits in the outbox until the broker has acknowledged it. It has a number
    /// of this series. A message about lost numbers has no series (`nil`), and waits nevertheless.
    case durable(NumberSeries?)
    /// The latest message of its topic counts, and the broker keeps it for later subscribers.
    case retained
    /// On the present connection or not at all, unacknowledged. The next message replaces it.
    case ephemeral
    /// To the requester, on the present connection or not at all, acknowledged. A requester without an answer repeats
    /// the request.
    case answer

    /// MQTT's quality of service.
    var qos: Message.QoS { self == .ephemeral ? .atMostOnce : .atLeastOnce }

    /// Whether other messages may overtake it when the broker refuses it. A kind that an access list does not know yet
    /// must not delay the events.
    package var isOptional: Bool {
        if case .durable(let series?) = self { series.isOptional } else { false }
    }
}
