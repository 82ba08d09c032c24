import TestAir
import Testing

@testable import Core

@Suite("A store's day so far")
struct TodayTests {
    /// Seconds from `Store.start`, which is 11:06:40, to the next hour and to midnight of UTC.
    private let hour_s = 3_200.0
    private let midnight_s = 46_400.0

    @Test("A store without visits tells its day too")
    func empty() throws {
        var counting = try CountingStore("[site]\nregions = [\"carts\"]")
        counting.store.status("a", at: 1)
        counting.run(to: 10)
        let report = try #require(counting.reports.first)
        #expect(report.day == "2026-11-18" && report.hours.count == 12)
        let carts = try #require(report.regions.first)
        #expect(report.regions.count == 1 && carts.visits == 0 && carts.present == 0 && carts.medianStay_s == nil)
        #expect(carts.entries == Array(repeating: 0, count: 12) && carts.lastWeek == nil)
    }

    @Test("A visit counts in the hour of its entry, and its stay once it has ended")
    func visit() throws {
        var counting = try CountingStore.hearing()
        counting.store.enter("a", "carts/1/1", at: hour_s - 100)
        counting.run(to: hour_s - 90)
        #expect(try counting.carts(at: hour_s - 90).present == 1)
        counting.store.exit("a", "carts/1/1", entered_s: hour_s - 100, heard_s: hour_s + 50, at: hour_s + 80)
        counting.run(to: hour_s + 120)
        let carts = try counting.carts(at: hour_s + 120)
        #expect(carts.entries == Array(repeating: 0, count: 11) + [1, 0])
        #expect(carts.visits == 1 && carts.present == 0)
        // 150 s, right to 3 %.
        #expect(carts.medianStay_s == 147)
    }

    /// A gateway that was away tells its visits one after the other, a second apart.
    private func catchUp(_ counting: inout CountingStore, from from_s: Double, count: Int) {
        for number in 0..<count {
            let at_s = from_s + Double(number)
            let entered_s = at_s - 3_000
            counting.run(to: at_s)
            counting.store.enter("a", "carts/1/\(number)", minor: number, told_s: entered_s, at: at_s)
            counting.store.exit(
                "a", "carts/1/\(number)", minor: number, entered_s: entered_s, heard_s: entered_s + 60,
                told_s: entered_s + 80, at: at_s)
        }
    }

    @Test("The first report waits for a gateway that tells what it heard while it was away")
    func catchingUp() throws {
        var counting = try CountingStore("[site]\nlate_after_s = 7200")
        counting.store.status("a", at: 1)
        catchUp(&counting, from: 4, count: 8)
        counting.run(to: 60)
        #expect(counting.reportTimes == [14])
        let carts = try #require(counting.reports.first?.regions.first)
        #expect(carts.visits == 8 && carts.present == 0)
    }

    @Test("A report follows what a gateway tells of its absence, and waits no longer than a minute")
    func afterCatchingUp() throws {
        var counting = try CountingStore.hearing("[site]\nlate_after_s = 7200")
        catchUp(&counting, from: 20, count: 5)
        counting.run(to: 30)
        #expect(counting.reportTimes == [5, 27] && counting.reports.last?.regions.first?.visits == 5)
        catchUp(&counting, from: 100, count: 100)
        #expect(counting.reportTimes.dropFirst(2).first { $0 > 100 } == 161)
    }

    @Test("An entry that turns out to be earlier moves to the right hour")
    func corrected() throws {
        var counting = try CountingStore.hearing("[site]\nlate_after_s = 3600")
        counting.store.status("b", at: 0)
        counting.store.enter("a", "carts/1/1", at: hour_s + 10)
        counting.run(to: hour_s + 20)
        #expect(try counting.carts(at: hour_s + 20).entries.suffix(2) == [0, 1])
        // The other gateway had the beacon before, and could not say so.
        counting.store.exit(
            "b", "carts/1/1", entered_s: hour_s - 60, heard_s: hour_s + 8, told_s: hour_s + 12, at: hour_s + 30)
        counting.store.exit("a", "carts/1/1", entered_s: hour_s + 10, heard_s: hour_s + 100, at: hour_s + 110)
        counting.run(to: hour_s + 300)
        let carts = try counting.carts(at: hour_s + 300)
        #expect(carts.entries.suffix(2) == [1, 0] && carts.visits == 1)
        // 160 s, right to 3 %.
        #expect(carts.medianStay_s == 163)
    }

