/// A receiver's messages as a radio: packets with their times, and whether the receiver hears.
///
/// A receiver collects packets and publishes them in batches. So silence between two batches is no evidence: time goes
/// on only as far as the batches are known to reach (`horizon`).
///
/// **Time of a packet.** Where the receiver's clock agrees with this machine's within a second, it is the receiver's.
/// Otherwise the receiver's clock is set by the arrival of those batches that came soonest. Packets without times of
/// their own are spread over the period before the batch's end, those of each transmitter evenly (`BatchLayout`).
///
/// **Repeats.** A packet counts once, and only while it is not older than the silence that means something. A message
/// of which no packet counts proves nothing. Several of them in a row for some time are believed, if they may be the
/// receiver's of now (`DoubtfulMessages`).
///
/// **Liveness.** Each message proves that the receiver hears. After three usual periods without one it has stalled,
/// since its last message. A receiver that publishes packet by packet has the norm of an adapter: 5 s or 20 usual gaps
/// (`ReceiverRhythm`). Before either is known, the receiver may be silent for three of the longest periods, and silence
/// is no evidence. While heartbeats alone come, it may be silent for three of their usual gaps.
///
/// **Backlogs.** After a stall, a network may deliver at once what it held back. Of messages without a time that follow
/// each other within half the usual gap, the last one counts.
package struct ReceiverStream: Sendable {
    /// The period above which rotation and zones are not reliable, and that above which visits are not.
    static let reliablePeriod = TimeSpan.seconds(2)
    static let usablePeriod = TimeSpan.seconds(5)
    /// The difference that arrivals make to a measured period.
    static let jitter = TimeSpan.milliseconds(200)
    /// The period that is assumed before it is known.
    static let firstPeriod = TimeSpan.seconds(1)
    /// The longest time between two deliveries of the latest message, before the period is known.
    static let copyWindow = TimeSpan.milliseconds(200)
    /// The longest time between two messages of a backlog, and the longest one in which it is delivered.
    static let backlogGap = TimeSpan.milliseconds(500)
    static let longestDelivery = ReceiverRhythm.leastSilence
    /// A message as much older than this machine's clock shows a clock that is wrong. A younger one may be late.
    static let longestBacklog = TimeSpan.seconds(3_500)

    /// A packet with its time, as the engine takes it.
    package struct Heard: Sendable {
        package let at: Instant
        package let packet: ReceivedPacket
    }

    private enum State: Sendable {
        /// No message has come yet.
        case waiting(since: Instant)
        case hearing
        case stalled(since: Instant)
    }

    /// A message after a stall that may be one of a backlog.
    private struct Held: Sendable {
        let message: ReceiverMessage
        let arrival: Instant
        let wall: WallTime?
        /// The time at which it counts unless another one has come.
        let due: Instant
        /// The arrival of the backlog's first message.
        let first: Instant
    }

    private var state: State
    private var held: Held?
    private var lastMessage: Instant
    private var rhythm = ReceiverRhythm()
    private var clock = ReceiverClock()
    private var addresses = BatchAddresses()
    /// The ends of the batch before the latest one, and of the latest, where their packets have no times.
    private var ends: (before: Instant, latest: Instant) = (.origin, .origin)
    private var repeats = ReceiverRepeats()
    /// The messages since the last one that counted.
    private var doubts = DoubtfulMessages()
    /// The latest time that was handed out.
    private var latest: Instant

    package init(at now: Instant) {
        state = .waiting(since: now)
        (lastMessage, latest) = (now, now)
    }

    /// The measured period of the batches; `nil` before it is known, and for a receiver that publishes packet by packet.
    package var period: TimeSpan? { rhythm.period }

    /// The period by the batches so far, be they as few as two.
    package var likelyPeriod: TimeSpan? { rhythm.likelyPeriod }

    /// True if the period allows visits.
    var isUsable: Bool { !Self.isTooLong(period) }

    /// Returns true if a period allows no visits.
    package static func isTooLong(_ period: TimeSpan?) -> Bool { (period ?? .zero) > usablePeriod }

    /// A warning for an operator where the period is too long for rotation and zones.
    package var warning: String? { Self.warning(period) }

    package static func warning(_ period: TimeSpan?) -> String? {
        guard let period, period > Self.reliablePeriod + Self.jitter else { return nil }
        let period_s = (period.seconds * 10).rounded() / 10
        return "it publishes every \(period_s) s: above 2 s rotation and zones are not reliable; set it to 1 s"
    }

    package var liveness: RadioLiveness {
        switch state {
        case .waiting(let since), .stalled(let since): .blind(since: since)
        case .hearing: isUsable ? .live : .blind(since: lastMessage)
        }
    }

    package var availability: RadioAvailability {
        switch state {
        case .waiting: .absent
        case .stalled: .stalled
        case .hearing: isUsable ? .scanning : .unusable
        }
    }

    /// The time at which `advance` has something to do.
    package var nextDeadline: Instant { min(nextStall, held?.due ?? .distantFuture) }

    /// The time at which the receiver has stalled. Messages that may still be believed postpone it once.
    private var nextStall: Instant {
        guard case .hearing = state else { return .distantFuture }
        let silence = rhythm.silenceUntilStalled
        return max(lastMessage, min(doubts.latest ?? lastMessage, lastMessage + silence)) + silence
    }

    /// Returns the time up to which everything is known that the receiver has heard.
    package func horizon(at now: Instant) -> Instant {
        guard case .hearing = state else { return max(latest, now) }
        // A batch comes a little late now and then.
        func wait(_ period: TimeSpan) -> TimeSpan { period + TimeSpan(microseconds: period.microseconds / 2) }
        if let period { return max(latest, now - max(wait(period), rhythm.longGap)) }
        return max(latest, now - (rhythm.usualGap == nil ? wait(Self.usablePeriod) : .milliseconds(200)))
    }

    /// Passes time. The state may change.
    ///
    /// - Returns: the packets of a message that was held, as `receive` returns them.
    package mutating func advance(to now: Instant) -> [Heard]? {
        var heard: [Heard]?
        if let held, now >= held.due {
            self.held = nil
            heard = count(held.message, at: held.arrival, wall: held.wall)
        }
        if now >= nextStall {
            state = .stalled(since: lastMessage)
            rhythm.stall()
        }
        return heard
    }

    /// Takes a message, after `advance` to its arrival.
    ///
    /// - Parameter wall: this machine's time of day at `arrival`; `nil` while its clock is not set.
    /// - Returns: the packets in the order of their times, none before `latest`; none while the receiver is not usable.
    ///   `nil` where the message counts for nothing, or is held.
    package mutating func receive(_ message: ReceiverMessage, at arrival: Instant, wall: WallTime?) -> [Heard]? {
        guard rhythm.isAfterStall, !message.packets.isEmpty, message.newest == nil else {
            return count(message, at: arrival, wall: wall)
        }
        let gap = rhythm.usualGap.map { TimeSpan(microseconds: $0.microseconds / 2) } ?? Self.backlogGap
        if let former = held?.message { repeats.remember(former, at: arrival, isInBatch: true) }
        let first = held?.first ?? arrival
        let due = min(arrival + min(gap, Self.backlogGap), first + Self.longestDelivery)
        held = Held(message: message, arrival: arrival, wall: wall, due: due, first: first)
        return nil
    }

    private mutating func count(_ message: ReceiverMessage, at arrival: Instant, wall: WallTime?) -> [Heard]? {
        let arrival = max(arrival, lastMessage)
        let packets = fresh(message, at: arrival, wall: wall)
        if packets.isEmpty, !message.packets.isEmpty { return nil }
        follow(message, at: arrival)
        lastMessage = arrival
        state = .hearing
        guard isUsable else { return [] }
        var heard = times(of: packets, sentAt: message.sentAt, at: arrival, wall: wall)
        heard.sort { $0.at < $1.at }
        let floor = latest
        heard = heard.map { Heard(at: max(floor, min($0.at, arrival)), packet: $0.packet) }
        latest = heard.last?.at ?? latest
        return heard
    }

    /// Records that the engine's time has gone on.
    package mutating func passed(_ instant: Instant) { latest = max(latest, instant) }

    private mutating func follow(_ message: ReceiverMessage, at arrival: Instant) {
        if !message.packets.isEmpty, !rhythm.isInBatch(at: arrival) {
            addresses.beginBatch()
            ends.before = ends.latest
        }
        for packet in message.packets { addresses.insert(packet.address) }
        rhythm.take(message, at: arrival)
    }

    // MARK: - Repeats

    /// Returns the packets of a message that have not counted yet, and are not too old.
    private mutating func fresh(_ message: ReceiverMessage, at arrival: Instant, wall: WallTime?) -> [ReceivedPacket] {
        if message.packets.isEmpty { return [] }
        let silence = rhythm.silenceUntilStalled
        let (isInBatch, isExtra) = (rhythm.isInBatch(at: arrival), rhythm.isExtra(at: arrival))
        let resemblance = repeats.resemblance(
            of: message, at: arrival, window: rhythm.leastGap ?? Self.copyWindow, silence: silence,
            isInBatch: isInBatch, isExtra: isExtra)
        let unknown = message.packets.filter { !repeats.knows($0) }
        var fresh: [ReceivedPacket] = []
        switch resemblance {
        case .new: fresh = unknown.filter { !isOld($0.time ?? message.sentAt, at: arrival, wall: wall) }
        case .unchanged: fresh = unknown
        case .equal: break
        }
        if !fresh.isEmpty {
            // The messages of constant air that alternate are doubtful and unchanged in turn.
            let isNext = (arrival - lastMessage) * 2 <= (period ?? Self.firstPeriod) * 3
            if resemblance == .new || isNext { doubts = DoubtfulMessages() }
        } else if doubts.areBelieved(
            with: message, isKnown: resemblance == .equal || unknown.isEmpty, at: arrival, silence: silence)
        {
            clock.reset()
            fresh = message.packets
        }
        if fresh.isEmpty, isExtra { rhythm.skipExtra() }
        if !fresh.isEmpty { repeats.remember(message, at: arrival, isInBatch: isInBatch) }
        return fresh
    }

    private func isOld(_ time: WallTime?, at arrival: Instant, wall: WallTime?) -> Bool {
        guard let time else { return false }
        let oldest = max((period ?? .zero) * ReceiverRhythm.periodsUntilStalled, ReceiverRhythm.leastSilence)
        if let clock = clock.time(at: arrival) { return arrival - (clock - time) < latest - oldest }
        guard let wall else { return false }
        return wall - time > oldest && wall - time < Self.longestBacklog
    }

    // MARK: - Times

    private mutating func times(
        of packets: [ReceivedPacket], sentAt: WallTime?, at arrival: Instant, wall: WallTime?
    ) -> [Heard] {
        let times = packets.compactMap(\.time)
        let end = clock.take(
            times.isEmpty ? [sentAt].compactMap(\.self) : times, at: arrival, wall: wall,
            silence: rhythm.silenceUntilStalled)
        guard let newest = times.max(), let end else { return spread(packets, before: arrival) }
        func instant(_ time: WallTime) -> Instant { arrival - max(.zero, end - time) }
        guard !packets.contains(where: \.isTimeOfBatch) else { return spread(packets, before: instant(newest)) }
        return packets.map { Heard(at: $0.time.map(instant) ?? arrival, packet: $0) }
    }

    private mutating func spread(_ packets: [ReceivedPacket], before end: Instant) -> [Heard] {
        let short = min(rhythm.usualGap ?? Self.firstPeriod, Self.firstPeriod)
        let period = period ?? (packets.count > 1 ? short : .zero)
        // A batch that comes late ends within the period of the next one. Their packets do not mix.
        let length = end > ends.before ? min(period, end - ends.before) : period
        ends.latest = max(ends.latest, end)
        var layout = BatchLayout(packets, known: addresses, period: length)
        return packets.map { Heard(at: end - layout.place($0.address), packet: $0) }
    }
}

