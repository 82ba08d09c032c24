import TestAir
import Testing

@testable import Core

@Suite("The people of a store's day")
struct TodayPeopleTests {
    /// Seconds from `Store.start`, which is 11:06:40, to midnight of UTC.
    private let midnight_s = 46_400.0

    private func count(
        _ entered: Int64?, _ left: Int64?, present: Int64, to_s: Double, isPartial: Bool = false,
        region: String = "visitors"
    ) -> VisitCount {
        VisitCount(
            region: region, from: Store.start + .seconds(to_s - 900), to: Store.start + .seconds(to_s), minimum: 5,
            entered: entered, left: left, present: present, isPartial: isPartial)
    }

    private func counting(_ days: [StoredDays] = [], at start_s: Double = 0) throws -> CountingStore {
        try CountingStore(
            "[site]\nregions = [\"visitors\", \"carts\"]", days: days, people: ["visitors"],
            start: Store.start + .seconds(start_s))
    }

    @Test("The day has the sums of the counts that were published, and the people at the end of the last one")
    func sums() throws {
        var counting = try counting()
        counting.run(to: 10)
        #expect(counting.reports.last?.people == [PeopleDay(region: "visitors")])
        #expect(counting.reports.last?.regions.map(\.id) == ["carts"], "it has no visits of its own")
        counting.follow(at: 1_000, .asDue, [count(12, 7, present: 5, to_s: 900)])
        counting.follow(
            at: 2_000, .asDue,
            [
                count(nil, 6, present: 0, to_s: 1_800, isPartial: true),
                count(9, 9, present: 9, to_s: 1_800, region: "unknown"),
            ])
        let day = try #require(counting.reports.last?.people.first)
        #expect(day.entered == 12 && day.left == 13 && day.present == 0 && day.omitted == 1 && day.isPartial)
        #expect(day.to == Store.start + .seconds(1_800))
        #expect(counting.news.last { $0.news.report != nil }?.at_s == 2_000, "a count is told at once")
    }

    @Test("A count belongs to the day in which it ends")
    func days() throws {
        var counting = try counting()
        counting.follow(at: midnight_s - 700, .asDue, [count(12, 7, present: 5, to_s: midnight_s - 1_000)])
        counting.follow(at: midnight_s + 1, .asDue, [count(5, 10, present: 0, to_s: midnight_s)])
        counting.follow(at: midnight_s + 100, .asDue)
        #expect(counting.reports.last?.people == [PeopleDay(region: "visitors")])
        counting.follow(at: midnight_s + 2_000, .asDue, [count(6, 0, present: 6, to_s: midnight_s + 800)])
        #expect(counting.reports.last?.people.map(\.entered) == [6])
    }

    @Test("A restart goes on with the sums of the day, and with none of another day or region")
    func restarts() throws {
        var earlier = try counting()
        earlier.follow(at: 1_000, .asDue, [count(12, 7, present: 5, to_s: 900, isPartial: true)])
        let day = earlier.report(at: 1_000).people
        #expect(try counting(earlier.stored, at: 1_100).report(at: 0).people == day && day.first?.entered == 12)
        #expect(
            try counting(earlier.stored, at: midnight_s + 10).report(at: 0).people == [PeopleDay(region: "visitors")])
        var other = try CountingStore(days: earlier.stored, start: Store.start + .seconds(1_100))
        other.follow(at: 10, .stored)
        #expect(other.report(at: 10).people.isEmpty && other.news.last?.news.removedKeys == ["/people/visitors"])
    }
}