    @Test("A visit that becomes known late counts in its own hour, and on its own day")
    func late() throws {
        var counting = try CountingStore.hearing("[site]\nlate_after_s = 7200")
        counting.store.state("b", "outside", "carts/1/1", at: 0)
        counting.store.enter("a", "carts/1/1", at: hour_s + 100)
        counting.run(to: hour_s + 200)
        counting.store.exit(
            "b", "carts/1/1", entered_s: hour_s - 200, heard_s: hour_s - 50, told_s: hour_s - 40, at: hour_s + 210)
        counting.run(to: hour_s + 300)
        let carts = try counting.carts(at: hour_s + 300)
        #expect(carts.entries.suffix(2) == [1, 1] && carts.visits == 2 && carts.present == 1)
        // 150 s, right to 3 %.
        #expect(carts.medianStay_s == 147)

        counting.run(to: midnight_s + 100)
        counting.store.exit("a", "carts/1/1", entered_s: hour_s + 100, heard_s: midnight_s + 50, at: midnight_s + 80)
        counting.store.exit(
            "b", "carts/1/1", entered_s: midnight_s - 900, heard_s: midnight_s - 800, told_s: midnight_s - 790,
            at: midnight_s + 90)
        counting.run(to: midnight_s + 200)
        #expect(try counting.carts(at: midnight_s + 200).visits == 1)
    }

    @Test("A visit at midnight counts on both days, in the hour of its entry only")
    func midnight() throws {
        var counting = try CountingStore.hearing()
        counting.store.enter("a", "carts/1/1", at: midnight_s - 100)
        counting.leap(to: midnight_s - 50)
        #expect(try counting.carts(at: midnight_s - 50).entries.last == 1)
        counting.leap(to: midnight_s + 50)
        let carts = try counting.carts(at: midnight_s + 50)
        #expect(counting.report(at: midnight_s + 50).day == "2026-11-19")
        #expect(carts.visits == 1 && carts.entries == [0] && carts.present == 1)
    }

    @Test("A visit that was over before midnight does not touch the next day, though its exit is published later")
    func lateExit() throws {
        var counting = try CountingStore.hearing()
        counting.store.enter("a", "carts/1/1", at: midnight_s - 100)
        counting.leap(to: midnight_s + 10)
        #expect(try counting.carts(at: midnight_s + 10).visits == 1)
        counting.store.exit("a", "carts/1/1", entered_s: midnight_s - 100, heard_s: midnight_s - 5, at: midnight_s + 20)
        counting.leap(to: midnight_s + 60)
        let carts = try counting.carts(at: midnight_s + 60)
        #expect(carts.visits == 0 && carts.medianStay_s == nil)
    }

    @Test("What is too late for the store is not counted")
    func tooLate() throws {
        var counting = try CountingStore.hearing("[site]\nlate_after_s = 30\nregions = [\"carts\"]")
        counting.store.enter("a", "carts/1/1", told_s: 100, at: 500)
        counting.run(to: 600)
        #expect(try counting.carts(at: 600).visits == 0)
    }

    @Test("A beacon that was there at the start counts on the day, in no hour, and its stay in no median")
    func partial() throws {
        var counting = try CountingStore.hearing()
        counting.store.state("a", "inside", "carts/1/1", since_s: -500, at: 1)
        counting.run(to: 10)
        #expect(try counting.carts(at: 10).present == 1)
        counting.store.exit("a", "carts/1/1", entered_s: -500, heard_s: 50, extra: #","partial":true"#, at: 60)
        counting.run(to: 120)
        let carts = try counting.carts(at: 120)
        #expect(carts.visits == 1 && carts.entries.holdForAll { $0 == 0 } && carts.medianStay_s == nil)
    }

    @Test("While no gateway hears, the number of those present is unknown")
    func deaf() throws {
        var counting = try CountingStore.hearing()
        counting.store.enter("a", "carts/1/1", at: 10)
        counting.store.status("a", radio: "blocked", at: 100)
        counting.run(to: 110)
        #expect(try counting.carts(at: 110).present == nil)
        counting.run(to: 300)
        #expect(try counting.carts(at: 300).unknown == 1)
    }

    @Test("An hour tells the share of its time in which the store could hear")
    func heard() throws {
        var counting = try CountingStore()
        counting.store.status("a", at: 200)
        counting.run(to: 1_100)
        counting.store.status("a", radio: "blocked", at: 1_100)
        counting.run(to: hour_s + 50)
        let shares = counting.report(at: hour_s + 50).hours.map(\.heardShare)
        // 900 of 3,600 s.
        #expect(shares == Array(repeating: 0, count: 11) + [0.25, 0])
    }

    @Test("Reports come at most once a minute, and only where something changed")
    func pace() throws {
        var counting = try CountingStore.hearing()
        counting.run(to: 100)
        for minor in 1...20 { counting.store.enter("a", "carts/1/\(minor)", minor: minor, at: 100 + Double(minor)) }
        counting.run(to: 1_000)
        let times = counting.reportTimes
        #expect(zip(times, times.dropFirst()).holdForAll { $1 - $0 >= 60 })
        #expect(times.contains { $0 > 100 && $0 <= 165 })
        // The share that was not heard before the start shrinks by 1 % every few minutes.
        #expect(Set(counting.reports).count == counting.reports.count)
    }

    @Test("No more than one write a minute beside those of the visits")
    func writes() throws {
        var counting = try CountingStore.hearing()
        counting.run(to: 600)
        #expect(counting.news.count <= 12)
        #expect(counting.news.holdForAll { $0.news.records.count <= 2 })
    }
}
