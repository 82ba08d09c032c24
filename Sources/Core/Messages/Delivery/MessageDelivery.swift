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
