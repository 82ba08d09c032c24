import Core

/// The connection to the broker, with its clock: the interface of `Publisher`.
package protocol BrokerConnection: AnyObject {
    /// A clock that never jumps, and counts the time that the machine sleeps, as the broker does.
    var now: BootInstant { get }

    /// Begins an attempt; `wait` returns its result.
    ///
    /// - Parameters:
    ///   - will: the message that the broker publishes if this connection breaks.
    ///   - failure: the end of the attempt before.
    func connect(will: Message?, after failure: ConnectionFailure?) throws(ConnectionFailure)

    /// Closes without a DISCONNECT.
    func drop()

    /// Sends DISCONNECT, which makes the broker drop the will, and closes.
    func disconnect()

    /// Subscribes at QoS 1; `wait` returns the broker's answer.
    func subscribe(_ filter: String)

    func unsubscribe(_ filter: String)

    /// Sends a message, and returns its packet identifier.
    func publish(_ message: Message) throws(PublishFailure) -> UInt16

    /// True if there is no connection, or it takes no more for now.
    var isBackedUp: Bool { get }

    /// True if there is a connection, or an attempt at one.
    var isOpen: Bool { get }

    /// Waits for the network or for `wake` to become readable, at most `timeout_ms`. Returns the events.
    func wait(timeout_ms: Int32, wake: Int32) -> [ClientEvent]
}

package enum PublishFailure: Error {
    /// This message can't go out over this connection.
    case refused(ReasonCode)
    /// The connection has ended; `wait` returns the reason.
    case connectionLost
}

/// An event of a connection. Events are gathered in order and read afterwards, so that no callback of a library
/// re-enters it.
package enum ClientEvent {
    /// Octets came from the broker.
    case heard
    case connected(BrokerLimits)
    /// The connection is gone, and the client of no more use.
    case lost(ConnectionFailure)
    case acknowledged(mid: UInt16, ReasonCode)
    case subscribed(filter: String, [ReasonCode])
    case received(IncomingMessage)
    /// The files of the certificate are others than those that the connection began with.
    case certificateChanged
    /// The files of the certificate have changed, and can't be used. This connection goes on with those that it began with.
    case certificateRefused(ConnectionFailure)
}