/// The addresses of the latest batch, and of the four to eight before it: one batch may have lost each packet of a transmitter.
private struct BatchAddresses: Sendable {
    private static let batchesInPart = 4

    private var latest: Set<DeviceAddress> = []
    /// Two parts, each of some batches before the latest one. The older part is forgotten as a whole.
    private var before: (newer: Set<DeviceAddress>, older: Set<DeviceAddress>) = ([], [])
    private var batches = 0

    /// Returns true if an address was in a batch before the latest one.
    func contains(_ address: DeviceAddress) -> Bool { before.newer.contains(address) || before.older.contains(address) }

    mutating func beginBatch() {
        if batches == Self.batchesInPart { (before, batches) = (([], before.newer), 0) }
        before.newer.formUnion(latest)
        latest = []
        batches += 1
    }

    mutating func insert(_ address: DeviceAddress) {
        if latest.count < ReceivedPacket.mostInMessage { latest.insert(address) }
    }
}

/// The places of packets without times in the period before the end of their batch. Those of each address are spread evenly.
///
/// An address that was in none of the batches before may be the new one of a transmitter that has rotated. So it comes
/// after those of known addresses with the same data: packets that overlap are those of two transmitters.
private struct BatchLayout {
    private struct Part {
        /// The time from the part's end to the batch's.
        var beforeEnd_us: Int64 = 0
        var length_us: Int64
        var count: Int64 = 0
        var placed: Int64 = 0
    }

