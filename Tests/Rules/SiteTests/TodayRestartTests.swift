import PayloadReaders
import TestAir
import Testing

@testable import Core

@Suite("A store's days outlive its process")
struct TodayRestartTests {
    private let midnight_s = 46_400.0
    private let day_s = 86_400.0

    private func inside(_ minor: UInt16, entered_s: Double) throws -> RegionRecord {
        let discriminator = try #require(RegionInstanceID.Discriminator(major: 1, minor: minor))
        return .inside(
            RegionInstanceID(region: "carts", discriminator),
            of: BeaconIdentityConstraint(uuid: Store.uuid, major: 1, minor: minor),
            entered: .origin + .seconds(entered_s), heard: .origin + .seconds(-1), minor: minor)
    }

    /// A store with a visit that has ended and one that lasts, and what it has stored.
    private func former() throws -> CountingStore {
        var counting = try CountingStore.hearing()
        counting.store.enter("a", "carts/1/1", minor: 1, at: 10)
        counting.store.enter("a", "carts/1/2", minor: 2, at: 20)
        counting.store.exit("a", "carts/1/1", minor: 1, entered_s: 10, heard_s: 40, at: 60)
        counting.run(to: 100)
        return counting
    }

    @Test("After a crash the day goes on, and the visit under way counts once")
    func crash() throws {
        let earlier = try former()
        let before = try earlier.carts(at: 100)
        var later = try CountingStore(
            restoring: [try inside(2, entered_s: -80)], days: earlier.stored, start: Store.start + .seconds(100))
        later.store.status("a", at: 0.1)
        later.run(to: 3)
        let carts = try later.carts(at: 3)
        #expect(before.visits == 2 && carts.visits == 2 && carts.entries == before.entries)
        #expect(carts.present == 1 && carts.medianStay_s == 30)
        #expect(later.report(at: 3).hours.last?.heardShare ?? 0 > 0)
    }

    @Test("A visit that lasts over midnight, while no process runs, touches the new day")
    func overMidnight() throws {
        var later = try CountingStore(
            restoring: [try inside(2, entered_s: -80)], days: try former().stored,
            start: Store.start + .seconds(midnight_s + 100))
        later.store.status("a", at: 0.1)
        later.run(to: 3)
        let carts = try later.carts(at: 3)
        #expect(carts.visits == 1 && carts.entries == [0])
    }

    @Test("The curve of the same weekday is published a week later, also by another process")
    func lastWeek() throws {
        let later = try CountingStore(days: try former().stored, start: Store.start + .seconds(7 * day_s))
        let lastWeek = try #require(try later.carts(at: 1).lastWeek)
        #expect(lastWeek.count == 24 && lastWeek[11] == 2 && lastWeek.reduce(0, +) == 2)
        let tooLate = try CountingStore(
            "[site]\nregions = [\"carts\"]", days: try former().stored, start: Store.start + .seconds(8 * day_s))
        #expect(try tooLate.carts(at: 1).lastWeek == nil)
    }

    @Test("A process that runs on has the curves of seven days and stores no more")
    func sevenDays() throws {
        var counting = try former()
        for day in 0..<10 {
            let noon_s = midnight_s + Double(day) * day_s + 43_200
            counting.store.enter("a", "carts/1/1", at: noon_s)
            counting.leap(to: noon_s + 1)
            counting.store.exit("a", "carts/1/1", entered_s: noon_s, heard_s: noon_s + 5, at: noon_s + 10)
            counting.leap(to: noon_s + 100)
        }
        let now_s = midnight_s + 9 * day_s + 43_300
        #expect(try counting.carts(at: now_s).lastWeek?[12] == 1)
        #expect(counting.today.past.count == 7)
        // One of the day, and one that has lasted since the first day.
        #expect(try counting.carts(at: now_s).visits == 2)
        counting.follow(at: now_s, .stored)
        let past = counting.stored.count { if case .past = $0 { true } else { false } }
        #expect(past == 7)
    }

    @Test("A clock that is not set yet does not begin an earlier day")
    func unset() throws {
        let later = try CountingStore(
            days: try former().stored, start: Store.start - .seconds(3 * day_s), isSynced: false)
        #expect(later.report(at: 1).day == "2026-11-18")
        #expect(try later.carts(at: 1).visits == 2)
    }

    @Test("In another time zone the day begins anew")
    func otherZone() throws {
        let kolkata = LocalTime(name: "Asia/Kolkata") { _ in 19_800 }
        let later = try CountingStore(zone: kolkata, days: try former().stored, start: Store.start + .seconds(100))
        #expect(!later.report(at: 1).regions.contains { $0.visits > 0 })
    }

    @Test("More regions than are published are counted by their visits")
    func manyRegions() throws {
        var counting = try CountingStore.hearing()
        for number in 0..<70 { counting.store.enter("a", "r\(number)/1/1", at: 10 + Double(number) * 0.1) }
        counting.run(to: 30)
        let report = counting.report(at: 30)
        #expect(report.regions.count == 64 && report.omitted == 6)
    }

    @Test("The largest report has at most 80 KiB")
    func largest() {
        let numbers = Array(repeating: StoredDays.most, count: TodayReport.maxHours)
        let time = Store.start
        let regions = (0..<TodayReport.maxRegions).map { _ in
            TodayReport.Region(
                id: String(repeating: "\"", count: 128), visits: StoredDays.most, present: StoredDays.most,
                unknown: StoredDays.most, medianStay_s: StoredDays.most, entries: numbers, lastWeek: numbers)
        }
        let report = TodayReport(
            day: "2026-11-23", timeZone: String(repeating: "x", count: 64), from: time, to: time + .seconds(93_600),
            hours: numbers.map { _ in TodayReport.Hour(from: time, heardShare: 0.33) }, regions: regions,
            omitted: StoredDays.most)
        let payload = TodayPayload(head: PayloadHead(at: time, isClockSynced: true), report: report).encoded
        #expect((40 << 10...80 << 10).contains(payload.count))
        #expect((try? TodayPayload(decoding: payload))?.report == report)
    }

    @Test("Records are read as they were written, and damaged ones are none")
    func records() throws {
        let stored = try former().stored
        #expect(stored.count == 2)
        for record in stored {
            #expect(StoredDays(record.encoded, key: record.key) == record)
            for length in 0..<record.encoded.count {
                if let read = StoredDays(Array(record.encoded.prefix(length)), key: record.key) {
                    // A prefix may be a record of less; it is not read as anything else.
                    #expect(read.key == record.key)
                }
            }
        }
        #expect(StoredDays(Array("v=2 day=1".utf8), key: "/today") == nil)
        #expect(StoredDays(Array("v=1 day=1 visits=-1 entries=0 stays=".utf8), key: "/today/carts") == nil)
        #expect(StoredDays(Array("v=1 day=1".utf8), key: "/coverage") == nil)
    }

    @Test("A median is right to 3 %, however many stays there are", arguments: [1, 31, 32, 77, 600, 3_601, 80_000])
    func median(seconds: Int) {
        var lengths = StayHistogram()
        for _ in 0..<101 { lengths.record(.seconds(seconds)) }
        let median_s = Double(lengths.median_s ?? -1)
        #expect(abs(median_s - Double(seconds)) <= 0.032 * Double(seconds))
    }
}
