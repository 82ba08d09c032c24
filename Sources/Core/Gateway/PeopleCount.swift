/// Counts the visits of one region of people. Each published number is 0 or at least `minimum` visits.
///
/// The open count ends with the first quarter of an hour at whose end `minimum` visits have begun in it and `minimum` have ended. As many must
/// have ended in the last two quarters. The count is held until the next one ends, or until midnight. The rest of a day, which is too small, joins the count
/// that is held. A shop without such a half hour has one count a day.
///
/// So a single visit ends no count. A day on which too few came or left gets nulls, as one without any does. A day that begins with people who
/// were published as present goes on into the next one, so that their exits are counted.
///
/// `entered`, `left` and `present` are of one time, and `entered` is computed: present at the end, and left, less what the count before
/// published as present. So the difference of two counts shows nothing that a count does not. Fewer than `minimum` people inside count as 0, and
/// as entered in a later count.
struct PeopleCount: Sendable {
    /// A time with its numbers, not published yet.
    private struct Batch: Hashable {
        var from: WallTime
        /// The end, once it is over.
        var to: WallTime
        /// The visits that ended.
        var left: Int64 = 0
        /// The visits that go on at the end, as they will be published.
        var present: Int64 = 0
        /// The visits that ended, by the bounds of their dwell.
        var cells = PeopleCount.noVisits
        var ways: [VisitCount.Way: Int64] = [:]
        var isPartial: Bool

        init(from: WallTime, isPartial: Bool) {
            (self.from, to, self.isPartial) = (from, from, isPartial)
        }

        /// Takes the time after this one.
        mutating func join(_ next: Batch) {
            (to, present) = (next.to, next.present)
            left += next.left
            for cell in cells.indices { cells[cell] += next.cells[cell] }
            ways.merge(next.ways, uniquingKeysWith: +)
            isPartial = isPartial || next.isPartial
        }
    }

    private static let noVisits = VisitCount.bounds_s.map { _ in Int64(0) }

    private let region: String
    private let minimum: Int64
    /// The visits that go on, and whose entry was heard.
    private var inside: Int64 = 0
    /// The visits that go on, as the last publication has them.
    private var published: Int64 = 0
    /// The count that is over and waits for the next one.
    private var held: Batch?
    private var open: Batch
    /// The visits that ended in the quarter before and in the one at hand.
    private var ended: (before: Int64, now: Int64) = (0, 0)
    private(set) var isDeaf: Bool
    /// Visits that began earlier are in no count; `nil` where none can have.
    private var countsSince: Instant?
    /// The dwell of the visits in published counts. It goes out with the last count of the day.
    private var dwell = Self.noVisits
    /// The ways of these visits, in the same manner; `nil` at a gateway, which knows no zones.
    private var ways: [VisitCount.Way: Int64]?
    /// The beginning of the time of `dwell` and `ways`: the end of the last count that had them.
    private var dayFrom: WallTime

    init(_ region: BeaconRegion, from: WallTime, isDeaf: Bool, hasZones: Bool = false) {
        self.region = region.id
        minimum = region.rules.countMinimum
        open = Batch(from: from, isPartial: true)
        (ways, dayFrom) = (hasZones ? [:] : nil, from)
        self.isDeaf = isDeaf
    }

