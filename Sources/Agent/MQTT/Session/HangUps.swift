import Core
import DequeModule

/// The answers on which the broker hung up. Topic and length of an answer are its requester's choice, and a broker may have
/// limits that it doesn't tell: such requests shall not keep a gateway from its broker.
///
/// A topic gets no more answers after two hang-ups, one of which may have been chance, and after `mostStrikes` none but the
/// usual topics do. Where the short form of an answer is accepted after its long form was not, the length was at fault: from
/// then on answers of that length go out in their short form. All of it is forgotten after an hour: brokers are mended.
struct HangUps: Sendable {
    static let patience = TimeSpan.seconds(3_600)
    static let mostStrikes = 8

    private var strikes: Deque<(topic: String, at: Instant)> = []
    private var tooLong: (bytes: Int, at: Instant)?
    /// `{prefix}/{site}/{gateway}/response/`.
    private let responseRoot: String

    init(statusTopic: String) {
        responseRoot = statusTopic.dropLast("status".count) + "response/"
    }

    /// Whether no answer goes there now.
    mutating func bars(_ topic: String, at now: Instant) -> Bool {
        forget(at: now)
        let own = strikes.count { $0.topic == topic }
        return own > 1 || (strikes.count >= Self.mostStrikes && !isUsual(topic))
    }

    /// Whether the broker has hung up on answers of that length.
    mutating func isTooLong(_ bytes: Int, at now: Instant) -> Bool {
        forget(at: now)
        return tooLong.map { bytes >= $0.bytes } ?? false
    }

    /// The broker hung up on an answer to this topic. Returns whether that is news.
    mutating func strike(_ topic: String, at now: Instant) -> Bool {
        forget(at: now)
        let isNew = !strikes.contains { $0.topic == topic }
        if strikes.count >= 2 * Self.mostStrikes { strikes.removeFirst() }
        strikes.append((topic, now))
        return isNew
    }

    /// The broker took an answer to this topic.
    ///
    /// - Parameter bytes: the length of the one in whose place it went.
    mutating func accepted(_ topic: String, insteadOf_bytes bytes: Int?, at now: Instant) {
        strikes.removeAll { $0.topic == topic }
        if let bytes { tooLong = (min(bytes, tooLong?.bytes ?? bytes), now) }
    }

    private mutating func forget(at now: Instant) {
        while let first = strikes.first, now - first.at >= Self.patience { strikes.removeFirst() }
        if let tooLong, now - tooLong.at >= Self.patience { self.tooLong = nil }
    }

    /// One of those where answers go that nobody wants elsewhere.
    private func isUsual(_ topic: String) -> Bool {
        topic.utf8.starts(with: responseRoot.utf8)
            && !topic.utf8.dropFirst(responseRoot.utf8.count).contains(UInt8(ascii: "/"))
    }
}
