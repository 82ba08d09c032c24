/// A message's number: it names the message for ever.
package struct MessageNumber: Hashable, Sendable {
    /// One outbox's life.
    package var epoch: String
    package var series: NumberSeries
    /// From 1 within the epoch and the series, without gaps.
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
    /// UTF-8 JSON, which names the same number.
    package var payload: [UInt8]

    package init(_ number: MessageNumber, topic: String, payload: [UInt8]) {
        self.number = number
        self.topic = topic
        self.payload = payload
    }
}

/// What a numbered message says. It names the number, too.
package protocol NumberedPayload: Payload {
    var number: MessageNumber { get }
}

extension NumberedMessage {
    init(_ payload: some NumberedPayload, topic: String) {
        self.init(payload.number, topic: topic, payload: payload.encoded)
    }
}

extension Message {
    /// As it goes to the broker.
    package init(_ numbered: NumberedMessage) {
        self.init(topic: numbered.topic, payload: numbered.payload, .durable(numbered.number.series))
    }
}

/// How a message reaches those who want it. Quality of service, retaining and expiry follow from it, and so does the way
/// through queue, outbox and publisher.
package enum MessageDelivery: Hashable, Sendable {
    /// At least once, in order: it waits in the outbox until the broker has acknowledged it. It has a number of this series;
    /// `nil` for what states the loss of numbers, which has none and waits there all the same.
    case durable(NumberSeries?)
    /// The latest of its topic counts, and the broker keeps it for those who subscribe later.
    case retained
    /// On the present connection or not at all, unacknowledged: the next one says the same anew.
    case ephemeral
    /// To the requester, on the present connection or not at all, acknowledged: whoever gets none asks again.
    case answer

    /// MQTT's quality of service.
    var qos: Message.QoS { self == .ephemeral ? .atMostOnce : .atLeastOnce }

    /// Whether others wait for it to be accepted. What an access list does not know yet must not hold up the events.
    package var isOptional: Bool {
        if case .durable(let series?) = self { series.isOptional } else { false }
    }
}
