/// The rhythm of a receiver's messages: batches with a period, packet by packet, or heartbeats alone.
///
/// A batch holds a message with several advertisements. The usual gap before batches is the period, from the time on at
/// which half of the latest messages with packets are batches. In quiet air such a receiver publishes single packets, and
/// keeps its period.
///
/// Messages that come at once are one batch. That is 0.2 s where the period is more than twice as long, because a
/// receiver may upload a batch in several messages. Else it is 50 ms.
///
/// A gap that stalled the receiver says nothing about the period. Several of the same length are a new one.
struct ReceiverRhythm: Sendable {
    static let periodsUntilStalled: Int64 = 3
    /// The least silence that means anything, with batches and without.
    static let leastSilence = TimeSpan.seconds(3)
    static let leastStreamSilence = TimeSpan.seconds(5)
    /// The longest period that is measured.
    static let longestPeriod = TimeSpan.seconds(600)

    private var short = BatchGaps(width: .milliseconds(50))
    private var long = BatchGaps(width: .milliseconds(200))
    /// The gaps between heartbeats, and the latest one.
    private var heartbeatGaps = GapHistory()
    private var usualHeartbeatGap: TimeSpan?
    private var lastHeartbeat: Instant?
    /// True if no packet has come since the receiver last stalled, or began.
    private var hasHeartbeatsAlone = true

    private var batches: BatchGaps { long.isWorthwhile ? long : short }

    /// The measured period of the batches; `nil` before it is known, and for a receiver that publishes packet by packet.
    var period: TimeSpan? { batches.period }

    /// The period by the batches so far, be they as few as two.
    var likelyPeriod: TimeSpan? { batches.likelyPeriod }

    /// The usual gap between messages with packets; `nil` before it is known.
    var usualGap: TimeSpan? { short.usualGap }

    /// The least gap before a batch that is due; `nil` before the period is known.
    var leastGap: TimeSpan? { batches.leastGap }

    /// True since a stall, until a message with packets counts.
    var isAfterStall: Bool { short.isGapLong }

    /// The gap before a batch that every fourth gap exceeds: the one between batches that come in parts, or late.
    var longGap: TimeSpan { batches.longGap }

    /// The silence after which the receiver has stalled.
    var silenceUntilStalled: TimeSpan {
        guard hasHeartbeatsAlone, let gap = usualHeartbeatGap else { return silenceBetweenBatches }
        return max(gap * Self.periodsUntilStalled, silenceBetweenBatches)
    }

    private var silenceBetweenBatches: TimeSpan {
        if let period { return max(period * Self.periodsUntilStalled, longGap * 2, Self.leastSilence) }
        guard let usualGap else { return ReceiverStream.usablePeriod * Self.periodsUntilStalled }
        return max(usualGap * LivenessMonitor.gapsInNorm, Self.leastStreamSilence)
    }

    /// Returns true if a message at that time belongs to the latest batch.
    func isInBatch(at arrival: Instant) -> Bool { batches.isInLatest(arrival) }

    /// Returns true if a message at that time comes beside the batches that are due: as a second message of one, or less
    /// than three quarters of the period after it began, where that is unusual.
    func isExtra(at arrival: Instant) -> Bool { batches.isExtra(arrival) }

    /// Takes an extra message that does not count. Many in a row are the receiver's way to publish.
    mutating func skipExtra() {
        short.skipExtra()
        long.skipExtra()
    }

    mutating func take(_ message: ReceiverMessage, at arrival: Instant) {
        guard !message.packets.isEmpty else { return takeHeartbeat(at: arrival) }
        hasHeartbeatsAlone = false
        let isFull = message.packets.count { !$0.isScanResponse } > 1
        short.take(isFull: isFull, at: arrival)
        long.take(isFull: isFull, at: arrival)
    }

    private mutating func takeHeartbeat(at arrival: Instant) {
        if let lastHeartbeat, arrival - lastHeartbeat <= Self.longestPeriod {
            heartbeatGaps.append(arrival - lastHeartbeat)
            usualHeartbeatGap = heartbeatGaps.median(ofAtLeast: 1)
        }
        lastHeartbeat = arrival
    }

    /// Takes a silence that stalled the receiver.
    mutating func stall() {
        short.isGapLong = true
        long.isGapLong = true
        hasHeartbeatsAlone = true
    }
}

/// The gaps before batches, where messages within a time after the first one are a batch.
private struct BatchGaps: Sendable {
    /// The gaps by which the period is known, and by which it is known anew where each of them stalled the receiver.
    static let leastGaps = 3
    /// The most parts in which a batch may come.
    static let mostParts = 8
    /// The extra messages by which they are usual, one for each batch. A late delivery has fewer.
    static let mostExtras = 30

