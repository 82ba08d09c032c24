import Messages

/// What a QoS 1 message on its way is: which retained topic, which answer, or which event.
enum Ticket: Hashable, Sendable {
    case retained(topic: String)
    case answer(number: UInt64)
    case event(sequence: UInt64)
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
    /// Hand this to the connection, then say `published(_:as:)` or `refusedLocally(_:_:at:)`.
    case publish(Ticket, Message)
    /// Ask the event source, then say `supply(_:at:)`, with an empty list too.
    case fetchEvents(after: UInt64?, limit: Int)
    case acknowledge(sequence: UInt64)
    /// The broker has taken the empty message that clears a retained topic.
    case cleared(topic: String)
    case park(sequence: UInt64, ReasonCode)
    case say(DeliveryNotice)
}
