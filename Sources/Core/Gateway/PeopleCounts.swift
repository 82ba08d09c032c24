/// The counts of all regions of people of a gateway, by the quarters of an hour of UTC.
///
/// The quarter at hand is a number. It ends once the clock shows a later one. A clock that goes back by at most a quarter
/// changes nothing; one that is set further begins anew.
struct PeopleCounts: Sendable {
    private static let quarter = TimeSpan.seconds(900)

    private var counts: [String: PeopleCount]
    /// The ids, in the order of the regions.
    private let regions: [String]
    private var timebase: Timebase
    private let localTime: LocalTime
    /// The quarter at hand, in quarters since the Unix epoch.
    private var number: Int64
    /// The time until which the store counts; `nil` where this gateway counts.
    private var storeCountsUntil: Instant?
    /// The next report to the store; `distantFuture` where the store joins no counts.
    private var sharingDue: Instant
    /// The first of two deadlines: the end of the quarter or of the store's count, and the next report to the store.
    private(set) var due = Instant.distantFuture
    /// The advertisements with a person's beacon, each once.
    private(set) var advertisementCount: UInt64 = 0
    private var lastAdvertisement: UInt64 = 0
    private let begin: Instant
    /// True where a limit held an entry back since the last report to the store.
    private var hasMissedEntry = false

    /// Returns `nil` where no region is one of people.
    ///
    /// - Parameters:
    ///   - hasZones: whether it counts for a store, which knows the ways between its zones.
    ///   - shares: whether it reports to a store, which joins the counts of its gateways.
    ///   - localTime: the store's, by which its days end.
    init?(
        _ regions: [BeaconRegion], isDeaf: Bool, hasZones: Bool = false, shares: Bool = false, at now: Instant,
        _ timebase: Timebase, _ localTime: LocalTime
    ) {
        let regions = regions.filter(\.isOfPeople)
        if regions.isEmpty { return nil }
        let start = timebase.wall(now)
        begin = now
        self.regions = regions.map(\.id)
        self.timebase = timebase
        self.localTime = localTime
        counts = Dictionary(
            regions.map { ($0.id, PeopleCount($0, from: start, isDeaf: isDeaf, hasZones: hasZones)) },
            uniquingKeysWith: { first, _ in first })
        number = Self.number(of: start)
        sharingDue = shares ? now : .distantFuture
        schedule()
    }

    /// Follows the machine's clock. Where it was set back by more than a quarter, a count is due at once.
    mutating func follow(_ timebase: Timebase, at now: Instant) {
        guard timebase != self.timebase else { return }
        self.timebase = timebase
        schedule()
        if storeCountsUntil == nil, Self.number(of: timebase.wall(now)) < number - 1 { due = now }
    }

    mutating func take(_ crossing: RegionEvent.Kind, of region: String) { counts[region]?.take(crossing) }

    /// Takes the ways between zones of a visit that has ended.
    mutating func take(_ ways: Set<VisitCount.Way>, in region: String) { counts[region]?.take(ways) }

    /// Returns what is wrong with the counts and their deadline; for tests.
    func checkInvariants() -> [String] {
        var broken = counts.values.flatMap { $0.checkInvariants() }
        if Set(counts.keys) != Set(regions) { broken.append("a region of people has no count, or a count no region") }
        if due > sharingDue { broken.append("a report to the store is due before the counts' deadline") }
        return broken
    }

    /// Counts an advertisement with a person's beacon: once, however many frames it has.
    mutating func take(advertisement number: UInt64) {
        if number != lastAdvertisement { advertisementCount &+= 1 }
        lastAdvertisement = number
    }

    /// Takes whether the radio hears from now on.
    mutating func hears(_ hears: Bool) { for region in regions { counts[region]?.hears(hears) } }

    /// True while the radio does not hear.
    var isDeaf: Bool { counts.values.contains(where: \.isDeaf) }

    /// Learns that a limit held back an entry into the region. Returns `false` where the region is none of people.
    mutating func missedEntry(into region: String) -> Bool {
        guard counts[region] != nil else { return false }
        counts[region]?.missedEntry()
        hasMissedEntry = true
        return true
    }

    /// Learns that an entry may be missing in each region.
    mutating func missedEntry() { for region in regions { _ = missedEntry(into: region) } }

    /// Returns the report to the store where it is due, without people yet.
    mutating func beginReport(at now: Instant) -> PeopleReport? {
        guard now >= sharingDue else { return nil }
        sharingDue = now + PeopleReport.interval
        schedule()
        defer { hasMissedEntry = false }
        return PeopleReport(
            regions: regions, counting_ms: max(0, (now - begin).microseconds / 1_000), people: [],
            isComplete: !isDeaf && !hasMissedEntry)
    }

    /// Ends the quarter at hand if it is over. Returns the counts to publish.
    mutating func advance(to now: Instant) -> [VisitCount] {
        defer { schedule() }
        let wall = timebase.wall(now)
        let current = Self.number(of: wall)
        if let until = storeCountsUntil {
            if now >= until { beginAnew(at: now) }
            return []
        }
        guard current > number || current < number - 1 else { return [] }
        let end = Self.beginning(of: number + 1)
        let isNext = current == number + 1
        let endsDay = localTime.day(at: end).number != localTime.day(at: Self.beginning(of: number)).number
        number = current
        var published: [VisitCount] = []
        for region in regions {
            if isNext {
                published += counts[region]?.endQuarter(at: end, endsDay: endsDay) ?? []
            } else {
                published += counts[region]?.stop(at: end) ?? []
                counts[region]?.goOn(at: wall)
            }
        }
        return published
    }

    /// Learns that the store counts. The count at hand ends, and the next one begins once the store counts no more. Returns the counts
    /// to publish: none that is too small, because most are of the seconds between a start and the first announcement.
    mutating func storeCounts(until: Instant, at now: Instant) -> [VisitCount] {
        defer { schedule() }
        let published = endCounts(at: now).filter { $0.entered != nil }
        storeCountsUntil = until
        return published
    }

    /// Ends the counting. Returns the counts to publish.
    mutating func stop(at now: Instant) -> [VisitCount] {
        (due, sharingDue) = (.distantFuture, .distantFuture)
        return endCounts(at: now)
    }

    private mutating func endCounts(at now: Instant) -> [VisitCount] {
        if storeCountsUntil != nil { return [] }
        let end = min(timebase.wall(now), Self.beginning(of: number + 1))
        return regions.flatMap { counts[$0]?.stop(at: end) ?? [] }
    }

    private mutating func beginAnew(at now: Instant) {
        let wall = timebase.wall(now)
        (storeCountsUntil, number) = (nil, Self.number(of: wall))
        for region in regions { counts[region]?.beginAnew(at: wall, now) }
    }

    /// Sets `due`. A clock that was set back by at most a quarter makes the end of the quarter later.
    private mutating func schedule() {
        due = min(storeCountsUntil ?? timebase.instant(Self.beginning(of: number + 1)), sharingDue)
    }

    private static func number(of wall: WallTime) -> Int64 {
        Timestamp.floorDivide(wall.microseconds, quarter.microseconds)
    }

    private static func beginning(of number: Int64) -> WallTime {
        WallTime(microseconds: number.multipliedSaturating(by: quarter.microseconds))
    }
}
