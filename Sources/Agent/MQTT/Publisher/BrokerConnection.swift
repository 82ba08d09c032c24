import Core

/// The way to the broker, and the clock that goes with it: what `Publisher` works through.
package protocol BrokerConnection: AnyObject {
    /// A clock that never jumps, on which time that the machine sleeps counts, as it does for the broker.
    var now: BootInstant { get }

    /// Begins an attempt; what comes of it is told by `wait`.
    ///
    /// - Parameters:
    ///   - will: what the broker publishes if this connection breaks.
    ///   - failure: how the attempt before ended.
    func connect(will: Message?, after failure: ConnectionFailure?) throws(ConnectionFailure)

    /// Closes without a DISCONNECT.
    func drop()

    /// Says DISCONNECT, which makes the broker forget the will, and closes.
    func disconnect()

    /// Asks for messages at QoS 1; `wait` brings the answer.
    func subscribe(_ filter: String)

    /// Asks for no more of them.
    func unsubscribe(_ filter: String)

    /// Hands a message over and returns its packet identifier.
    func publish(_ message: Message) throws(PublishFailure) -> UInt16

    /// There is no connection, or it takes no more for now.
    var isBackedUp: Bool { get }

    /// There is a connection, or an attempt at one.
    var isOpen: Bool { get }

    /// Waits for the network or for `wake` to become readable, at most `timeout_ms`. Returns what happened.
    func wait(timeout_ms: Int32, wake: Int32) -> [ClientEvent]
}

package enum PublishFailure: Error {
    /// This message can't go out over this connection.
    case refused(ReasonCode)
    /// The connection is over; `wait` says why.
    case connectionLost
}
