import DequeModule
import Messages

/// Answers to requests on their way to the broker, in order. They are worth nothing on a later connection.
struct AnswerLine: Sendable {
    /// More than this many wait only where a broker takes nothing and requests still come.
    static let limit = 64

    private var waiting: Deque<Message> = []
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { waiting.isEmpty }

    /// `false` where too many wait already.
    mutating func append(_ message: Message) -> Bool {
        guard waiting.count < Self.limit else { return false }
        waiting.append(message)
        return true
    }

    /// The answer to send now, and a number for it.
    mutating func takeNext() -> (number: UInt64, message: Message)? {
        guard let message = waiting.popFirst() else { return nil }
        lastNumber += 1
        return (lastNumber, message)
    }

    /// The connection is gone. Returns how many waited.
    mutating func connectionLost() -> Int {
        defer { waiting = [] }
        return waiting.count
    }
}
