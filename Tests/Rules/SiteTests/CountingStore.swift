import Testing

@testable import Core

/// A store that counts its days: the engine's store with `StoreToday` behind it, as `beacond site` has it.
struct CountingStore {
    var store: Store
    private(set) var today: StoreToday
    private var followed = 0
    private(set) var news: [(at_s: Double, news: TodayUpdate)] = []

    init(
        _ toml: String = "[site]", zone: LocalTime = .utc, restoring records: [RegionRecord] = [],
        days: [StoredDays] = [], people: [String] = [], start: WallTime = Store.start, isSynced: Bool = true
    ) throws {
        store = try Store(toml, restoring: records)
        let settings = try Settings.parse(toml)
        today = StoreToday(
            settings.site ?? settings.siteDefaults, zone, people: people, restoring: days, at: .origin,
            Timebase(wallAtOrigin: start, isSynced: isSynced))
    }

    /// Returns a store whose gateway "a" hears from the start.
    static func hearing(_ toml: String = "[site]") throws -> CountingStore {
        var counting = try CountingStore(toml)
        counting.store.status("a", at: 0)
        return counting
    }

    /// Lets time pass second by second, as the delivery loop does.
    mutating func run(to t_s: Double) {
        var next_s = (store.engine.now - .origin).seconds.rounded(.down) + 1
        while next_s <= t_s {
            store.advance(to: next_s)
            follow(at: next_s)
            next_s += 1
        }
    }

    /// Lets time pass in one step.
    mutating func leap(to t_s: Double) {
        store.advance(to: t_s)
        follow(at: t_s)
    }

    mutating func follow(at t_s: Double, _ demand: StoreToday.Demand = .asDue, _ counts: [VisitCount] = []) {
        var outputs = Array(store.outputs[followed...]) + counts.map { .message($0, at: .origin + .seconds(t_s)) }
        followed = store.outputs.count
        let count = outputs.count
        let now = Instant.origin + .seconds(t_s)
        today.follow(
            &outputs, isHearing: store.engine.isHearing, isCatchingUp: store.engine.isCatchingUp(at: now), at: now,
            demand)
        for output in outputs.dropFirst(count) {
            if let published = output.content(TodayUpdate.self) { news.append((t_s, published)) }
        }
    }

    var reports: [TodayReport] { news.compactMap(\.news.report) }

    /// When reports were published, seconds.
    var reportTimes: [Double] { news.filter { $0.news.report != nil }.map(\.at_s) }

    /// The day as it is now.
    func report(at t_s: Double) -> TodayReport {
        today.report(at: today.timebase.wall(.origin + .seconds(t_s)), isHearing: store.engine.isHearing)
    }

    func carts(at t_s: Double) throws -> TodayReport.Region {
        try #require(report(at: t_s).regions.first { $0.id == "carts" })
    }

    /// Everything that is stored by now.
    var stored: [StoredDays] {
        var records: [String: StoredDays] = [:]
        for (_, published) in news {
            for key in published.removedKeys { records[key] = nil }
            for record in published.records { records[record.key] = record }
        }
        // As the disk has it.
        return records.sorted { $0.key < $1.key }.compactMap { StoredDays($0.value.encoded, key: $0.key) }
    }
}
