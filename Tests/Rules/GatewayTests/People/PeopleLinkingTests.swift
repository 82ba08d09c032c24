import Foundation
import TestAir
import Testing

@testable import Core

/// The published counts of the second of two simulated days at two gateways. A target came on the first one, and may come on the second.
private struct Shop {
    /// The habits of the target: the same on each day.
    struct Habit: Sendable {
        var name: String
        var entry_s: Double
        var dwell_s: Double
        /// The opening hours, in which all others come and go.
        var opening_s = 9.0 * 3_600
        var closing_s = 18.0 * 3_600
        /// The visits of others, about.
        var others = 30.0
        /// Others with the habit of the target, on each day.
        var colleagues = 0
    }

    struct Visit {
        var enter_s: Double
        var leave_s: Double
        /// The gateways that hear it.
        var gateways: [Int]
    }

    static let gateways = 2

    /// - Parameter target: the person comes on the second day; if not, another one comes at any time of the day.
    static func secondDay(_ habit: Habit, target: Bool, minimum: Int64, random: inout SeededGenerator) -> [[VisitCount]]
    {
        var visits = visits(habit, target: true, random: &random)
        visits += Self.visits(habit, target: target, random: &random).map { visit in
            Visit(enter_s: visit.enter_s + 86_400, leave_s: visit.leave_s + 86_400, gateways: visit.gateways)
        }
        return (0..<gateways).map { gateway in
            counts(visits.filter { $0.gateways.contains(gateway) }, minimum: minimum)
                .filter { $0.to > Visitors.wall(Visitors.day) }
        }
    }

    private static func visits(_ habit: Habit, target: Bool, random: inout SeededGenerator) -> [Visit] {
        var visits: [Visit] = []
        func add(enter_s: Double, dwell_s: Double, _ random: inout SeededGenerator) {
            let gateways = Double.random(in: 0..<1, using: &random) < 0.7 ? [0, 1] : [0]
            visits.append(Visit(enter_s: enter_s, leave_s: enter_s + dwell_s, gateways: gateways))
        }
        func addLike(_ habit: Habit, _ random: inout SeededGenerator) {
            let late_s = Double.random(in: -300...300, using: &random)
            add(
                enter_s: habit.entry_s + late_s,
                dwell_s: habit.dwell_s * Double.random(in: 0.95...1.05, using: &random),
                &random)
        }
        func addOther(_ random: inout SeededGenerator) {
            let dwell_s = Double.random(in: 60...3_600, using: &random)
            add(
                enter_s: Double.random(in: habit.opening_s...habit.closing_s - dwell_s, using: &random),
                dwell_s: dwell_s, &random)
        }
        for _ in 0..<Int(habit.others * Double.random(in: 0.7...1.3, using: &random)) { addOther(&random) }
        for _ in 0..<habit.colleagues { addLike(habit, &random) }
        if target {
            addLike(habit, &random)
        } else {
            addOther(&random)
        }
        return visits
    }

    private static func counts(_ visits: [Visit], minimum: Int64) -> [VisitCount] {
        var visitors = Visitors(minimum: minimum)
        let entries = Dictionary(grouping: visits) { Int($0.enter_s / 900) }
        let exits = Dictionary(grouping: visits) { Int($0.leave_s / 900) }
        for quarter in 0..<2 * Visitors.day {
            visitors.enter(entries[quarter]?.count ?? 0)
            for visit in exits[quarter] ?? [] { visitors.leave(1, after: visit.leave_s - visit.enter_s) }
            visitors.pass()
        }
        return visitors.counts
    }
}

/// An attacker who knows a person's habit and reads everything that was published. The attacker learns from days whose truth is known, and
/// weighs each thing that a count shows (naive Bayes).
private struct Attacker {
    /// The things that the attacker looks at, in the counts of one gateway or of all.
    private enum Sign {
        case lastEnd, firstEnd, counts, leftOut, end, enteredThen, leftThen, spanThen, presentThen
        case cellBefore, cell, cellAfter, cellOfOne, difference, endsOfOne
    }

    private struct Sight: Hashable {
        var gateway: Int
        var sign: Sign
        var value: Int64
    }

