import Core

/// A message that waits for the broker's acknowledgement, with its place in the outbox.
///
/// The number alone would not do as a place: it says nothing of the order between series and between epochs, nor which of two files
/// has the message.
package struct QueuedMessage: Hashable, Sendable {
    /// Names the message while this process lives, across epochs. Later ones have greater positions.
    package var position: Position
    /// Its epoch is not the current one where it is older than that.
    var message: NumberedMessage

    init(position: Position, _ message: NumberedMessage) {
        self.position = position
        self.message = message
    }

    package var number: MessageNumber { message.number }

    /// What it takes in a file or in memory, about, in bytes: its text and what surrounds it.
    var size: Int64 { Self.size(of: message) }

    static func size(of message: NumberedMessage) -> Int64 {
        Int64(message.topic.utf8.count) + Int64(message.payload.count) + Self.overhead
    }

    /// A row's header and cell pointer in SQLite are smaller, the allocations in memory about this.
    static let overhead: Int64 = 96
}
