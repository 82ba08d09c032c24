import TestAir
import Testing

@testable import Core

@Suite("A heat map tells an hour once, whatever the clock does, and no short part of it unless the process ends")
struct HeatHoursTests {
    /// A map with one beacon in one cell, by a clock that is away from the engine's by a given time.
    private struct Run {
        private var map: HeatMapTests.Map
        private var now_s = 0
        var sheets: [HeatSheet] { map.sheets }

        init(away_s: Int64 = 0) throws {
            map = try HeatMapTests.Map(
                "heat_cell_m = 2\nheat_minimum = 1", HeatMapTests.clock(away_us: away_s * 1_000_000))
        }

        /// Lists the beacon each second, and tells the map what the clock is away by.
        mutating func pass(to end_s: Int, away_us: (_ second: Int) -> Int64) {
            while now_s < end_s {
                now_s += 1
                map.map.timebase = HeatMapTests.clock(away_us: away_us(now_s))
                map.list([1: (1, 1)], at: Double(now_s))
            }
        }

        mutating func pass(to end_s: Int, away_s: Int64) { pass(to: end_s) { _ in away_s * 1_000_000 } }

        mutating func stop() { map.follow(at: Double(now_s), isLast: true) }

        /// Each sheet's time in seconds from the start, with the seconds in its cell.
        var published: [String] {
            sheets.map {
                let (from, to) = ($0.from - HeatMapTests.start, $0.to - HeatMapTests.start)
                return "\(Int(from.seconds))–\(Int(to.seconds)) \($0.cells.map(\.seconds).reduce(0, +))"
            }
        }

        /// The rules that hold whatever the clock does.
        func expectRules(_ place: SourceLocation = #_sourceLocation) {
            let hours = sheets.map { ($0.from - WallTime.unixEpoch).microseconds / 3_600_000_000 }
            #expect(Set(hours).count == hours.count, "an hour twice", sourceLocation: place)
            for sheet in sheets {
                #expect(sheet.to - sheet.from >= HeatHours.shortest, "too short", sourceLocation: place)
                let last = (sheet.to - WallTime.unixEpoch - TimeSpan(microseconds: 1)).microseconds / 3_600_000_000
                #expect(last == (sheet.from - WallTime.unixEpoch).microseconds / 3_600_000_000, sourceLocation: place)
            }
        }
    }

    @Test(
        "A clock that is read a little differently each time changes no sheet",
        arguments: [1, 1_000, 50_000] as [Int64])
    func noise(noise_us: Int64) throws {
        for phase in 0..<2 {
            var run = try Run()
            run.pass(to: 7_230) { $0 % 2 == phase ? noise_us : -noise_us }
            run.expectRules()
            #expect(run.sheets.map { $0.to - $0.from } == [.seconds(3_600), .seconds(3_600)])
            #expect(run.sheets.flatMap(\.cells).map(\.seconds).reduce(0, +) >= 7_198)
        }
    }

    @Test(
        "A clock that goes back, at the full hour or in it, takes no second into the hour before",
        arguments: [(3_660, 1), (3_660, 1_000), (3_601, 5_000_000), (6_300, 1_000), (3_605, 3_600_000_000)]
            as [(Int, Int64)])
    func back(at_s: Int, back_us: Int64) throws {
        var run = try Run()
        run.pass(to: at_s, away_s: 0)
        run.pass(to: 11_000) { _ in -back_us }
        run.expectRules()
        #expect(run.published.prefix(2).map { $0.prefix(9) } == ["0–3600 35", "3600–7200"])
        #expect(run.sheets.flatMap(\.cells).map(\.seconds).reduce(0, +) >= 7_198)
    }

    @Test("A clock that goes back by a millisecond each second makes its hours longer, and tells each once")
    func slow() throws {
        var run = try Run()
        run.pass(to: 7_300) { Int64($0) * -1_000 }
        run.expectRules()
        #expect(run.published == ["0–3600 3603", "3600–7200 3604"])
    }

    @Test("A clock that skips a part of the hour shortens the sheet, and one that skips its end ends it there")
    func forward() throws {
        var run = try Run()
        run.pass(to: 900, away_s: 0)
        run.pass(to: 1_800, away_s: 1_500)
        #expect(run.published == [])
        run.pass(to: 6_000, away_s: 5_000)
        run.expectRules()
        // The hour between has 400 seconds alone.
        #expect(run.published == ["0–1801 1800", "7200–10800 3600"])
    }

    @Test("A clock that is a year ahead for a while costs the hours of that year, and no hour is published twice")
    func year() throws {
        var run = try Run()
        run.pass(to: 1_200, away_s: 0)
        run.pass(to: 2_400, away_s: 365 * 86_400)
        run.pass(to: 7_300, away_s: 0)
        run.expectRules()
        #expect(run.published == ["0–1201 1200", "3600–7200 3600"])
    }

    @Test(
        "A clock that is set each second tells nothing",
        arguments: [3_600, 7_200, 86_400, -3_600, -7_200, -86_400] as [Int64])
    func again(step_s: Int64) throws {
        var run = try Run()
        run.pass(to: 3_000) { Int64($0) * step_s * 1_000_000 }
        #expect(run.sheets == [])
        run.pass(to: 3_000 + 7_200) { _ in 3_000 * step_s * 1_000_000 }
        run.expectRules()
        #expect(!run.sheets.isEmpty)
    }

    @Test(
        "A clock that jumps between two hours tells each of them once at most", arguments: [3_600, 10_800] as [Int64])
    func between(step_s: Int64) throws {
        var run = try Run()
        for turn in 0..<12 { run.pass(to: (turn + 1) * 1_000, away_s: turn.isMultiple(of: 2) ? 0 : step_s) }
        run.expectRules()
        #expect(!run.sheets.isEmpty)
    }

    @Test("A stop tells the hour so far however short, but no time that the clock has not reached, and no hour again")
    func stop() throws {
        var short = try Run()
        short.pass(to: 3, away_s: 0)
        short.stop()
        #expect(short.published == ["0–3 3"])
        var back = try Run()
        back.pass(to: 1_200, away_s: 0)
        back.pass(to: 1_300, away_s: -900)
        back.stop()
        #expect(back.published == ["0–400 1300"])
        var again = try Run()
        again.pass(to: 1_200, away_s: 0)
        again.pass(to: 1_300, away_s: 10_800)
        again.pass(to: 1_400, away_s: 0)
        again.stop()
        #expect(again.published == ["0–1201 1200"])
    }

    @Test("The end of an hour that the store began with less than ten minutes left is not published")
    func late() throws {
        var run = try Run(away_s: 3_100)
        run.pass(to: 4_200, away_s: 3_100)
        #expect(run.published == ["3600–7200 3600"])
    }
}
