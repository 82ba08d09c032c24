import Testing

@testable import Core

@Suite("The times of a log's lines")
struct LogClockTests {
    /// Returns each line by its own second, and the second at which it came.
    private func came(_ seconds: [Double?]) -> [Double] {
        var clock = LogClock<Double?>()
        var dated: [LogClock<Double?>.Dated] = []
        for second in seconds { dated += clock.take(second, time: second.map { time($0) }) }
        dated += clock.finish()
        #expect(dated.map(\.line) == seconds)
        return dated.map { ($0.came - time(0)).seconds }
    }

    private static let cases: [(rule: String, said: [Double?], came: [Double])] = [
        ("A line came when it says", [0, 1, 2, 2, 3.5], [0, 1, 2, 2, 3.5]),
        ("A line without a time came with the one before", [0, 1, nil, 2], [0, 1, 1, 2]),
        ("Before the first time it came with that", [nil, nil, 5, 6], [5, 5, 5, 6]),
        ("A gap is time that passed", [0, 1, 3_600, 3_601, 3_611, 3_612], [0, 1, 3_600, 3_601, 3_611, 3_612]),
        ("So it is with a line every minute", [0, 60, 120, nil, 180], [0, 60, 120, 120, 180]),
        (
            "After a gap a time as far ahead is not believed at once",
            [0, 1, 3_600, 9_000, 3_601, 3_602], [0, 1, 3_600, 3_600, 3_601, 3_602]
        ),
        ("One wild time ahead takes nothing along", [0, 1, 86_400, 2, 3, 4], [0, 1, 1, 2, 3, 4]),
        ("One time that went back stops nothing", [100, 101, 50, 102, 103], [100, 101, 101, 102, 103]),
        (
            "Nor does it where a gap follows",
            [100, 101, 50, 140, 141, 142], [100, 101, 101, 140, 141, 142]
        ),
        (
            "Nor where lines are far apart, whose steps are as usual",
            [100, 115, 130, 120, 145, 160, 175], [100, 115, 130, 130, 145, 160, 175]
        ),
        (
            "A clock that was set back is believed where lines are far apart, too",
            [100, 115, 130, 0, 15, 30, 45], [100, 115, 130, 130, 145, 160, 175]
        ),
    ]

    @Test(arguments: cases.indices)
    func rules(index: Int) {
        let (rule, said, expected) = Self.cases[index]
        #expect(came(said) == expected, "\(rule)")
    }

    @Test("After a clock that was set back, time continues from where it was")
    func setBack() {
        let said: [Double?] = [100, 101] + (0...20).map { Double($0) }
        let expected: [Double] = [100, 101] + (0...20).map { 101 + Double($0) }
        #expect(came(said) == expected)
    }

    @Test("After 20 lines from 1024 weeks ago, later lines have their own times")
    func weekRollover() {
        let weeks_s = 1_024 * 7 * 86_400.0
        let before = (0...5).map { weeks_s + Double($0) }
        let after = (26...50).map { weeks_s + Double($0) }
        let said: [Double?] = before + (6...25).map { Double($0) } + after
        #expect(came(said) == before + (0...19).map { weeks_s + 5 + Double($0) } + after)
    }

    @Test("The number of lines held is bounded")
    func bounded() {
        var clock = LogClock<Int>()
        _ = clock.take(0, time: time(0))
        _ = clock.take(1, time: time(500))
        let dated = (2...2_000).map { clock.take($0, time: nil).count }
        #expect(dated.contains { $0 > 0 })
    }

    @Test("Lines without a time beyond the limit are dropped, and stay counted")
    func dropped() {
        var clock = LogClock<Int>()
        for line in 1...1_200 { _ = clock.take(line, time: nil) }
        #expect(clock.undatedCount == 1_200)
        #expect(clock.take(0, time: time(0)).map(\.line) == Array(1...1_000) + [0])
        #expect(clock.undatedCount == 200)
    }
}