    /// The number of times that a thing was seen on days without the person, and with the person.
    private var seen: [Sight: (without: Double, with: Double)] = [:]
    private var days = (without: 1.0, with: 1.0)

    mutating func learn(_ published: [[VisitCount]], _ habit: Shop.Habit, isThere: Bool) {
        if isThere { days.with += 1 } else { days.without += 1 }
        for sight in Self.sights(published, habit) {
            if isThere { seen[sight, default: (0, 0)].with += 1 } else { seen[sight, default: (0, 0)].without += 1 }
        }
    }

    /// Returns how likely the person was there: a logarithm, positive for a likely one.
    func weight(_ published: [[VisitCount]], _ habit: Shop.Habit) -> Double {
        Self.sights(published, habit).reduce(0) { sum, sight in
            let (without, with) = seen[sight] ?? (0, 0)
            return sum + log((with + 1) / (days.with + 20)) - log((without + 1) / (days.without + 20))
        }
    }

    private static func sights(_ published: [[VisitCount]], _ habit: Shop.Habit) -> [Sight] {
        var sights: [Sight] = []
        func quarter(_ time: WallTime) -> Int { Int((time - Visitors.wall(Visitors.day)).seconds / 900) }
        let (enters, leaves) = (Int(habit.entry_s / 900), Int((habit.entry_s + habit.dwell_s) / 900))
        let bound = VisitCount.bounds_s.lastIndex { habit.dwell_s >= Double($0) } ?? 0
        for (gateway, counts) in published.enumerated() {
            func record(_ sign: Sign, _ value: Int64) {
                sights.append(Sight(gateway: gateway, sign: sign, value: value))
            }
            func record(_ sign: Sign, _ value: Int) { record(sign, Int64(value)) }
            record(.lastEnd, counts.last { $0.left ?? 1 > 0 }.map { quarter($0.to) } ?? -1)
            record(.firstEnd, counts.first.map { quarter($0.to) } ?? -1)
            record(.counts, counts.count)
            record(.leftOut, counts.map(\.omitted).reduce(0, +))
            record(.end, counts.contains { leaves...leaves + 2 ~= quarter($0.to) } ? 1 : 0)
            let at = counts.first { quarter($0.from) <= enters && enters < quarter($0.to) }
            let left = counts.first { quarter($0.from) <= leaves && leaves < quarter($0.to) }
            record(.enteredThen, at?.entered ?? -1)
            record(.leftThen, left?.left ?? -1)
            record(.spanThen, at.map { quarter($0.to) - quarter($0.from) } ?? -1)
            record(.presentThen, at?.present ?? -1)
            let cells = counts.flatMap(\.dwell)
            for (sign, cell) in [(Sign.cellBefore, bound - 1), (.cell, bound), (.cellAfter, bound + 1)]
            where VisitCount.bounds_s.indices.contains(cell) {
                record(sign, cells.filter { $0.from_s == VisitCount.bounds_s[cell] }.map(\.visits).reduce(0, +))
            }
            record(.cellOfOne, cells.contains { $0.visits == 1 } ? 1 : 0)
        }
        func total(_ gateway: Int) -> Int64 { published[gateway].compactMap(\.entered).reduce(0, +) }
        sights.append(Sight(gateway: -1, sign: .difference, value: total(0) - total(1)))
        func ends(_ gateway: Int) -> Set<Int> { Set(published[gateway].map { quarter($0.to) }) }
        let endsOfOne = ends(0).symmetricDifference(ends(1)).count
        sights.append(Sight(gateway: -1, sign: .endsOfOne, value: Int64(endsOfOne)))
        return sights
    }
}

@Suite("An attacker who reads all counts")
struct PeopleLinkingTests {
    private static let habits = [
        Shop.Habit(name: "among others", entry_s: 12 * 3_600, dwell_s: 2_400),
        Shop.Habit(name: "a long stay", entry_s: 10 * 3_600, dwell_s: 4 * 3_600),
        Shop.Habit(name: "a short one", entry_s: 12.5 * 3_600, dwell_s: 20),
        Shop.Habit(name: "alone before the opening", entry_s: 7 * 3_600, dwell_s: 1_800),
        Shop.Habit(name: "alone after the closing", entry_s: 19.5 * 3_600, dwell_s: 2_400),
        Shop.Habit(name: "in a small shop", entry_s: 15 * 3_600, dwell_s: 1_500, others: 12),
    ]