    /// Returns what is wrong with its numbers; for tests.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ rule: String) { if !holds { broken.append("\(region): \(rule)") } }
        let batches = [open] + (held.map { [$0] } ?? [])
        check(inside >= 0, "\(inside) people are inside")
        check(published == 0 || published >= minimum, "\(published) people are published as present")
        for batch in batches {
            check(batch.left >= 0 && batch.left == batch.cells.reduce(0, +), "exits and their dwell differ")
            check(batch.present == 0 || batch.present >= minimum, "\(batch.present) present people would be published")
        }
        if let held {
            check(held.left >= minimum, "a count of \(held.left) exits waits to be published")
            check(held.from < held.to && held.to <= open.from, "the count that waits ends after the next one began")
        }
        check(dwell.allSatisfy { $0 >= 0 }, "a dwell is counted below 0")
        return broken
    }

    // MARK: - Evidence

    /// Takes a crossing: an entry that was observed, or any exit. A visit that had begun before the start is not counted: its entry was
    /// published before, or never.
    mutating func take(_ crossing: RegionEvent.Kind) {
        switch crossing {
        case .enter: inside += 1
        case .exit(let stay):
            guard stay.beginning == .observed, countsSince.map({ stay.enteredAt >= $0 }) ?? true else { return }
            inside -= 1
            ended.now += 1
            open.left += 1
            open.cells[Self.cell(of: stay.dwell)] += 1
        }
    }

    /// Takes the ways of a visit that has ended. Each counts once in a visit, so that one person makes no number large.
    mutating func take(_ ways: Set<VisitCount.Way>) { for way in ways { open.ways[way, default: 0] += 1 } }

    /// Takes whether the radio is deaf from now on.
    mutating func hears(_ hears: Bool) {
        isDeaf = !hears
        if isDeaf { open.isPartial = true }
    }

    /// Learns that a limit held back an entry.
    mutating func missedEntry() { open.isPartial = true }

    private static func cell(of dwell: TimeSpan) -> Int {
        VisitCount.bounds_s.lastIndex { dwell.microseconds >= $0 * 1_000_000 } ?? 0
    }

    // MARK: - Time

    /// Ends a quarter of an hour. Returns the counts to publish.
    ///
    /// - Parameter endsDay: whether it is the last quarter of the store's day.
    mutating func endQuarter(at end: WallTime, endsDay: Bool) -> [VisitCount] {
        let isDense = ended.before + ended.now >= minimum
        ended = (ended.now, 0)
        var counts: [VisitCount] = []
        let before = held?.present ?? published
        let entered = open.left + presentToPublish - before
        if open.left >= minimum, entered >= minimum, isDense {
            (open.to, open.present) = (end, presentToPublish)
            if let held { counts.append(publish(held)) }
            held = open
            begin(at: end)
        }
        return endsDay ? counts + settle(at: end, isLast: false) : counts
    }

    /// Ends the counting. Returns the counts to publish: numbers that are too small are null.
    mutating func stop(at end: WallTime) -> [VisitCount] {
        open.isPartial = true
        if end > open.from { return settle(at: end, isLast: true) }
        // The clock was set back. A count of no time would be none. It comes only with numbers, so that one person does not show.
        return settle(at: open.from + .seconds(1), isLast: true).filter { $0.entered != nil }
    }

    /// Goes on at another time of day, because the clock was set. The visits go on.
    mutating func goOn(at start: WallTime) {
        begin(at: start)
        open.isPartial = true
        (dayFrom, ended) = (start, (0, 0))
    }

    /// Begins anew after a time in which the store counted. Visits under way are in no count.
    mutating func beginAnew(at start: WallTime, _ now: Instant) {
        (inside, published, held, countsSince) = (0, 0, nil, now)
        goOn(at: start)
    }

    private mutating func begin(at start: WallTime) {
        open = Batch(from: start, isPartial: isDeaf)
    }

    /// Publishes what may be published at the end of a day, or at the last end.
    private mutating func settle(at end: WallTime, isLast: Bool) -> [VisitCount] {
        (open.to, open.present) = (end, presentToPublish)
        var whole = open
        if var first = held {
            first.join(open)
            whole = first
        }
        let entered = whole.left + whole.present - published
        // With a minimum of 1 a number of 0 hides no person.
        if minimum == 1 || whole.left >= minimum && entered >= minimum {
            held = nil
            begin(at: end)
            return [publish(whole, endsDay: true)]
        }
        var counts = held.map { [publish($0, endsDay: true)] } ?? []
        held = nil
        // The next day counts the visits after a published count, and the exits of people who were published as present.
        if !isLast, !counts.isEmpty || published > 0 { return counts }
        if end > open.from {
            // A time without people gets the same nulls, so that one person alone does not show.
            counts.append(
                VisitCount(
                    region: region, from: open.from, to: end, minimum: minimum, entered: nil, left: nil,
                    present: published, isPartial: open.isPartial))
        }
        begin(at: end)
        return counts
    }

    // MARK: - Numbers

    private var presentToPublish: Int64 { inside >= minimum ? inside : 0 }

    /// Makes the count of a time that may be published, and takes it as published.
    ///
    /// Dwell and ways come with the last count of a day. If they came as soon as each cell is large enough, that moment would show the visit
    /// that completed the last cell.
    private mutating func publish(_ batch: Batch, endsDay: Bool = false) -> VisitCount {
        var count = VisitCount(
            region: region, from: batch.from, to: batch.to, minimum: minimum,
            entered: batch.left + batch.present - published, left: batch.left, present: batch.present,
            isPartial: batch.isPartial)
        published = batch.present
        for cell in dwell.indices { dwell[cell] += batch.cells[cell] }
        ways?.merge(batch.ways, uniquingKeysWith: +)
        if endsDay {
            (count.dwell, count.dwellFrom, count.ways) = (takeDwell(), dayFrom, takeWays())
            dayFrom = batch.to
        }
        return count
    }

    /// Returns the ways of a day, and begins anew. A way with too few visits is left out, and not counted: the number of these
    /// ways would show one person. No other number adds up to the ways.
    private mutating func takeWays() -> VisitCount.Ways? {
        guard let all = ways else { return nil }
        ways = [:]
        let cells = all.filter { $0.value >= minimum }.map { VisitCount.Ways.Cell(way: $0.key, visits: $0.value) }
            .sorted { ($1.visits, $0.way.from, $0.way.to) < ($0.visits, $1.way.from, $1.way.to) }
            .prefix(VisitCount.Ways.most)
        return VisitCount.Ways(from: dayFrom, cells: Array(cells))
    }

    /// Returns the dwell, and begins anew. A cell with too few visits counts in the next longer one that has visits; the last
    /// one in the cell before it.
    private mutating func takeDwell() -> [VisitCount.Dwell] {
        var cells: [VisitCount.Dwell] = []
        var waiting: Int64 = 0
        for (from_s, visits) in zip(VisitCount.bounds_s, dwell) where visits > 0 {
            waiting += visits
            guard waiting >= minimum else { continue }
            cells.append(VisitCount.Dwell(from_s: from_s, visits: waiting))
            waiting = 0
        }
        // There are enough visits in all, because each published number is large enough.
        if let last = cells.indices.last { cells[last].visits += waiting }
        dwell = Self.noVisits
        return cells
    }
}
