import TestAir
import Testing

@testable import Core

@Suite("The learned interval")
struct LearnedIntervalTests {
    @Test("The interval is the median of the last 15 gaps, in any order, and with equal ones", arguments: 0..<20)
    func medianOfTheLatest(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        // The gaps have few different lengths, or many; the shortest and the longest that count are among them.
        let lengths_ms = seed % 2 == 0 ? [10, 100, 101, 60_000] : Array(10...2_000)
        var interval = LearnedInterval()
        var gaps_ms: [Int64] = []
        for _ in 0..<200 {
            let gap_ms = Int64(lengths_ms.randomElement(using: &generator) ?? 10)
            interval.add(gap: .milliseconds(gap_ms))
            gaps_ms.append(gap_ms)
            let latest_ms = gaps_ms.suffix(15).sorted()
            let median = latest_ms.count < 3 ? nil : TimeSpan.milliseconds(latest_ms[latest_ms.count / 2])
            #expect(interval.median == median)
        }
    }

    @Test("Gaps too short or too long for an interval are ignored")
    func outOfRange() {
        var interval = LearnedInterval()
        for gap in [TimeSpan.milliseconds(9), .milliseconds(60_001), .forever, TimeSpan(microseconds: .min)] {
            for _ in 0..<20 { interval.add(gap: gap) }
        }
        #expect(interval.median == nil)
        for _ in 0..<3 { interval.add(gap: .milliseconds(300)) }
        #expect(interval.median == .milliseconds(300))
    }

    @Test("From three gaps on, the interval is the median and the rate follows from the average gap")
    func reception() throws {
        var interval = LearnedInterval()
        for gap_ms in [100, 100] as [Int64] { interval.add(gap: .milliseconds(gap_ms)) }
        #expect(interval.reception == nil)
        interval.add(gap: .milliseconds(300))
        let reception = try #require(interval.reception)
        #expect(reception.interval_ms == 100 && abs(reception.reports_per_s - 6) < 0.001)
    }

    /// Returns the interval that so many gaps have taught, which repeat a pattern.
    private func learned(_ pattern_s: [Double], gaps: Int) -> LearnedInterval {
        var interval = LearnedInterval()
        for number in 0..<gaps { interval.add(gap: .seconds(pattern_s[number % pattern_s.count])) }
        return interval
    }

    private static let patterns: [(gaps_s: [Double], leaving_s: Double)] = [([1, 1, 2], 7.4), ([2, 2, 4], 13.8)]

    @Test(
        "Of a slow beacon that loses packets, 4 / (1 − loss) intervals count beyond exit_after_s", arguments: patterns)
    func atMost(pattern: (gaps_s: [Double], leaving_s: Double)) {
        let patience = learned(pattern.gaps_s, gaps: 60).patience
        // 5 of the last 15 gaps are lossy: (5 + 1) / (15 + 1) = 0.375.
        #expect(abs(patience.leaving(exitAfter: .seconds(1)).seconds - pattern.leaving_s) < 1e-3)
        // ln(0.00001) / ln(0.375) = 11.738 intervals.
        #expect(abs(patience.silence.seconds - 11.738 * pattern.gaps_s[0]) < 1e-3)
    }

    @Test("One lossy gap of 15 is an accident, two are a loss of 3 / 16")
    func accident() {
        let once = [Double](repeating: 2, count: 14) + [6]
        #expect(learned(once, gaps: 15).patience.silence == .seconds(8))
        let twice = [Double](repeating: 2, count: 13) + [6, 6]
        // ln(0.00001) / ln(3 / 16) = 6.878 intervals.
        #expect(abs(learned(twice, gaps: 15).patience.silence.seconds - 2 * 6.878) < 1e-3)
    }

    @Test("Loss is learned from 10 gaps of more than half a second")
    func lossGaps() {
        #expect(learned([2, 2, 6], gaps: 9).patience.lossy == .zero)
        #expect(learned([2, 2, 6], gaps: 10).patience.lossy > .zero)
        #expect(learned([0.4, 0.4, 1.2], gaps: 60).patience.lossy == .zero)
    }

    @Test("A successor continues with the predecessor's gaps, then its own")
    func takesOver() {
        var predecessor = LearnedInterval()
        for _ in 0..<15 { predecessor.add(gap: .milliseconds(100)) }
        var successor = LearnedInterval()
        for _ in 0..<8 { successor.add(gap: .milliseconds(400)) }
        successor.takeOver(predecessor)
        #expect(successor.median == .milliseconds(400))
        var shorter = LearnedInterval()
        for _ in 0..<7 { shorter.add(gap: .milliseconds(400)) }
        shorter.takeOver(predecessor)
        #expect(shorter.median == .milliseconds(100))
    }
}
