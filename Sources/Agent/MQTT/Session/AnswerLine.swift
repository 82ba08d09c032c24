import Core
import DequeModule

/// Answers to requests on their way to the broker, in order. They are worth nothing on a later connection.
///
/// One that the broker finds too long goes out once more in its short form, which says so, with a connection or without.
/// Where the broker hangs up on an answer, see `HangUps`.
struct AnswerLine: Sendable {
    /// More than this many wait only where a broker takes nothing and requests still come.
    package static let limit = 64

    private struct Entry {
        var message: Message
        /// Of a short form that goes out because the broker hung up on the long one: how long that was.
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

    /// `false` where too many wait already, or where the broker has hung up on answers to this topic.
    mutating func append(_ message: Message, at now: BootInstant) -> Bool {
        guard waiting.count < Self.limit, !hangUps.bars(message.topic, at: now) else { return false }
        let isTooLong = hangUps.isTooLong(message.payload.count, at: now)
        waiting.append(Entry(message: isTooLong ? message.shortened ?? message : message))
        return true
    }

    /// The answer to send now, and a number for it.
    mutating func takeNext() -> (number: UInt64, message: Message)? {
        guard let entry = waiting.popFirst() else { return nil }
        lastNumber += 1
        underWay[lastNumber] = entry
        return (lastNumber, entry.message)
    }

    /// Accepted.
    mutating func settle(_ number: UInt64, at now: BootInstant) {
        guard let entry = underWay.removeValue(forKey: number) else { return }
        hangUps.accepted(entry.message.topic, insteadOf_bytes: entry.longForm_bytes, at: now)
    }

    /// Refused. Returns whether it is dropped; else its short form goes next.
    mutating func refuse(_ number: UInt64, _ reason: ReasonCode) -> Bool {
        guard let entry = underWay.removeValue(forKey: number), reason == .packetTooLarge,
            let short = entry.message.shortened
        else { return true }
        waiting.prepend(Entry(message: short))
        return false
    }

    /// The broker hung up on this one, and on no other. Its short form, where it has one, shall go out on the next connection.
    /// Returns its topic where this is the first time for that.
    mutating func hungUp(on number: UInt64, at now: BootInstant) -> String? {
        guard let entry = underWay.removeValue(forKey: number) else { return nil }
        let topic = entry.message.topic
        let isFirst = hangUps.strike(topic, at: now)
        if let short = entry.message.shortened {
            waiting.append(Entry(message: short, longForm_bytes: entry.message.payload.count))
        }
        return isFirst ? topic : nil
    }

    /// The connection is gone. Returns how many are dropped.
    mutating func connectionLost() -> Int {
        let count = waiting.count + underWay.count
        waiting.removeAll { $0.longForm_bytes == nil }
        underWay = [:]
        return count - waiting.count
    }
}
