@testable import Core

/// A packet from the agent to the broker.
enum ClientPacket {
    case connect(will: Message?)
    case publish(mid: UInt16, Message)
    case subscribe(String)
    case unsubscribe(String)
    case disconnect
    case ping
    /// The socket was closed without a DISCONNECT.
    case end
}
