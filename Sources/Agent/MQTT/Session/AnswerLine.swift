import Core
import DequeModule

/// The queue of answers to requests, in order. An answer has no value on a later connection.
///
/// An answer that is too long for the broker is replaced by its short form, which says so, whether or not the
/// connection survives. For a broker that ends the connection on an answer, see `HangUps`.
struct AnswerLine: Sendable {
    /// More answers than this wait only where a broker takes none and requests still come.
    static let limit = 64

    private struct Entry {
        var message: Message
        /// For a short form after the broker ended the connection: the length of the long form.
        var longForm_bytes: Int?
    }

    private var waiting: Deque<Entry> = []
    private var underWay: [UInt64: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private(set) var hangUps: HangUps

    init(statusTopic: String) {
        hangUps = HangUps(statusTopic: statusTopic)
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Returns `false` where too many wait already, or where the broker has ended connections on answers to this topic.
    mutating func append(_ message: Message, at now: BootInstant) -> Bool {
        guard waiting.count < Self.limit, !hangUps.bars(message.topic, at: now) else { return false }
        let isTooLong = hangUps.isTooLong(message.payload.count, at: now)
        waiting.append(Entry(message: isTooLong ? message.shortened ?? message : message))
        return true
    }

    /// The answer to send now, with a number for it.
    mutating func takeNext() -> (number: UInt64, message: Message)? {
        guard let entry = waiting.popFirst() else { return nil }
        lastNumber += 1
        underWay[lastNumber] = entry
        return (lastNumber, entry.message)
    }

    /// Removes an accepted answer.
    mutating func settle(_ number: UInt64, at now: BootInstant) {
        guard let entry = underWay.removeValue(forKey: number) else { return }
        hangUps.accepted(entry.message.topic, insteadOf_bytes: entry.longForm_bytes, at: now)
    }

    /// Handles a refusal. Returns whether the answer is dropped; otherwise its short form goes next.
    mutating func refuse(_ number: UInt64, _ reason: ReasonCode) -> Bool {
        guard let entry = underWay.removeValue(forKey: number), reason == .packetTooLarge,
            let short = entry.message.shortened
        else { return true }
        waiting.prepend(Entry(message: short))
        return false
    }

    /// Handles the end of a connection because of this answer alone. Its short form, if any, goes out on the next
    /// connection. Returns its topic where this is the first time for that topic.
    mutating func hungUp(on number: UInt64, at now: BootInstant) -> String? {
        guard let entry = underWay.removeValue(forKey: number) else { return nil }
        let topic = entry.message.topic
        let isFirst = hangUps.strike(topic, at: now)
        if let short = entry.message.shortened {
            waiting.append(Entry(message: short, longForm_bytes: entry.message.payload.count))
        }
        return isFirst ? topic : nil
    }

    /// Drops the answers with the connection. Returns their number.
    mutating func connectionLost() -> Int {
        let count = waiting.count + underWay.count
        waiting.removeAll { $0.longForm_bytes == nil }
        underWay = [:]
        return count - waiting.count
    }
}
