import TestAir
import Testing

@testable import Core

/// A region of people whose visitors come and go at quarters of an hour, counted from a day's beginning.
struct Visitors {
    private(set) var counts: [VisitCount] = []
    private var count: PeopleCount
    private(set) var quarters = 0
    /// The quarters of a day.
    static let day = 96

    init(minimum: Int64 = 5) {
        var region = BeaconRegion(id: "visitors", uuid: Air.uuid, isOfPeople: true, rules: BeaconRules.defaults)
        region.rules.countMinimum = minimum
        count = PeopleCount(region, from: Self.wall(0), isDeaf: false)
    }

    static func wall(_ quarter: Int) -> WallTime {
        WallTime(microseconds: 1_764_547_200_000_000) + .seconds(Double(quarter * 900))
    }

    mutating func enter(_ people: Int) { for _ in 0..<people { count.take(.enter) } }

    mutating func leave(_ people: Int, after dwell_s: Double = 400, _ beginning: RegionStay.Beginning = .observed) {
        let stay = RegionStay(
            enteredAt: .origin, lastHeardAt: .origin + .seconds(dwell_s), beginning: beginning)
        for _ in 0..<people { count.take(.exit(stay)) }
    }

    mutating func hears(_ hears: Bool) { count.hears(hears) }

    /// Lets quarters pass.
    mutating func pass(_ number: Int = 1) {
        for _ in 0..<number {
            quarters += 1
            counts += count.endQuarter(at: Self.wall(quarters), endsDay: quarters.isMultiple(of: Self.day))
        }
    }

    /// A quarter in which people come and go.
    mutating func quarter(in entered: Int = 0, out left: Int = 0) {
        enter(entered)
        leave(left)
        pass()
    }

    /// The rest of a day in which people come and go.
    mutating func day(in entered: Int = 0, out left: Int = 0) {
        enter(entered)
        leave(left)
        passDay()
    }

    /// Lets the rest of the day pass.
    mutating func passDay() { pass(Self.day - quarters % Self.day) }

    mutating func stop() { counts += count.stop(at: Self.wall(quarters) + .seconds(60)) }

    /// The counts as short lines: `0-2: 9 in 7 left 2 stay`, with the dwell where it comes.
    var lines: [String] {
        counts.map { count in
            func at(_ time: WallTime) -> Int { Int((time - Self.wall(0)).seconds / 900) }
            func text(_ number: Int64?) -> String { number.map { "\($0)" } ?? "few" }
            let dwell = count.dwell.map { " \($0.from_s)s:\($0.visits)" }.joined()
            return "\(at(count.from))-\(at(count.to)): \(text(count.entered)) in \(text(count.left)) left "
                + "\(count.present) stay" + dwell
        }
    }
}

@Suite("Counts of a region of people")
struct PeopleCountTests {
    @Test("A quarter with enough people is published when the next one is over")
    func publishes() {
        var visitors = Visitors()
        visitors.quarter(in: 12, out: 7)
        #expect(visitors.lines.isEmpty)
        visitors.quarter(in: 6, out: 5)
        #expect(visitors.lines == ["0-1: 12 in 7 left 5 stay"])
    }

    @Test("Too few people wait for more")
    func waits() {
        var visitors = Visitors()
        visitors.quarter(in: 6)
        visitors.quarter(out: 1)
        visitors.quarter(out: 5)
        visitors.quarter(in: 9, out: 9)
        #expect(visitors.lines == ["0-3: 6 in 6 left 0 stay"], "one that left waits for more")
    }

    @Test("The rest of a day joins the last count, so that no visit is lost")
    func restOfDay() {
        var visitors = Visitors()
        visitors.quarter(in: 8)
        visitors.quarter(out: 8)
        visitors.quarter(in: 2)
        visitors.day(out: 2)
        #expect(visitors.lines == ["0-96: 10 in 10 left 0 stay 300s:10"], "two are too few to show how late they came")
        #expect(visitors.counts.compactMap(\.entered).reduce(0, +) == 10)
        #expect(visitors.counts.compactMap(\.left).reduce(0, +) == 10)
        #expect(visitors.counts.allSatisfy { $0.entered.map { $0 == 0 || $0 >= 5 } ?? true })
    }

    @Test("One visit ends no count without others in the same half hour")
    func alone() {
        var visitors = Visitors()
        visitors.quarter(in: 11)
        visitors.leave(4)
        visitors.pass(8)
        visitors.leave(1)
        visitors.pass(8)
        visitors.quarter(out: 3)
        visitors.day(out: 3)
        #expect(visitors.lines == ["0-96: 11 in 11 left 0 stay 300s:11"])
    }

