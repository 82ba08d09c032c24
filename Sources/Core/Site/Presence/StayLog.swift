/// The stays of one region instance at its gateways that have ended, and what the gateways told of them.
///
/// The gateways' lines may be down at different times, so stays come in any order. Stays that are less than `exitAfter` apart are one.
struct StayLog: Sendable {
    /// A time during which a gateway, or several one after the other, had something inside.
    struct Stay: Sendable {
        var from: Instant
        var to: Instant
        /// When a gateway heard it last.
        var lastHeardAt: Instant
        /// By whom it was ended last; `nil` where no event told it.
        var cause: StoreRegion.Cause?
        /// How it began: `partial` where no gateway saw that.
        var beginning = RegionStay.Beginning.observed

        fileprivate func joined(_ other: Stay) -> Stay {
            Stay(
                from: min(from, other.from), to: max(to, other.to), lastHeardAt: max(lastHeardAt, other.lastHeardAt),
                cause: to < other.to ? other.cause ?? cause : cause ?? other.cause,
                beginning: from <= other.from ? beginning : other.beginning)
        }
    }

    /// An entry whose visit is not told yet.
    struct Entry: Sendable {
        var at: Instant
        var cause: StoreRegion.Cause
    }

    /// The first time after the beginning of a visit that no gateway covers for `exitAfter`.
    struct Gap: Sendable {
        /// The end of the last stay before it.
        var from: Instant
        /// What is known of that stay; `nil` where no stay has ended.
        var stay: Stay?
        /// The beginning of the stay after it; `nil` where there is none.
        var to: Instant?
    }

    /// Stays of one instance that are not told yet, at most.
    static let most = 256
    /// As many where those of all instances together are more than `max_instances`.
    static let few = 16

    /// Stays that may wait: `most`, or `few`.
    var limit = StayLog.most

    private(set) var stays: [Stay] = []
    private(set) var entries: [Entry] = []

    /// A stay has ended.
    ///
    /// - Returns: false where there are too many; the two that are nearest to each other count as one then.
    mutating func note(_ stay: Stay, apart exitAfter: TimeSpan) -> Bool {
        guard stay.from <= stay.to else { return true }
        var joined = stay
        stays.removeAll { other in
            guard other.from < joined.to + exitAfter, joined.from < other.to + exitAfter else { return false }
            joined = other.joined(joined)
            return true
        }
        stays.insert(joined, at: stays.firstIndex { $0.from > joined.from } ?? stays.count)
        guard stays.count > limit else { return true }
        let pairs = stays.indices.dropLast()
        if let nearest = pairs.min(by: { stays[$0 + 1].from - stays[$0].to < stays[$1 + 1].from - stays[$1].to }) {
            let second = stays.remove(at: nearest + 1)
            stays[nearest] = stays[nearest].joined(second)
        }
        return false
    }

    /// An entry has come while it is not decided whether the visit before it has ended.
    mutating func note(_ entry: Entry) {
        entries.append(entry)
        if entries.count > limit { entries.removeFirst() }
    }

    /// The cause of the visit that begins at that time.
    func cause(at instant: Instant) -> StoreRegion.Cause? { entries.first { $0.at == instant }?.cause }

    /// What ended up to that time is told.
    mutating func forget(until instant: Instant) {
        stays.removeAll { $0.to <= instant }
        entries.removeAll { $0.at <= instant }
    }

    /// Where a visit that has begun then ends.
    ///
    /// - Parameter present: since when a gateway has something inside; `nil` where none has.
    /// - Returns: `nil` while it lasts.
    func gap(after beginning: Instant, present: Instant?, exitAfter: TimeSpan) -> Gap? {
        var gap = Gap(from: beginning)
        func isApart(_ from: Instant) -> Bool { from > gap.from && from >= gap.from + exitAfter }
        for stay in stays where stay.to > beginning {
            if let present, !isApart(present) { return nil }
            if isApart(stay.from) {
                gap.to = min(stay.from, present ?? stay.from)
                return gap
            }
            if stay.to >= gap.from { (gap.from, gap.stay) = (stay.to, stay) }
        }
        guard let present else { return gap }
        gap.to = present
        return isApart(present) ? gap : nil
    }

    /// The stay that covers that time; `nil` where none does.
    func stay(at instant: Instant) -> Stay? { stays.first { $0.from <= instant && instant <= $0.to } }

    /// The beginning of the first stay that begins then or later.
    func first(after instant: Instant) -> Instant? { stays.first { $0.from >= instant }?.from }
}

/// When the stays of instances ended that no gateway monitors any more.
///
/// What a gateway tells late of a time before begins no visit then: visits of one instance do not overlap.
struct StoreEndings: Sendable {
    /// Instances, at most. The oldest go first.
    private static let most = 16_384

    private var ends: [RegionInstanceID: Instant] = [:]
    private var order = TimerQueue<RegionInstanceID>()

    mutating func note(_ id: RegionInstanceID, at now: Instant, lateAfter: TimeSpan) {
        ends[id] = now
        order.set(id, at: now)
        while let first = order.first, ends.count > Self.most || now - first.due > lateAfter {
            order.removeFirst()
            if ends[first.subject] == first.due { ends[first.subject] = nil }
        }
    }

    func end(of id: RegionInstanceID) -> Instant? { ends[id] }
}
