public import HCI

/// How often a transmitter is heard: the median of its recent gaps between receptions.
///
/// Beacons advertise every 0.1 to 10 s and packets get lost, so a fixed time-out is wrong for some of them. A median
/// shrugs off single losses, and loss can only lengthen a gap: it never shortens the interval.
public struct LearnedInterval: Sendable {
    /// Gaps remembered. An odd number, so that the median is one of them.
    static let capacity = 15
    /// Fewer gaps than this say nothing yet.
    static let minGaps = 3
    /// Two receptions closer than this are one advertisement heard twice: the shortest advertising interval is 20 ms.
    static let shortest = TimeSpan.milliseconds(10)
    /// A longer silence is an absence.
    static let longest = TimeSpan.milliseconds(60_000)
    /// A silence of this many intervals is out of the ordinary.
    static let patience: Int64 = 4

    /// Gaps in units of 1 ms, in the order they came, and the same gaps sorted. The unused rest is zero.
    private var recent = InlineArray<15, UInt16>(repeating: 0)
    private var sorted = InlineArray<15, UInt16>(repeating: 0)
    private var count: UInt8 = 0
    private var next: UInt8 = 0

    public init() {}

    /// The learned interval; `nil` before `minGaps` gaps.
    public var median: TimeSpan? {
        guard count >= Self.minGaps else { return nil }
        return .milliseconds(Int64(sorted[Int(count) / 2]))
    }

    /// How long this transmitter may be silent before it means anything; zero while nothing is learned.
    public var patience: TimeSpan {
        guard count >= Self.minGaps else { return .zero }
        return .milliseconds(Int64(sorted[Int(count) / 2]) * Self.patience)
    }

    /// Takes the time between two receptions in. What is too short or too long for an interval is passed over.
    public mutating func add(gap: TimeSpan) {
        guard gap >= Self.shortest, gap <= Self.longest else { return }
        let gap_ms = UInt16(clamping: gap.microseconds / 1_000)
        if Int(count) == Self.capacity {
            remove(recent[Int(next)])
        } else {
            count += 1
        }
        insert(gap_ms)
        recent[Int(next)] = gap_ms
        next = (next + 1) % UInt8(Self.capacity)
    }

    /// Goes on where a predecessor under another address fell silent: its gaps, then the own ones.
    public mutating func takeOver(_ predecessor: LearnedInterval) {
        let own = self
        self = predecessor
        for age in 0..<Int(own.count) {
            let index = (Int(own.next) + Self.capacity - Int(own.count) + age) % Self.capacity
            add(gap: .milliseconds(Int64(own.recent[index])))
        }
    }

    /// Takes one gap, the oldest, out: the last place of `sorted` is free afterwards.
    private mutating func remove(_ gap_ms: UInt16) {
        var index = 0
        while index < Int(count) - 1, sorted[index] != gap_ms { index += 1 }
        while index < Int(count) - 1 {
            sorted[index] = sorted[index + 1]
            index += 1
        }
    }

    /// Puts a gap into the free last place and sinks it to where it belongs.
    private mutating func insert(_ gap_ms: UInt16) {
        var index = Int(count) - 1
        while index > 0, sorted[index - 1] > gap_ms {
            sorted[index] = sorted[index - 1]
            index -= 1
        }
        sorted[index] = gap_ms
    }
}