    let width: TimeSpan
    /// The gap before the next batch has stalled the receiver.
    var isGapLong = false
    private(set) var usualGap: TimeSpan?
    private(set) var period: TimeSpan?
    /// The period by the batches so far.
    private(set) var likelyPeriod: TimeSpan?
    /// The gap that every fourth gap before a batch exceeds.
    private(set) var longGap = TimeSpan.zero
    private var began: Instant?
    /// The gap before the latest batch, until it counts for `full`.
    private var gapBefore: (span: TimeSpan, isLong: Bool)?
    private var all = GapHistory()
    /// The gaps before those batches alone that hold a message with several packets.
    private var full = GapHistory()
    /// The latest gaps before full batches, where each of them stalled the receiver, and the shorter ones since.
    private var longGaps: [TimeSpan] = []
    private var gapsSinceLong = 0
    /// A bit for each of the latest batches, the last one lowest: 1 if it is full, and if it has several messages.
    private var kinds: (full: UInt16, several: UInt16) = (0, 0)
    private var count = 0
    /// The extra messages that did not count, less the batches without one.
    private var extras = 0
    private var hasExtra = false

    init(width: TimeSpan) { self.width = width }

    /// True if batches are so far apart that no two of them look like one.
    var isWorthwhile: Bool { (likelyPeriod ?? .zero) > width * 2 }

    func isInLatest(_ arrival: Instant) -> Bool { began.map { arrival - $0 <= width } ?? false }

    func isExtra(_ arrival: Instant) -> Bool {
        guard extras < Self.mostExtras, let least = leastGap else { return false }
        if isInLatest(arrival) { return kinds.several.nonzeroBitCount * 4 <= count }
        return isEarly(arrival) && full.count(shorterThan: least) * 4 <= full.count
    }

    /// The least gap before a batch that is due.
    var leastGap: TimeSpan? { period.map { TimeSpan(microseconds: $0.microseconds / 4 * 3) } }

    private func isEarly(_ arrival: Instant) -> Bool {
        guard let began, let leastGap else { return false }
        return arrival - began < leastGap
    }

    mutating func skipExtra() {
        if !hasExtra { extras = min(extras + 1, Self.mostExtras) }
        hasExtra = true
    }

    mutating func take(isFull: Bool, at arrival: Instant) {
        if isInLatest(arrival) {
            kinds.several |= 1
            hasExtra = true
        } else {
            if isEarly(arrival) {
                hasExtra = true
            } else {
                if !hasExtra { extras = max(extras - 1, 0) }
                hasExtra = false
            }
            gapBefore = began.map { (arrival - $0, isGapLong) }
            (began, isGapLong) = (arrival, false)
            (kinds, count) = ((kinds.full << 1, kinds.several << 1), min(count + 1, UInt16.bitWidth))
            if let gapBefore, !gapBefore.isLong {
                all.append(gapBefore.span)
                usualGap = all.median(ofAtLeast: Self.leastGaps)
            }
        }
        guard isFull else { return }
        kinds.full |= 1
        if let gap = gapBefore {
            gapBefore = nil
            if gap.isLong {
                countLong(gap.span)
            } else {
                full.append(gap.span)
                gapsSinceLong += 1
                // Batches that come in a few parts have short gaps between the long ones.
                if gapsSinceLong > Self.mostParts { longGaps = [] }
            }
            likelyPeriod = full.median(ofAtLeast: 1)
            longGap = full.quartile(3, ofAtLeast: Self.leastGaps) ?? .zero
        }
        guard period != nil || kinds.full.nonzeroBitCount * 2 >= count else { return }
        period = full.count < Self.leastGaps ? nil : likelyPeriod
    }

    private mutating func countLong(_ gap: TimeSpan) {
        gapsSinceLong = 0
        guard gap <= ReceiverRhythm.longestPeriod else {
            longGaps = []
            return
        }
        longGaps.append(gap)
        if longGaps.count > Self.leastGaps { longGaps.removeFirst() }
        guard longGaps.count == Self.leastGaps, let shortest = longGaps.min(), let longest = longGaps.max(),
            (longest - shortest) * 4 <= longest
        else { return }
        (all, full) = (GapHistory(), GapHistory())
        for gap in longGaps {
            all.append(gap)
            full.append(gap)
        }
        usualGap = all.median(ofAtLeast: Self.leastGaps)
        longGaps = []
    }
}
