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

    init(statusTopic: String) { hangUps = HangUps(statusTopic: statusTopic) }

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

    var underWayNumbers: some Collection<UInt64> { underWay.keys }

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

/// The answers on which the broker ended the connection. The requester chooses an answer's topic and length, and a
/// broker may have limits that it doesn't tell. Such requests must not keep a gateway from its broker.
///
/// A topic gets no more answers after two such ends, one of which may have been chance. After `mostStrikes` ends only
/// the usual topics get answers. If the broker accepts the short form of an answer but not its long form, the length
/// was at fault: answers of that length then go out in their short form. All of this is forgotten after an hour,
/// because brokers get repaired.
struct HangUps: Sendable {
    static let patience = TimeSpan.seconds(3_600)
    static let mostStrikes = 8

    private var strikes: Deque<(topic: String, at: BootInstant)> = []
    private var tooLong: (bytes: Int, at: BootInstant)?
    /// `{prefix}/{site}/{gateway}/response/`.
    private let responseRoot: String

    init(statusTopic: String) { responseRoot = statusTopic.dropLast("status".count) + "response/" }

    /// Returns whether answers to this topic are barred now.
    mutating func bars(_ topic: String, at now: BootInstant) -> Bool {
        removeOld(at: now)
        let own = strikes.count { $0.topic == topic }
        return own > 1 || (strikes.count >= Self.mostStrikes && !isUsual(topic))
    }

    /// Returns whether the broker has ended connections on answers of that length.
    mutating func isTooLong(_ bytes: Int, at now: BootInstant) -> Bool {
        removeOld(at: now)
        return tooLong.map { bytes >= $0.bytes } ?? false
    }

    /// Records that the broker ended a connection on an answer to this topic. Returns whether that is new.
    mutating func strike(_ topic: String, at now: BootInstant) -> Bool {
        removeOld(at: now)
        let isNew = !strikes.contains { $0.topic == topic }
        if strikes.count >= 2 * Self.mostStrikes { strikes.removeFirst() }
        strikes.append((topic, now))
        return isNew
    }

    /// Records that the broker accepted an answer to this topic.
    ///
    /// - Parameter bytes: the length of the long form that it replaced.
    mutating func accepted(_ topic: String, insteadOf_bytes bytes: Int?, at now: BootInstant) {
        strikes.removeAll { $0.topic == topic }
        if let bytes { tooLong = (min(bytes, tooLong?.bytes ?? bytes), now) }
    }

    private mutating func removeOld(at now: BootInstant) {
        while let first = strikes.first, now - first.at >= Self.patience { strikes.removeFirst() }
        if let tooLong, now - tooLong.at >= Self.patience { self.tooLong = nil }
    }

    /// Returns whether a topic is one of the usual ones, for requests that name no response topic.
    private func isUsual(_ topic: String) -> Bool {
        topic.utf8.starts(with: responseRoot.utf8)
            && !topic.utf8.dropFirst(responseRoot.utf8.count).contains(UInt8(ascii: "/"))
    }
}
