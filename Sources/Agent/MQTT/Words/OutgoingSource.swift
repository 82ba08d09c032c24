import Core

/// A durable message that waits for delivery, with its place in the line.
///
/// The message alone would not do: what states a gap has no number, and a disk that comes back hands out older numbers after newer
/// ones.
package struct OutgoingMessage: Hashable, Sendable {
    /// Its place in the source: above 0, ascending for as long as the process lives, whatever becomes of the disk. It need
    /// not be the number in the payload.
    var sequence: UInt64
    var message: Message
    /// The sequences of messages, handed out before, whose loss this one states: once this one has gone out, they don't any
    /// more.
    var givesUp: [UInt64]
    /// The same news in the words of others. They go out before it each time that it does, and nothing waits for them: a broker
    /// takes what comes in order, so that once it has the message it had them.
    var companions: [Message]
    /// A retained topic that is said again once nothing waits any more, because the companions tell of what is past.
    var present: String?

    init(
        sequence: UInt64, _ message: Message, givesUp: [UInt64] = [], companions: [Message] = [], present: String? = nil
    ) {
        self.present = present
        self.sequence = sequence
        self.message = message
        self.givesUp = givesUp
        self.companions = companions
    }
}

/// Where durable messages wait, on disk, until a broker has accepted them.
///
/// It handles its own failures: a source that cannot be read has nothing to deliver for now.
package protocol OutgoingSource {
    /// At most `limit` messages with numbers above `sequence` (`nil`: from the first that waits), ascending.
    mutating func next(after sequence: UInt64?, limit: Int) -> [OutgoingMessage]

    /// As above, of messages that speak for another gateway: for the one that this one was before it was moved. They go out
    /// under its topics, which the broker may have closed to us, so they hold up none of our own.
    mutating func nextOfFormerGateway(after sequence: UInt64?, limit: Int) -> [OutgoingMessage]

    /// These messages were accepted and need not be kept. They come several at a time so that one transaction suffices.
    /// One that is no longer there is not an error.
    mutating func acknowledge(_ sequences: [UInt64])

    /// This message can't be delivered because of what it is: set it aside.
    mutating func park(_ sequence: UInt64)

    /// This message of a former gateway can't be delivered: the broker refuses what that gateway says.
    mutating func giveUp(_ sequence: UInt64)
}

/// A source that was never another gateway's.
extension OutgoingSource {
    mutating func nextOfFormerGateway(after sequence: UInt64?, limit: Int) -> [OutgoingMessage] { [] }
    mutating func giveUp(_ sequence: UInt64) {}
}
