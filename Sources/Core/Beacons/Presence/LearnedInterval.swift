import RealModule

/// How often a transmitter is heard: the median of its recent gaps between receptions, and, where it advertises slowly,
/// how many of its packets are lost.
///
/// Beacons advertise every 0.1 to 10 s and packets get lost, so a fixed time-out is wrong for some of them. A median
/// shrugs off single losses, and loss can only lengthen a gap: it never shortens the interval.
struct LearnedInterval: Sendable {
    /// Gaps remembered. An odd number, so that the median is one of them.
    static let capacity = 15
    /// Fewer gaps than this say nothing yet.
    static let minGaps = 3
    /// Fewer say nothing of loss: a fast beacon that is hardly heard would pass for a slow one.
    static let minLossGaps = 10
    /// Two receptions closer than this are one advertisement heard twice: the shortest advertising interval is 20 ms.
    static let shortest = TimeSpan.milliseconds(10)
    /// A longer silence is an absence.
    static let longest = TimeSpan.milliseconds(60_000)
    /// A silence of this many intervals is out of the ordinary.
    static let patience: Int64 = 4
    /// From this interval on, in ms, loss is learned: 4 of a shorter one pass within 2 s, the shortest `unknown_after_s`.
    static let slow_ms: UInt16 = 500

    /// Where the shortest gap stands in `recent`, then the next longer one and so on: four bits each, from the lowest on. The
    /// unused rest is 15.
    private var order = UInt64.max
    /// Gaps in units of 1 ms, in the order they came. The unused rest, and the last one always, is longer than any.
    private var recent = InlineArray<16, UInt16>(repeating: .max)
    private var count: UInt8 = 0
    private var next: UInt8 = 0
    /// The shortest gap ever, in ms. No beacon sends more rarely than that: a fast one that is hardly heard is not slow.
    private var shortest_ms = UInt16.max
    private var loss = LearnedLoss()
    /// What an earlier process had learned, in µs: holds until `minGaps` gaps say better. Four of the longest gaps at most.
    private var restored_us: UInt32 = 0

    init() {}

    /// The learned interval; `nil` before `minGaps` gaps.
    var median: TimeSpan? {
        guard count >= Self.minGaps else { return nil }
        return .milliseconds(Int64(sorted(Int(count) / 2)))
    }

    /// How long this transmitter may be silent before it means anything; zero while nothing is learned.
    var patience: Patience {
        guard count >= Self.minGaps else { return Patience(ordinary: restored) }
        let ordinary = TimeSpan.milliseconds(Int64(sorted(Int(count) / 2)) * Self.patience)
        guard loss.isLearned else { return Patience(ordinary: ordinary) }
        let interval_s = Double(advertisingInterval_ms) / 1_000
        return Patience(
            ordinary: ordinary, lossy: .seconds(interval_s * loss.missedInARow),
            fourGaps: .seconds(interval_s * loss.fourGaps))
    }

    /// The average of the recent gaps; what an ordinary phone's would be before the first.
    var averageGap: TimeSpan {
        guard count > 0 else { return .milliseconds(200) }
        var sum_ms: Int64 = 0
        for index in 0..<Int(count) { sum_ms += Int64(recent[index]) }
        return TimeSpan(microseconds: sum_ms * 1_000 / Int64(count))
    }

    /// Whether nothing is known of it from its own packets.
    var isUnknown: Bool { count == 0 }

    /// Goes on from the silence that an earlier process had learned to be ordinary, the longest that is given.
    mutating func restore(patience: TimeSpan) {
        let longest = min(max(restored, patience), Self.longest * Self.patience)
        restored_us = UInt32(clamping: longest.microseconds)
    }

    private var restored: TimeSpan { TimeSpan(microseconds: Int64(restored_us)) }

    /// The interval between packets as sent, in ms: the middle of those gaps in which none was lost. Those are within
    /// 1.6 times one of the shortest; not the shortest, because something heard twice would pass for it.
    var advertisingInterval_ms: UInt16 {
        guard count > 0 else { return 0 }
        let limit = Self.withinOne(Double(sorted((Int(count) - 1) / 5)))
        var single = 0
        while single < Int(count), Double(sorted(single)) <= limit { single += 1 }
        return sorted(single / 2)
    }