    @Test("Where no five visits end within half an hour, a day is one count")
    func sparse() {
        var visitors = Visitors()
        for _ in 0..<10 {
            visitors.enter(1)
            visitors.pass(2)
            visitors.leave(1)
            visitors.pass(2)
        }
        visitors.pass(Visitors.day - visitors.quarters - 1)
        #expect(visitors.lines.isEmpty)
        visitors.pass()
        #expect(visitors.lines == ["0-96: 10 in 10 left 0 stay 300s:10"])
    }

    @Test("A day ends at midnight, also with people who stay")
    func midnight() {
        var visitors = Visitors()
        visitors.quarter(in: 8)
        visitors.leave(8)
        visitors.pass(80)
        visitors.day(in: 7)
        #expect(visitors.lines == ["0-96: 15 in 8 left 7 stay 300s:8"])
    }

    @Test(
        "A day after people stayed goes on into the next one where too few come, and nothing is lost", arguments: 0...4)
    func stayed(came: Int) {
        var visitors = Visitors()
        visitors.day(in: 10)
        #expect(visitors.lines == ["0-96: few in few left 0 stay"], "no visit ended")
        visitors.pass()
        visitors.day(in: 7, out: 7)
        #expect(visitors.lines.last == "96-192: 17 in 7 left 10 stay 300s:7")
        visitors.leave(10)
        visitors.day(in: came, out: came)
        #expect(visitors.counts.count == 2, "where none came it says the same")
        visitors.day(in: 8, out: 8)
        let (entered, left) = (8 + came, 18 + came)
        #expect(visitors.lines.last == "192-384: \(entered) in \(left) left 0 stay 300s:\(left)")
    }

    @Test("One visit beside people who stay does not show at a stop", arguments: [0, 1])
    func stopsBesideOne(came: Int) {
        var visitors = Visitors()
        visitors.enter(7 + came)
        visitors.leave(came)
        visitors.stop()
        #expect(visitors.lines == ["0-0: few in few left 0 stay"])
    }

    @Test("A day with too few people says the same as one without any")
    func leavesOut() {
        var visitors = Visitors()
        visitors.quarter(in: 3)
        visitors.day(out: 2)
        #expect(visitors.lines == ["0-96: few in few left 0 stay"])
        visitors.passDay()
        #expect(visitors.lines.last == "96-192: few in few left 0 stay")
        #expect(visitors.counts.map(\.omitted) == [2, 2])
        var every = Visitors(minimum: 1)
        every.passDay()
        #expect(every.lines == ["0-96: 0 in 0 left 0 stay"], "with a minimum of 1 a number of 0 hides none")
    }

    @Test("The one who stays behind does not show, and counts as entered later")
    func oneStays() {
        var visitors = Visitors()
        visitors.quarter(in: 9)
        visitors.quarter(out: 8)
        visitors.quarter(in: 7)
        visitors.day(out: 8)
        #expect(
            visitors.lines == ["0-2: 8 in 8 left 0 stay", "2-96: 8 in 8 left 0 stay 300s:16"],
            "after 8 of 9 have left, one stays")
    }

    @Test("A stop publishes what is large enough, and leaves the rest out")
    func stops() {
        var visitors = Visitors()
        visitors.quarter(in: 10)
        visitors.leave(6)
        visitors.stop()
        #expect(visitors.lines == ["0-1: 6 in 6 left 0 stay 300s:6"], "the four inside are too few to show")
        #expect(visitors.counts.map(\.isPartial) == visitors.counts.map { _ in true })
        var few = Visitors()
        few.enter(1)
        few.stop()
        #expect(few.lines == ["0-0: few in few left 0 stay"])
    }

    @Test("A visit that had begun before the start is in no count")
    func partialStay() {
        var visitors = Visitors()
        visitors.leave(9, .partial)
        visitors.quarter(in: 6)
        visitors.day(out: 6)
        #expect(visitors.counts.compactMap(\.left).reduce(0, +) == 6)
    }

    @Test("A cell with too few visits counts in the next longer one, at the end of the day")
    func dwell() {
        var visitors = Visitors()
        visitors.quarter(in: 20)
        visitors.leave(6, after: 29.9)
        visitors.leave(2, after: 30)
        visitors.leave(1, after: 61)
        visitors.leave(9, after: 7_199)
        visitors.leave(2, after: 7_200)
        visitors.passDay()
        #expect(visitors.counts.last?.dwell.map { "\($0.from_s):\($0.visits)" } == ["0:6", "3600:14"])
    }

    @Test("A deaf radio makes a count partial, and the next one too while it lasts")
    func deaf() {
        var visitors = Visitors()
        visitors.quarter(in: 5, out: 5)
        visitors.quarter(in: 5, out: 5)
        visitors.hears(false)
        visitors.quarter(in: 5, out: 5)
        visitors.quarter(in: 5, out: 5)
        visitors.hears(true)
        for _ in 0..<3 { visitors.quarter(in: 5, out: 5) }
        #expect(
            visitors.counts.map(\.isPartial) == [true, false, true, true, true, false],
            "the first begins with the start")
    }
}
