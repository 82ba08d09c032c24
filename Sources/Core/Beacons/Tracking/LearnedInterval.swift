import RealModule

/// The reception interval of a transmitter: the median of its recent gaps. For slow transmitters it also learns the
/// packet loss.
///
/// Beacons advertise every 0.1 to 10 s, and packets get lost, so one fixed timeout is wrong for some beacons. A median
/// ignores single losses. Loss can only lengthen a gap; it never shortens the interval.
struct LearnedInterval: Sendable {
    /// The number of gaps remembered. An odd number, so that the median is one of them.
    static let capacity = 15
    /// The least gaps for a median.
    static let minGaps = 3
    /// The least gaps for a loss rate. With fewer, a fast beacon that is hardly heard would pass for a slow one.
    static let minLossGaps = 10
    /// The shortest gap that counts. Two closer receptions are one advertisement heard twice: the shortest advertising
    /// interval is 20 ms.
    static let shortest = TimeSpan.milliseconds(10)
    /// The longest gap that counts. A longer silence is an absence.
    static let longest = TimeSpan.milliseconds(60_000)
    /// The number of intervals of silence that is still ordinary.
    static let patience: Int64 = 4
    /// The interval, in ms, from which loss is learned. Four shorter intervals pass within 2 s, the shortest
    /// `unknown_after_s`.
    static let slow_ms: UInt16 = 500

    /// The positions in `recent` in ascending order of the gaps, four bits each, from the lowest bits on. Unused ones
    /// are 15.
    private var order = UInt64.max
    /// Gaps in ms, in the order of arrival. Unused elements, and always the last, are longer than any gap.
    private var recent = InlineArray<16, UInt16>(repeating: .max)
    private var count: UInt8 = 0
    private var next: UInt8 = 0
    /// The shortest gap ever, in ms: no beacon sends more rarely than that. It keeps a fast beacon that is hardly heard
    /// from passing for a slow one.
    private var shortest_ms = UInt16.max
    private var loss = LearnedLoss()
    /// The patience that an earlier process had learned, in µs, at most four of the longest gaps. It holds until there
    /// are `minGaps` gaps.
    private var restored_us: UInt32 = 0

    init() {}

    /// The learned interval; `nil` before `minGaps` gaps.
    var median: TimeSpan? {
        guard count >= Self.minGaps else { return nil }
        return .milliseconds(Int64(sorted(Int(count) / 2)))
    }

    /// The silence that is ordinary for this transmitter; zero while no interval is learned.
    var patience: Patience {
        guard count >= Self.minGaps else { return Patience(ordinary: restored) }
        let ordinary = TimeSpan.milliseconds(Int64(sorted(Int(count) / 2)) * Self.patience)
        guard loss.isLearned else { return Patience(ordinary: ordinary) }
        let interval_s = Double(advertisingInterval_ms) / 1_000
        return Patience(
            ordinary: ordinary, lossy: .seconds(interval_s * loss.missedInARow),
            fourGaps: .seconds(interval_s * loss.fourGaps))
    }

    /// How often its packets arrive; `nil` before `minGaps` gaps.
    var reception: Reception? {
        guard count >= Self.minGaps else { return nil }
        return Reception(
            interval_ms: Int64(sorted(Int(count) / 2)), reports_per_s: Double(count) * 1_000 / Double(max(1, sum_ms)))
    }

    /// The average of the recent gaps; before the first, that of an ordinary phone.
    var averageGap: TimeSpan {
        guard count > 0 else { return .milliseconds(200) }
        return TimeSpan(microseconds: sum_ms * 1_000 / Int64(count))
    }

    /// The sum of the recent gaps. It goes through all elements, because a loop of a fixed length needs few instructions;
    /// the unused ones are taken off again.
    private var sum_ms: Int64 {
        var sum: UInt32 = 0
        for index in 0..<16 { sum &+= UInt32(recent[index]) }
        return Int64(sum &- UInt32(16 &- count) &* UInt32(UInt16.max))
    }

    /// True if no gap has been learned from its packets.
    var isUnknown: Bool { count == 0 }

    /// Goes on from the silence that an earlier process had learned to be ordinary, the longest that is given.
    mutating func restore(patience: TimeSpan) {
        let longest = min(max(restored, patience), Self.longest * Self.patience)
        restored_us = UInt32(clamping: longest.microseconds)
    }

    private var restored: TimeSpan { TimeSpan(microseconds: Int64(restored_us)) }

    /// The interval between packets as sent, in ms: the median of the gaps without a lost packet. Those are within 1.6
    /// times one of the shortest gaps. The very shortest is left out, because a packet heard twice may have caused it.
    var advertisingInterval_ms: UInt16 {
        guard count > 0 else { return 0 }
        let limit = Self.withinOne(Double(sorted((Int(count) - 1) / 5)))
        var single = 0
        while single < Int(count), Double(sorted(single)) <= limit { single += 1 }
        return sorted(single / 2)
    }

    private static func withinOne(_ interval_ms: Double) -> Double { interval_ms * 1.6 }

    /// Adds the time between two receptions. Gaps too short or too long for an interval are ignored.
    mutating func add(gap: TimeSpan) {
        guard gap >= Self.shortest, gap <= Self.longest else { return }
        let gap_ms = UInt16(clamping: gap.microseconds / 1_000)
        if Int(count) == Self.capacity {
            removeOldest()
        } else {
            count += 1
        }
        insert(gap_ms)
        next = next + 1 == UInt8(Self.capacity) ? 0 : next + 1
        shortest_ms = min(shortest_ms, gap_ms)
        if count >= Self.minLossGaps, sorted(Int(count) / 2) > Self.slow_ms { learnLoss(gap_ms) }
    }