    private static func withinOne(_ interval_ms: Double) -> Double { interval_ms * 1.6 }

    /// Takes the time between two receptions in. What is too short or too long for an interval is passed over.
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

    /// A gap of more than one and a half intervals lost a packet.
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

    /// Goes on where a predecessor under another address fell silent: its gaps, then the own ones.
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

    /// The gap that has so many shorter ones.
    private func sorted(_ index: Int) -> UInt16 { recent[Int(truncatingIfNeeded: order >> (4 * UInt64(index)) & 0xF)] }

    /// Takes the gap at `next`, the oldest, out of the order.
    private mutating func removeOldest() {
        // Where `next` stands, the difference has four zero bits. A subtraction borrows there, and the lowest borrow tells
        // where, without a search.
        let ones: UInt64 = 0x1111_1111_1111_1111
        let difference = order ^ (UInt64(next) &* ones)
        let zeros = (difference &- ones) & ~difference & (ones << 3)
        let shift = UInt64(zeros.trailingZeroBitCount & ~3)
        let shorter = order & (1 << shift &- 1)
        let longer = (order >> shift) >> 4
        order = shorter | longer << shift | 0xF << 60
    }

    /// Puts a gap at `next`, and into the order behind those that are not longer.
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

/// How many of a slow beacon's packets are lost: the share of gaps in which at least one was.
///
/// Where each packet is lost with probability p, independently, a gap hides a loss with the same probability, however
/// many follow each other: a single long silence counts once. So three packets lost in a row are no loss rate yet.
struct LearnedLoss: Sendable {
    /// A silence so long that loss alone makes one this rarely is out of the ordinary.
    private static let rare = 1e-5
    /// Of what part the long memory consists that the latest gap makes up.
    private static let memory: Float = 1.0 / 32
    /// What is taken for no loss: at a tenth, 4 packets in a row are lost about as rarely as `rare` says.
    private static let negligible = 0.12
    /// More than this can't be told from a beacon that is not there.
    private static let most = 0.9

    /// The share of lossy gaps, over the last 32 or so.
    private var longTerm: Float = 0
    /// The share that is reckoned with: rather too high than too low.
    private var share: Float = 0

    /// Whether there is enough of it to matter.
    var isLearned: Bool { share > 0 }

    /// Intervals that pass in silence as rarely as `rare` says; at least 4.
    var missedInARow: Double { max(4, Double.log(Self.rare) / Double.log(Double(share))) }

    /// Four gaps between receptions, on average, in intervals.
    var fourGaps: Double { 4 / (1 - Double(share)) }

    /// Takes a gap in.
    ///
    /// - Parameters:
    ///   - recent: how many of the last `count` gaps were lossy, this one among them. One alone is an accident.
    mutating func learn(isLossy: Bool, recent: Int, of count: Int) {
        longTerm += ((isLossy ? 1 : 0) - longTerm) * Self.memory
        var share = 0.0
        if recent > 1 { share = Double(recent + 1) / Double(count + 1) }
        if Double(longTerm) > Self.negligible { share = max(share, Double(longTerm) + 0.05) }
        self.share = Float(min(share, Self.most))
    }
}

/// How long a transmitter may be silent before it means anything.
struct Patience: Hashable, Sendable {
    /// 4 learned intervals.
    var ordinary: TimeSpan
    /// What a slow beacon that loses packets needs beyond that; zero for others.
    var lossy: TimeSpan
    /// 4 gaps between its receptions, as they are on average with that loss.
    var fourGaps: TimeSpan

    static let none = Patience(ordinary: .zero)

    package init(ordinary: TimeSpan, lossy: TimeSpan = .zero, fourGaps: TimeSpan = .zero) {
        self.ordinary = ordinary
        self.lossy = lossy
        self.fourGaps = fourGaps
    }

    /// The silence after which it is out of hearing.
    var silence: TimeSpan { max(ordinary, lossy) }

    /// The silence after which a region is left: longer than 4 intervals only for loss, and then by no more than the
    /// `exit_after_s` of the region, so that a beacon that really left is not waited for without end.
    func leaving(exitAfter: TimeSpan) -> TimeSpan {
        max(ordinary, min(lossy, fourGaps + exitAfter))
    }
}
