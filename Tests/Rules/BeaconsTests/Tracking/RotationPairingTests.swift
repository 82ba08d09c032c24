import TestAir
import Testing

@testable import Core

@Suite("Pairing newcomers with predecessors")
struct RotationPairingTests {
    private typealias Pair = RotationPairing.Pair

    @Test("The sum over all pairs is greatest, not the first pair's score")
    func bestTogether() {
        // A greedy pairing would give 0 to 0 (5), and leave 1 with 1 (−9).
        let pairs = RotationPairing.pairs([[5, 4], [4.5, -9]])
        #expect(pairs == [Pair(newcomer: 1, predecessor: 0), Pair(newcomer: 0, predecessor: 1)])
    }

    @Test("A candidate without a positive score stays alone, on either side")
    func alone() {
        #expect(RotationPairing.pairs([[-1, nil], [3, -2]]) == [Pair(newcomer: 1, predecessor: 0)])
        #expect(RotationPairing.pairs([[nil], [nil]]).isEmpty)
        #expect(RotationPairing.pairs([]).isEmpty)
        #expect(RotationPairing.pairs([[], []]).isEmpty)
    }

    @Test("Among equals the oldest are paired")
    func equals() {
        #expect(RotationPairing.pairs([[1, 1]]) == [Pair(newcomer: 0, predecessor: 0)])
        #expect(RotationPairing.pairs([[1], [1]]) == [Pair(newcomer: 0, predecessor: 0)])
    }

    @Test("Beyond the limit of the optimal pairing, the best pair goes first", arguments: [10, 40])
    func size(count: Int) {
        let scores = (0..<count).map { row in (0..<count).map { $0 == (row + 1) % count ? 3.0 : 1.0 } }
        let pairs = RotationPairing.pairs(scores.map { $0.map(Optional.some) })
        #expect(pairs.count == count)
        #expect(pairs.holdForAll { $0.predecessor == ($0.newcomer + 1) % count })
    }

    /// A transmitter that is heard ten times a second.
    private func candidate(at_s: Double, _ rssi_dbm: Double = -60, variance: Double = 4, power_dbm: Int8 = -59)
        -> RotationEvidence.Candidate
    {
        RotationEvidence.Candidate(
            time: .origin + .seconds(at_s),
            level: RecentLevel.Summary(mean_dbm: rssi_dbm, variance: variance, count: 20), interval_ms: 105,
            averageGap_s: 0.12, measuredPower_dbm: power_dbm, traits: .none)
    }

    private func score(
        _ newcomer: RotationEvidence.Candidate, _ predecessor: RotationEvidence.Candidate, crowd: Int = 2
    ) -> Double {
        let evidence = RotationEvidence(pauses: ReceptionPauses(), crowd: crowd, now: newcomer.time + .seconds(2))
        return evidence.score(newcomer, predecessor)
    }

    @Test("The sooner after the old address, and the closer in strength, the likelier is a rotation")
    func order() {
        let old = candidate(at_s: 10)
        let best = score(candidate(at_s: 10.105), old)
        #expect(best > 0)
        #expect(score(candidate(at_s: 12), old) < best)
        #expect(score(candidate(at_s: 10.105, -66), old) < best)
        #expect(score(candidate(at_s: 10.105, power_dbm: -55), old) < best)
        // A level that jumps is weaker evidence.
        #expect(
            score(candidate(at_s: 10.105, -66, variance: 36), candidate(at_s: 10, variance: 36))
                > score(candidate(at_s: 10.105, -66), old))
    }

    @Test("Seconds later and 25 dB off it is another beacon")
    func stranger() {
        #expect(score(candidate(at_s: 15, -85), candidate(at_s: 10)) < 0)
    }

    @Test("The more beacons of one identity there are, the likelier a newcomer is a stranger")
    func crowd() {
        let (newcomer, old) = (candidate(at_s: 10.105), candidate(at_s: 10))
        #expect(score(newcomer, old, crowd: 1) == score(newcomer, old))
        #expect(score(newcomer, old, crowd: 5) < score(newcomer, old))
        #expect(score(newcomer, old, crowd: 50) < score(newcomer, old, crowd: 5))
    }

    @Test("A common silence is no evidence against any predecessor")
    func pause() {
        var pause = ReceptionPauses()
        for tick in 0..<100 { pause.heard(at: .origin + .seconds(Double(tick) / 10)) }
        pause.heard(at: .origin + .seconds(14))
        let evidence = RotationEvidence(pauses: pause, crowd: 2, now: .origin + .seconds(14))
        let (newcomer, old) = (candidate(at_s: 14), candidate(at_s: 9.9))
        #expect(evidence.gap(newcomer, old) > 0)
        #expect(abs(evidence.silence(old)) < 0.001)
        let awake = RotationEvidence(pauses: ReceptionPauses(), crowd: 2, now: .origin + .seconds(14))
        #expect(awake.gap(newcomer, old) < 0)
    }

    @Test("The recent level is that of the last four seconds")
    func recentLevel() throws {
        var level = RecentLevel()
        #expect(level.summary == nil)
        var previous: Instant?
        for tick in 0..<100 {
            let now = Instant.origin + .seconds(Double(tick) / 10)
            level.add(tick < 50 ? -90 : -60, at: now, previous: previous)
            previous = now
        }
        let summary = try #require(level.summary)
        #expect(abs(summary.mean_dbm + 60) < 0.01 && summary.variance < 0.1 && summary.count > 25)
        level.add(-70, at: .origin + .seconds(1_000), previous: previous)
        #expect(try #require(level.summary).count == 1)
    }
}