    /// Counts a gap of more than one and a half intervals as one that lost a packet.
    private mutating func learnLoss(_ gap_ms: UInt16) {
        guard shortest_ms > Self.slow_ms else {
            loss = LearnedLoss()
            return
        }
        let interval_ms = advertisingInterval_ms
        let limit_ms = UInt32(interval_ms) * 3 / 2
        var lossy = 0
        for index in 0..<Int(count) where UInt32(recent[index]) > limit_ms { lossy += 1 }
        loss.learn(isLossy: UInt32(gap_ms) > limit_ms, recent: lossy, of: Int(count))
    }

    /// Continues the gaps of a predecessor under another address, then adds the own ones.
    mutating func takeOver(_ predecessor: LearnedInterval) {
        let own = self
        self = predecessor
        if restored_us == 0 { restored_us = own.restored_us }
        shortest_ms = min(shortest_ms, own.shortest_ms)
        for age in 0..<Int(own.count) {
            let index = (Int(own.next) + Self.capacity - Int(own.count) + age) % Self.capacity
            add(gap: .milliseconds(Int64(own.recent[index])))
        }
    }

    /// Returns the gap at a position in ascending order.
    private func sorted(_ index: Int) -> UInt16 { recent[Int(truncatingIfNeeded: order >> (4 * UInt64(index)) & 0xF)] }

    /// Takes the oldest gap, at `next`, out of the order.
    private mutating func removeOldest() {
        // The difference has four zero bits where `next` stands. A subtraction borrows there, and the lowest borrow
        // gives the place without a search.
        let ones: UInt64 = 0x1111_1111_1111_1111
        let difference = order ^ (UInt64(next) &* ones)
        let zeros = (difference &- ones) & ~difference & (ones << 3)
        let shift = UInt64(zeros.trailingZeroBitCount & ~3)
        let shorter = order & (1 << shift &- 1)
        let longer = (order >> shift) >> 4
        order = shorter | longer << shift | 0xF << 60
    }

    /// Stores a gap at `next`, and inserts it into the order behind those that are not longer.
    private mutating func insert(_ gap_ms: UInt16) {
        var rank = 0
        for step in [8, 4, 2, 1] where sorted(rank + step - 1) <= gap_ms { rank += step }
        let shift = UInt64(4 * rank)
        let shorter = order & (1 << shift &- 1)
        let longer = (order >> shift) << shift
        order = shorter | UInt64(next) << shift | longer << 4
        recent[Int(next)] = gap_ms
    }
}

/// How often the packets of a transmitter arrive, from its last gaps, at most 15.
struct Reception: Hashable, Sendable {
    /// The learned interval: the median of the gaps, ms. Single lost packets do not lengthen it.
    var interval_ms: Int64
    /// The reports per second: the inverse of the average gap, which lost packets lengthen.
    var reports_per_s: Double
}

/// The packet loss of a slow beacon: the share of gaps in which at least one packet was lost.
///
/// Where each packet is lost independently with probability p, a gap hides a loss with probability p, however many
/// packets were lost in a row. A single long silence counts once. So three packets lost in a row are no loss rate yet.
struct LearnedLoss: Sendable {
    /// The probability below which a silence caused by loss alone is out of the ordinary.
    private static let rare = 1e-5
    /// The weight of the latest gap in the long-term share.
    private static let memory: Float = 1.0 / 32
    /// The share that counts as no loss. With a loss of a tenth, 4 packets in a row are lost about as rarely as `rare`.
    private static let negligible = 0.12
    /// The highest share. A beacon with more loss cannot be distinguished from an absent one.
    private static let most = 0.9

    /// The share of lossy gaps, over about the last 32.
    private var longTerm: Float = 0
    /// The share in use: rather too high than too low.
    private var share: Float = 0

    /// True if the loss is high enough to matter.
    var isLearned: Bool { share > 0 }

    /// The number of intervals that pass in silence with the probability `rare`; at least 4.
    var missedInARow: Double { max(4, Double.log(Self.rare) / Double.log(Double(share))) }

    /// Four average gaps between receptions, in intervals.
    var fourGaps: Double { 4 / (1 - Double(share)) }

    /// Adds a gap.
    ///
    /// - Parameters:
    /// - recent: the number of lossy gaps among the last `count`, this one included. A single one is an accident.
    mutating func learn(isLossy: Bool, recent: Int, of count: Int) {
        longTerm += ((isLossy ? 1 : 0) - longTerm) * Self.memory
        var share = 0.0
        if recent > 1 { share = Double(recent + 1) / Double(count + 1) }
        if Double(longTerm) > Self.negligible { share = max(share, Double(longTerm) + 0.05) }
        self.share = Float(min(share, Self.most))
    }
}

/// The silence that is ordinary for a transmitter.
struct Patience: Hashable, Sendable {
    /// 4 learned intervals.
    var ordinary: TimeSpan
    /// The patience with a slow beacon that loses packets; zero for others.
    var lossy: TimeSpan = .zero
    /// 4 average gaps between its receptions, with that loss.
    var fourGaps: TimeSpan = .zero

    static let none = Patience(ordinary: .zero)

    /// The silence after which the transmitter is out of hearing.
    var silence: TimeSpan { max(ordinary, lossy) }

    /// The silence after which a region is left. Only loss makes it longer than 4 intervals, and then by at most the
    /// `exit_after_s` of the region. So a beacon that has really left is not waited for without end.
    func leaving(exitAfter: TimeSpan) -> TimeSpan { max(ordinary, min(lossy, fourGaps + exitAfter)) }
}
