/// The topics on which a receiver's packets come. Two of them at a time are two receivers, which count as one.
package struct ReceiverSenders: Sendable {
    /// The silence after which another topic replaces the first one.
    static let silence = TimeSpan.seconds(60)

    private var first: (topic: String, at: Instant)?

    package init() {}

    /// Takes the topic of a message with packets.
    ///
    /// - Returns: both topics where the message comes from a second receiver.
    package mutating func take(_ topic: String, at now: Instant) -> (first: String, second: String)? {
        guard let first, first.topic != topic, now - first.at < Self.silence else {
            self.first = (topic, now)
            return nil
        }
        return (first.topic, topic)
    }

    /// The warning for an operator.
    package static func warning(_ first: String, _ second: String) -> String {
        "packets come on \(first) and on \(second), which count as one receiver: set receiver.topic to one of them, "
            + "and give the other its own configuration file"
    }
}
