import Core

/// What a QoS 1 message on its way is: which retained topic, which answer, which durable message, or which companion of one.
enum Ticket: Hashable, Sendable {
    case retained(topic: String)
    case answer(number: UInt64)
    case durable(sequence: UInt64)
    case companion(of: UInt64, index: Int)
}

/// What `DeliverySession` asks of the I/O half.
enum DeliveryAction: Hashable, Sendable {
    /// Begin a connection attempt.
    case connect
    /// Close the socket without a DISCONNECT, which lets the broker publish the will.
    case drop
    /// Say DISCONNECT, which makes the broker forget the will, and close.
    case disconnect
    case subscribe(filters: [String])
    case unsubscribe(filters: [String])
    /// Hand this to the connection, then say `published(_:as:)` or `refusedLocally(_:_:at:)`.
    case publish(Ticket, Message)
    /// Ask the source, then say `supply(_:at:)`, with an empty list too.
    case fetch(after: UInt64?, limit: Int)
    /// Likewise, then `supplyFormer(_:at:)`.
    case fetchOfFormerGateway(after: UInt64?, limit: Int)
    case acknowledge(sequence: UInt64)
    /// The broker has taken the empty message that clears a retained topic.
    case cleared(topic: String)
    /// No state that we do not know is left below our root; so many were.
    case searched(cleared: Int)
    case park(sequence: UInt64)
    /// An event of a former gateway is refused for good.
    case giveUp(sequence: UInt64)
    case say(DeliveryNotice)
}
