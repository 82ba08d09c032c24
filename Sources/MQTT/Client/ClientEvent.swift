/// What libmosquitto's callbacks said, in order. They are gathered and read afterwards, so that nothing re-enters the
/// library from inside one of its callbacks.
package enum ClientEvent {
    /// Octets came from the broker.
    case heard
    case connected(BrokerLimits)
    /// The connection is gone; the client is of no more use.
    case lost(ConnectionFailure)
    case acknowledged(mid: UInt16, ReasonCode)
    case subscribed(filter: String, [ReasonCode])
    case received(IncomingMessage)
}
