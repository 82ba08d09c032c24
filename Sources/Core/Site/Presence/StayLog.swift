/// The ended stays of one region instance at its gateways, with their causes.
///
/// The gateways' lines may be down at different times, so stays arrive in any order. Stays less than `exitAfter` apart
/// are joined.
struct StayLog: Sendable {
    /// A time in which a gateway, or several one after the other, had it inside.
    struct Stay: Sendable {
        var from: Instant
        var to: Instant
        /// The last report by a gateway.
        var lastHeardAt: Instant
        /// The gateway and beacon of its end; `nil` where no event reported it.
        var cause: StoreRegion.Cause?
        /// The beginning; `partial` where no gateway saw it.
        var beginning = RegionStay.Beginning.observed
        /// The end; `inferred` where the gateway was not running.
        var ending = RegionStay.Ending.observed

        fileprivate func joined(_ other: Stay) -> Stay {
            Stay(
                from: min(from, other.from), to: max(to, other.to), lastHeardAt: max(lastHeardAt, other.lastHeardAt),
                cause: to < other.to ? other.cause ?? cause : cause ?? other.cause,
                beginning: from <= other.from ? beginning : other.beginning,
                ending: to < other.to ? other.ending : ending)
        }
    }

    /// An entry whose visit is not published yet.
    struct Entry: Sendable {
        var at: Instant
        var cause: StoreRegion.Cause
    }

    /// The first time after the beginning of a visit that no gateway covers for `exitAfter`.
    struct Gap: Sendable {
        /// The end of the last stay before it.
        var from: Instant
        /// That stay; `nil` where no stay has ended.
        var stay: Stay?
        /// The beginning of the stay after it; `nil` where there is none.
        var to: Instant?
    }

    /// The most waiting stays of one instance.
    static let most = 256
    /// The limit where all instances together have more stays than `max_instances`.
    static let few = 16

    /// The present limit: `most` or `few`.
    var limit = StayLog.most

    private(set) var stays: [Stay] = []
    private(set) var entries: [Entry] = []

    /// Adds an ended stay.
    ///
    /// - Returns: false where there are too many. The two stays nearest to each other are then joined.
    mutating func add(_ stay: Stay, apart exitAfter: TimeSpan) -> Bool {
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

    /// Removes the first stay; `nil` where there is none.
    mutating func removeFirst() -> Stay? { stays.isEmpty ? nil : stays.removeFirst() }

    /// Removes the last stay if it ends later than `exitAfter` before that time; otherwise returns `nil`.
    mutating func removeLast(touching instant: Instant, apart exitAfter: TimeSpan) -> Stay? {
        guard let last = stays.last, last.to + exitAfter > instant else { return nil }
        return stays.removeLast()
    }

    /// Adds an entry that arrives while the end of the visit before it is undecided.
    mutating func add(_ entry: Entry) {
        entries.append(entry)
        if entries.count > limit { entries.removeFirst() }
    }

    /// Returns the cause of the visit that begins at that time.
    func cause(at instant: Instant) -> StoreRegion.Cause? { entries.first { $0.at == instant }?.cause }

    /// Removes the stays and entries up to that time, which are published.
    mutating func remove(until instant: Instant) {
        stays.removeAll { $0.to <= instant }
        entries.removeAll { $0.at <= instant }
    }

    /// Returns the end of a visit that began at `beginning`.
    ///
    /// - Parameter present: the time since which a gateway has it inside; `nil` where none has.
    /// - Returns: `nil` while the visit lasts.
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

    /// Returns the stay that covers that time; `nil` where none does.
    func stay(at instant: Instant) -> Stay? { stays.first { $0.from <= instant && instant <= $0.to } }

    /// Returns the beginning of the first stay that begins then or later.
    func first(after instant: Instant) -> Instant? { stays.first { $0.from >= instant }?.from }
}

extension StayLog.Stay {
    /// Makes the stay that an exit ends. The gateway's own clock gives the times before the exit, and no report comes
    /// after it.
    init(_ exit: EventPayload.Stay, writtenAt: WallTime, endedAt end: Instant, by cause: StoreRegion.Cause) {
        let last = end - max(writtenAt - exit.lastHeardAt, .zero)
        self.init(
            from: min(end - max(writtenAt - exit.enteredAt, .zero), last), to: end, lastHeardAt: last, cause: cause,
            beginning: exit.beginning, ending: exit.ending)
    }
}

/// The visits of one region instance that were published, as long as a late stay may touch one of them.
struct PublishedVisits: Sendable {
    private struct Visit: Sendable {
        var enteredAt: Instant
        /// The time of its exit, `exitAfter` after its last stay.
        var leftAt: Instant
    }

    /// The most visits. The oldest are removed first.
    private static let most = 64

    private var visits: [Visit] = []
    /// The end of the visits that are not known any more. No late visit begins before it.
    private var floor: Instant

    init(after floor: Instant = .origin) { self.floor = floor }

    /// Adds a visit that was published.
    ///
    /// - Parameter earliest: the time before which no stay ends that may still be published.
    mutating func add(from enteredAt: Instant, to leftAt: Instant, since earliest: Instant) {
        visits.insert(
            Visit(enteredAt: enteredAt, leftAt: leftAt), at: visits.firstIndex { $0.leftAt > leftAt } ?? visits.count)
        while let first = visits.first, visits.count > Self.most || first.leftAt < earliest {
            floor = max(floor, first.leftAt)
            visits.removeFirst()
        }
    }

    /// Returns whether a stay touches no visit that was published.
    func hasRoom(for stay: StayLog.Stay, apart exitAfter: TimeSpan) -> Bool {
        stay.from >= floor
            && visits.allSatisfy { stay.from >= $0.leftAt || stay.to + exitAfter <= $0.enteredAt }
    }
}

/// The end times of instances that no gateway monitors any more.
///
/// A late message about an earlier time begins no visit: visits of one instance do not overlap.
struct StoreEndings: Sendable {
    /// The most instances. The oldest are removed first.
    private static let most = 16_384

    private var ends: [RegionInstanceID: Instant] = [:]
    private var order = TimerQueue<RegionInstanceID>()

    mutating func add(_ id: RegionInstanceID, at now: Instant, lateAfter: TimeSpan) {
        ends[id] = now
        order.set(id, at: now)
        while let first = order.first, ends.count > Self.most || now - first.due > lateAfter {
            order.removeFirst()
            if ends[first.subject] == first.due { ends[first.subject] = nil }
        }
    }

    func end(of id: RegionInstanceID) -> Instant? { ends[id] }
}
