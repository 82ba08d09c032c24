/// A message's number, which identifies the message for ever.
package struct MessageNumber: Hashable, Sendable {
    package var epoch: String
    package var series: NumberSeries
    /// The sequence number within the epoch and the series, from 1, without gaps.
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
    /// UTF-8 JSON.
    package var payload: [UInt8]

    package init(_ number: MessageNumber, topic: String, payload: [UInt8]) {
        self.number = number
        self.topic = topic
        self.payload = payload
    }
}

/// The payload of a numbered message. It contains the number too.
package protocol NumberedPayload: Payload {
    var number: MessageNumber { get }
}

extension NumberedMessage {
    init(_ payload: some NumberedPayload, topic: String) {
        self.init(payload.number, topic: topic, payload: payload.encoded)
    }
}

extension Message {
    package init(_ numbered: NumberedMessage) {
        self.init(topic: numbered.topic, payload: numbered.payload, .durable(numbered.number.series))
    }
}