    private var parts: [DeviceAddress: Part] = [:]

    /// - Parameter known: the addresses of the batches before.
    init(_ packets: [ReceivedPacket], known: BatchAddresses, period: TimeSpan) {
        var sums: [[UInt8]: (known: Int64, new: Int64)] = [:]
        var dataOf: [DeviceAddress: [UInt8]] = [:]
        for packet in packets {
            parts[packet.address, default: Part(length_us: period.microseconds)].count += 1
            guard !packet.isScanResponse else { continue }
            dataOf[packet.address] = dataOf[packet.address] ?? packet.data
            if known.contains(packet.address) {
                sums[packet.data, default: (0, 0)].known += 1
            } else {
                sums[packet.data, default: (0, 0)].new += 1
            }
        }
        for (address, data) in dataOf {
            guard let sum = sums[data], sum.known > 0, sum.new > 0 else { continue }
            let last_us = period.microseconds / (sum.known + sum.new) * sum.new
            if known.contains(address) {
                parts[address]?.beforeEnd_us = last_us
                parts[address]?.length_us -= last_us
            } else {
                parts[address]?.length_us = last_us
            }
        }
    }

    /// Returns the time from the next packet of an address to the end of the batch.
    mutating func place(_ address: DeviceAddress) -> TimeSpan {
        guard let part = parts[address] else { return .zero }
        parts[address]?.placed += 1
        // The middle of its share.
        let share_us = part.length_us / (2 * max(part.count, 1))
        return TimeSpan(microseconds: part.beforeEnd_us + share_us * (2 * (part.count - part.placed) - 1))
    }
}

/// The topics on which a receiver's packets come. Two of them at a time are two receivers, which count as one.
package struct ReceiverSenders: Sendable {
    /// The silence after which another topic replaces the first one.
    static let silence = TimeSpan.seconds(60)

    private var first: (topic: String, at: Instant)?

    package init() {}

    /// Takes the topic of a message with packets.
    ///
    /// - Returns: both topics where the message comes from a second receiver.
    package mutating func take(_ topic: String, at now: Instant) -> (first: String, second: String)? {
        guard let first, first.topic != topic, now - first.at < Self.silence else {
            self.first = (topic, now)
            return nil
        }
        return (first.topic, topic)
    }

    package static func warning(_ first: String, _ second: String) -> String {
        "packets come on \(first) and on \(second), which count as one receiver: set receiver.topic to one of them, "
            + "and give the other its own configuration file"
    }
}
