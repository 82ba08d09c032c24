import Core
import Synchronization

/// The messages of a receiver on their way to the radio loop, from whichever connection they came.
package final class ReceiverInbox: Sendable {
    /// The most messages, and the most octets, that wait. The messages beyond are dropped and counted.
    static let mostMessages = 4_096, mostOctets = 16 << 20

    struct Message: Sendable {
        let topic: String
        /// `nil` where it was longer than `ReceivedPacket.mostOctets`.
        let payload: [UInt8]?
        let arrival: Instant
    }

    private struct State {
        var messages: [Message] = []
        var octets = 0
        var dropped: UInt64 = 0
    }

    private let state = Mutex(State())
    private let bell: Doorbell
    private let filter: String

    /// - Parameter filter: the receiver's topics.
    package init(filter: String) throws(SystemError) {
        self.filter = filter
        bell = try Doorbell()
    }

    /// Readable while messages wait.
    var wake: Int32 { bell.descriptor }

    /// Returns whether a topic is the receiver's.
    package func owns(_ topic: String) -> Bool { TopicName.matches(topic, filter) }

    /// Takes a message of a broker.
    ///
    /// - Parameter payload: `nil` where it was too long to be kept.
    /// - Returns: whether its topic is the receiver's.
    @discardableResult
    package func take(_ payload: [UInt8]?, on topic: String, at now: Instant) -> Bool {
        guard owns(topic) else { return false }
        state.withLock { state in
            let length = payload?.count ?? 0
            guard state.messages.count < Self.mostMessages, state.octets + length <= Self.mostOctets else {
                state.dropped += 1
                return
            }
            state.octets += length
            state.messages.append(Message(topic: topic, payload: payload, arrival: now))
        }
        bell.ring()
        return true
    }

    /// Returns the messages that wait, and the number of those dropped so far.
    func takeAll() -> (messages: [Message], dropped: UInt64) {
        bell.answer()
        return state.withLock { state in
            defer { (state.messages, state.octets) = ([], 0) }
            return (state.messages, state.dropped)
        }
    }
}