    /// Returns how many times of a hundred the attacker is right about a person, whether she came on the second of two days. On the first
    /// one she did.
    private func rightGuesses(_ habit: Shop.Habit, minimum: Int64, days: Int = 600) -> Double {
        var random = SeededGenerator(seed: 58)
        var attacker = Attacker()
        for day in 0..<2 * days {
            let isThere = day.isMultiple(of: 2)
            attacker.learn(
                Shop.secondDay(habit, target: isThere, minimum: minimum, random: &random), habit, isThere: isThere)
        }
        var right = 0
        for _ in 0..<days {
            let isThere = Bool.random(using: &random)
            let second = Shop.secondDay(habit, target: isThere, minimum: minimum, random: &random)
            let isGuessed = attacker.weight(second, habit) > 0
            if isGuessed == isThere { right += 1 }
        }
        return 100 * Double(right) / Double(days)
    }

    /// An exact number of n visits, of which one may be the person's, is one step in a distribution about the root of n wide. Four points are
    /// for the luck of 600 guesses.
    @Test("Guesses no better than by chance which visits of two days were by one phone", arguments: habits)
    private func links(habit: Shop.Habit) {
        let right = rightGuesses(habit, minimum: 5)
        #expect(
            (46...54 + 35 / habit.others.squareRoot()).contains(right),
            "\(habit.name): \(right) % of the guesses are right")
    }

    @Test("Finds the person where each count is published: the attack works")
    func attackWorks() {
        for habit in Self.habits.filter({ $0.name.hasPrefix("alone") || $0.name == "a long stay" }) {
            let right = rightGuesses(habit, minimum: 1, days: 200)
            #expect(right > 75, "\(habit.name): \(right) %")
        }
    }

    @Test("Shows the fifth of five colleagues who alone stay long: the limit of each minimum, as Privacy states")
    func findsColleague() {
        var habit = Shop.Habit(name: "colleagues", entry_s: 9 * 3_600, dwell_s: 8 * 3_600)
        habit.colleagues = 4
        #expect(rightGuesses(habit, minimum: 5, days: 200) > 95)
        #expect((40...62).contains(rightGuesses(habit, minimum: 9, days: 200)), "a minimum above the group hides it")
    }

    /// Plays two days of phones at a gateway. `names` are the phones of the second day, in the order of their visits.
    private func published(names: [Int], minimum: Int) throws -> String {
        let settings = try Settings.visitors(minimum: minimum, "[beacons]").gateway
        let secondDay_s = 12.0 * 3_600
        var air = Air()
        air.otherDevices(every_s: 20, end_s: secondDay_s + 3_580)
        for (day, phones) in [Array(0..<names.count), names].enumerated() {
            for (visit, phone) in phones.enumerated() {
                let start_s = Double(day) * secondDay_s + 60 + Double(visit * 97)
                air.beacon(
                    .beacon(UInt16(7 + phone % 3), UInt16(100 + phone)), from: .rotating(UInt64(1 + day * 100 + phone)),
                    every_s: 2, start_s: start_s, end_s: start_s + 200 + Double(visit * 31 % 400))
            }
        }
        let (engine, outputs) = air.played(settings)
        #expect(outputs.compactMap { $0.content(VisitCount.self)?.left }.reduce(0, +) == Int64(2 * names.count))
        return "\(outputs) \(engine.figures)"
    }

    @Test("Reads the same, to the last octet, whichever phones come again", arguments: [5, 1])
    func saysNothingOfPhones(minimum: Int) throws {
        let same = try published(names: Array(0..<12), minimum: minimum)
        for names in [Array((0..<12).reversed()), Array(12..<24), [0, 1, 2, 3, 4, 5] + Array(40..<46)] {
            #expect(try published(names: names, minimum: minimum) == same)
        }
    }
}
