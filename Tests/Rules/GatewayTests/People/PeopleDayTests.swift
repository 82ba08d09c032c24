import TestAir
import Testing

@testable import Core

/// Days of made-up visitors, with the truth.
private struct PeopleDay {
    private(set) var visitors: Visitors
    private(set) var entered = 0
    private(set) var left = 0
    private(set) var cells = VisitCount.bounds_s.map { _ in 0 }

    /// - Parameter visits: about how many in a day.
    init(seed: Int, visits: Double, minimum: Int64) {
        var random = SeededGenerator(seed: seed)
        visitors = Visitors(minimum: minimum)
        var leaving: [(quarter: Int, dwell_s: Double)] = []
        for quarter in 0..<2 * Visitors.day {
            let isOpen = (32..<80).contains(quarter)
            for _ in 0..<60 where isOpen && Double.random(in: 0..<1, using: &random) < visits / 48 / 60 {
                let dwell_s = Double.random(in: 10...5_400, using: &random)
                visitors.enter(1)
                entered += 1
                leaving.append((quarter + Int(dwell_s / 900), dwell_s))
            }
            for leaver in leaving where leaver.quarter == quarter {
                visitors.leave(1, after: leaver.dwell_s)
                left += 1
                cells[VisitCount.bounds_s.lastIndex { leaver.dwell_s >= Double($0) } ?? 0] += 1
            }
            visitors.pass()
        }
    }
}

@Suite("Days of a region of people")
struct PeopleDayTests {
    @Test("The counts of a day add up to its visits, also in a small shop", arguments: [15.0, 40, 200, 1_500])
    func adds(visits: Double) {
        for seed in 0..<40 {
            let day = PeopleDay(seed: seed, visits: visits, minimum: 5)
            guard day.entered >= 5 else { continue }
            let counts = day.visitors.counts
            #expect(counts.compactMap(\.entered).reduce(0, +) == Int64(day.entered), "seed \(seed)")
            #expect(counts.compactMap(\.left).reduce(0, +) == Int64(day.left), "seed \(seed)")
            // Fewer than the minimum move from each cell into the next one.
            var moved: Int64 = 0
            for (cell, from_s) in VisitCount.bounds_s.enumerated() {
                let told = counts.flatMap(\.dwell).filter { $0.from_s == from_s }.map(\.visits).reduce(0, +)
                moved += Int64(day.cells[cell]) - told
                #expect(abs(moved) < 5, "seed \(seed), from \(from_s) s")
            }
            #expect(moved == 0)
        }
    }

    @Test(
        "No number, no sum over times and no difference between numbers is of few people",
        arguments: [3.0, 15, 40, 200])
    func singlesNobodyOut(visits: Double) {
        for seed in 0..<40 {
            let counts = PeopleDay(seed: seed, visits: visits, minimum: 5).visitors.counts
            func isSafe(_ number: Int64) -> Bool { number == 0 || number >= 5 }
            var present: Int64 = 0
            var (dwelt, left): (Int64, Int64) = (0, 0)
            for (index, count) in counts.enumerated() {
                guard let came = count.entered, let went = count.left else {
                    #expect(counts.count == 1 || count.entered ?? 0 == 0 || count.left ?? 0 == 0)
                    continue
                }
                // `present` follows from the other numbers, so it adds nothing to them.
                present += came - went
                #expect(count.present == present, "seed \(seed), count \(index)")
                #expect([came, went, count.present].allSatisfy(isSafe), "seed \(seed), count \(index)")
                left += went
                dwelt += count.dwell.map(\.visits).reduce(0, +)
                #expect(isSafe(left - dwelt), "seed \(seed): the dwell that is missing is of few visits")
                if index > 0 { #expect(count.from >= counts[index - 1].to) }
            }
        }
    }
}
