/// Counts a store's visits by day and hour, for `today`.
///
/// The counts follow from the outputs of the store's engine. A visit counts by the times of its events, in the hour of its entry; a late exit that corrects
/// the entry moves it. The engine does not tell visits that it gives up after `late_after_s`, so they do not count.
///
/// The records of a change go into the transaction of the transitions that made it. So no visit counts twice or is lost in a crash.
package struct StoreToday: Sendable {
    /// The result that a call of `follow` has to have.
    package enum Demand: Sendable {
        /// A report at most once a minute, and only where it changed.
        case asDue
        /// All is stored: the process ends.
        case stored
        /// All is stored, and told where it changed.
        case told
    }

    /// A visit under way.
    struct Visit: Sendable {
        var enteredAt: Instant
        /// Where its entry counts; `nil` where no gateway saw it, or where its region has no place.
        var entry: EntryHour?
        var countsToday: Bool
    }

    struct EntryHour: Hashable, Sendable {
        var day: Int64
        var hour: Int
    }

    /// A region instance that is not outside.
    struct Place: Sendable {
        var state = RegionState.unknown
        var visit: Visit?
    }

    /// How what the engine tells first is taken: it goes on from what an earlier process stored.
    enum Resumption: Sendable {
        /// The visits are news.
        case none
        /// The day's record has them.
        case sameDay
        /// Visits whose entries count on an earlier day, and which touch this one.
        case otherDay
    }

    static let interval = TimeSpan.seconds(60)
    /// The least time between two reports, of which the second follows a catch-up of gateways.
    static let catchUpInterval = TimeSpan.seconds(10)
    /// The longest time for which a report waits for gateways that tell old events.
    static let longestCatchUp = TimeSpan.seconds(60)
    /// The first report waits for what the broker has retained of the gateways.
    static let firstReportAfter = TimeSpan.seconds(5)
    /// Days whose curves are kept.
    static let keptDays: Int64 = 7
    /// A clock that was set back by less does not change the day.
    static let steppedBack = TimeSpan.seconds(3_600)

    let localTime: LocalTime
    /// Regions that are told of on every day.
    let configured: [String]
    /// How the time of day relates to the engine's clock.
    package var timebase: Timebase
    var day: LocalDay
    /// How long the store heard in each hour of the day.
    var heard: [TimeSpan]
    /// The day's visits by region.
    var counts: [String: DayCounts] = [:]
    /// Curves of earlier days by day and region.
    var past: [Int64: [String: [Int64]]] = [:]
    /// Visits to regions that have no place.
    var omitted: Int64 = 0
    var places: [RegionInstanceID: Place] = [:]
    var resumption = Resumption.none
    private var isHearing = false
    private var followedAt: Instant
    /// When there may be a report, and when one is looked for without a change.
    private var reportFrom: Instant
    private var lookAt: Instant
    private var told: TodayReport?
    private var reportedAt = Instant.origin
    /// The time since which gateways tell what they heard while they were away; `nil` where none does.
    private var catchesUpSince: Instant?
    var changes = Changes()

    /// The differences from the records on the disk.
    struct Changes: Sendable {
        var regions: Set<String> = []
        var past: Set<PastRecord> = []
        var removedKeys: Set<String> = []
        var day = false

        struct PastRecord: Hashable, Sendable {
            var day: Int64
            var region: String
        }

        var isEmpty: Bool { regions.isEmpty && past.isEmpty && removedKeys.isEmpty && !day }
    }

    package init(
        _ settings: SiteSettings, _ localTime: LocalTime, restoring records: [StoredDays], at now: Instant,
        _ timebase: Timebase
    ) {
        self.localTime = localTime
        self.timebase = timebase
        configured = Array(settings.regions.sorted().prefix(TodayReport.maxRegions))
        day = localTime.day(at: timebase.wall(now))
        heard = day.hours.map { _ in .zero }
        followedAt = now
        reportFrom = now + Self.firstReportAfter
        lookAt = reportFrom
        changes.day = true
        restore(records)
        for region in configured { _ = hasRoom(for: region) }
    }

    /// Follows what the engine told since the last call, and adds what is to be stored and told of the day.
    ///
    /// - Parameters:
    ///   - isHearing: whether any gateway of the store hears from now on.
    ///   - isCatchingUp: whether a gateway tells what it heard while it was away. The report waits for it.
    package mutating func follow(
        _ outputs: inout [GatewayOutput], isHearing: Bool, isCatchingUp: Bool, at now: Instant,
        _ demand: Demand = .asDue
    ) {
        pass(to: now)
        let waits = waits(whileCatchingUp: isCatchingUp, at: now)
        for output in outputs { note(output, at: now) }
        resumption = .none
        self.isHearing = isHearing
        let hasNewVisits = !changes.regions.isEmpty
        var news = TodayNews()
        let isDue = !waits && now >= (hasNewVisits || told == nil ? reportFrom : lookAt)
        if demand == .told || (demand == .asDue && isDue) {
            news.report = newReport(at: now)
            lookAt = now + Self.interval
            if news.report != nil { (reportFrom, reportedAt) = (lookAt, now) }
            changes.day = true
        }
        // A change that waits for its report is looked at again as soon as there may be one.
        if hasNewVisits, news.report == nil { lookAt = min(lookAt, max(reportFrom, now)) }
        guard hasNewVisits || news.report != nil || changes.day || demand != .asDue else { return }
        takeRecords(into: &news)
        outputs.append(.message(news, at: now))
    }

    /// Returns whether a report waits for gateways that catch up. What they have told is reported soon after.
    private mutating func waits(whileCatchingUp isCatchingUp: Bool, at now: Instant) -> Bool {
        if isCatchingUp {
            catchesUpSince = catchesUpSince ?? now
            return catchesUpSince.map { now - $0 < Self.longestCatchUp } ?? false
        }
        guard catchesUpSince != nil else { return false }
        catchesUpSince = nil
        reportFrom = min(reportFrom, max(now, reportedAt + Self.catchUpInterval))
        lookAt = min(lookAt, reportFrom)
        return false
    }

    /// Time passes: the store hears, or a day ends.
    private mutating func pass(to now: Instant) {
        let (from, to) = (timebase.wall(followedAt), timebase.wall(now))
        followedAt = max(followedAt, now)
        if to >= day.to || timebase.isSynced && to + Self.steppedBack < day.from {
            begin(localTime.day(at: to))
            changes.day = true
        }
        guard isHearing, from < to, let last = day.hour(of: to) else { return }
        for hour in (day.hour(of: from) ?? 0)...last {
            let overlap = min(to, day.end(ofHour: hour)) - max(from, day.hours[hour])
            heard[hour] = heard[hour] + max(.zero, overlap)
        }
    }

    private mutating func newReport(at now: Instant) -> TodayReport? {
        let report = report(at: timebase.wall(now), isHearing: isHearing)
        if report == told { return nil }
        told = report
        return report
    }

    private mutating func takeRecords(into news: inout TodayNews) {
        defer { changes = Changes() }
        news.records = [
            .day(
                number: day.number, from: day.from,
                heard_s: heard.map { max(0, ($0.microseconds + 500_000) / 1_000_000) },
                omitted: omitted)
        ]
        for region in changes.regions.sorted() {
            guard let counts = counts[region] else { continue }
            news.records.append(.today(region: region, number: day.number, counts))
        }
        for record in changes.past.sorted(by: { ($0.day, $0.region) < ($1.day, $1.region) }) {
            guard let entries = past[record.day]?[record.region] else { continue }
            news.records.append(.past(region: record.region, number: record.day, entries: entries))
        }
        let stored = Set(news.records.map(\.key))
        news.removedKeys = changes.removedKeys.subtracting(stored).sorted()
    }
}
