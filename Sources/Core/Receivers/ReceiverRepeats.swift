/// The messages and packets of a receiver that have counted, so that a second delivery of them counts for nothing.
///
/// A packet with its receiver's time is known by transmitter, time and level. A message without such times is known by
/// its payload.
struct ReceiverRepeats: Sendable {
    /// The resemblance of a message to an earlier one.
    enum Resemblance: Sendable {
        case new
        /// The message before, after its usual time: air in which nothing changes.
        case unchanged
        /// An equal message: a second delivery, most likely.
        case equal
    }

    static let mostMessages = 512
    static let mostPackets = 8_192
    /// The least packets by which a message without a time is recognised. Fewer are equal by chance.
    static let leastPackets = 4

    private var messages = RecentSet(limit: mostMessages)
    private var packets = RecentSet(limit: mostPackets)
    /// The latest message that counted.
    private var last: (fingerprint: Int, at: Instant)?
    /// The messages of the latest batch.
    private var batch: Set<Int> = []

    /// Returns the resemblance of a message to those before.
    ///
    /// In air in which nothing changes, each message without a time equals the one before. So the latest message is
    /// repeated only by one that comes within `window`, or after the silence that stalls the receiver.
    ///
    /// - Parameters:
    ///   - isInBatch: true if the message belongs to the latest batch. Then few packets, too, are a repeat of an equal
    ///     message in it.
    ///   - isExtra: true if the message comes beside the batches that are due. Then few packets are a repeat too.
    func resemblance(
        of message: ReceiverMessage, at now: Instant, window: TimeSpan, silence: TimeSpan, isInBatch: Bool,
        isExtra: Bool
    ) -> Resemblance {
        guard let fingerprint = message.fingerprint, messages.contains(fingerprint) else { return .new }
        if message.isDated { return .equal }
        guard message.packets.count >= Self.leastPackets else {
            return isExtra || isInBatch && batch.contains(fingerprint) ? .equal : .new
        }
        if let last, last.fingerprint == fingerprint, now - last.at > window, now - last.at <= silence {
            return .unchanged
        }
        return .equal
    }

    func knows(_ packet: ReceivedPacket) -> Bool { Self.fingerprint(of: packet).map(packets.contains) ?? false }

    /// Takes a message that counts.
    mutating func remember(_ message: ReceiverMessage, at now: Instant, isInBatch: Bool) {
        if !isInBatch { batch = [] }
        if let fingerprint = message.fingerprint {
            messages.insert(fingerprint)
            if batch.count < Self.mostMessages { batch.insert(fingerprint) }
            last = (fingerprint, now)
        }
        for packet in message.packets {
            if let fingerprint = Self.fingerprint(of: packet) { packets.insert(fingerprint) }
        }
    }

    /// - Returns: `nil` without a time.
    private static func fingerprint(of packet: ReceivedPacket) -> Int? {
        guard let time = packet.time else { return nil }
        var hasher = Hasher()
        hasher.combine(packet.address.bits)
        hasher.combine(time.microseconds)
        hasher.combine(packet.rssi_dbm)
        hasher.combine(packet.isScanResponse)
        hasher.combine(packet.data.count)
        return hasher.finalize()
    }
}

/// Messages of which no packet counts: repeats, or old. They are believed where they may be the receiver's of now:
///
/// - Messages that never came before, with times that go on as their arrivals do: the receiver's clock was set back.
/// - Messages without a time: the air does not change.
///
/// Messages with a time that came before, and a backlog that is delivered faster than it was heard, are neither.
struct DoubtfulMessages: Sendable {
    /// The most that the times of two messages may differ from their arrivals. The first messages of a burst differ by
    /// more from the time that they were heard in.
    static let tolerance = TimeSpan.seconds(1)

    private var run = SustainedRun()
    /// The first message of the run.
    private var first: (newest: WallTime?, at: Instant)?

    /// The time of the latest message that may be the receiver's of now.
    var latest: Instant? { run.latest }

    /// Takes one more message. Returns whether the messages are believed.
    ///
    /// - Parameters:
    ///   - isKnown: true if the message, or each of its packets, came before.
    ///   - silence: the silence that ends a run.
    mutating func areBelieved(
        with message: ReceiverMessage, isKnown: Bool, at now: Instant, silence: TimeSpan
    ) -> Bool {
        let newest = message.newest
        let isDated = message.isDated || newest != nil
        if isDated && isKnown {
            self = DoubtfulMessages()
            return false
        }
        if isDated, !goesOn(newest, at: now) { self = DoubtfulMessages() }
        first = first ?? (newest, now)
        return run.goesOn(at: now, silence: silence)
    }

    private func goesOn(_ newest: WallTime?, at now: Instant) -> Bool {
        guard let first else { return true }
        guard let newest, let start = first.newest else { return false }
        let difference = (newest - start) - (now - first.at)
        return max(difference, .zero - difference) <= Self.tolerance
    }
}

/// The numbers that were added last, up to a limit.
private struct RecentSet: Sendable {
    private let limit: Int
    private var members: Set<Int> = []
    /// From `oldest` on, in a ring.
    private var order: [Int] = []
    private var oldest = 0

    init(limit: Int) { self.limit = limit }

    func contains(_ number: Int) -> Bool { members.contains(number) }

    mutating func insert(_ number: Int) {
        guard members.insert(number).inserted else { return }
        guard order.count == limit else { return order.append(number) }
        members.remove(order[oldest])
        order[oldest] = number
        oldest = (oldest + 1) % limit
    }
}
