import RealModule
import Testing

@testable import Core

@Suite("Rivals for a rotated address")
struct RotationRivalsTests {
    /// Returns the score of a pair: its odds against a stranger, less the cost of a merge.
    private func score(odds: Double) -> Double { .log(odds) - RotationEvidence.mergeCost }

    @Test("Without a rival the evidence stays as it is")
    func alone() {
        #expect(RotationRivals.weighed([[1.5]]) == [[1.5]])
        #expect(RotationRivals.weighed([[nil]]) == [[nil]])
        #expect(RotationRivals.weighed([]).isEmpty)
        #expect(RotationRivals.weighed([[], []]) == [[], []])
    }

    @Test("Of two newcomers that fit one predecessor equally well, one is a stranger: neither is paired")
    func oneIsAStranger() throws {
        for strength in [1.0, 5, 30] {
            for score in RotationRivals.weighed([[strength], [strength]]).joined() { #expect(try #require(score) < 0) }
        }
    }

    @Test("Of two predecessors that fit equally well one is paired, if the newcomer is certainly no stranger")
    func twins() throws {
        for score in RotationRivals.weighed([[10, 10], [10, 10]]).joined() { #expect(try #require(score) > 0) }
        for score in RotationRivals.weighed([[10, 10]]).joined() { #expect(try #require(score) > 0) }
        for score in RotationRivals.weighed([[1, 1]]).joined() { #expect(try #require(score) < 0) }
    }

    @Test("A wrong merge costs twice as much as a split, and a stranger's split nothing")
    func costs() throws {
        // Of 5 + 3 + 1 parts, merging is wrong in 4 and costs 8; not merging is wrong in 8.
        let even = RotationRivals.weighed([[score(odds: 5), score(odds: 3)]])
        #expect(abs(try #require(even[0][0])) < 0.06)
        let clear = RotationRivals.weighed([[score(odds: 6), score(odds: 3)]])
        #expect(try #require(clear[0][0]) > 0.1)
        let unclear = RotationRivals.weighed([[score(odds: 4), score(odds: 3)]])
        #expect(try #require(unclear[0][0]) < 0)
    }

    @Test("A rival that clearly belongs to another newcomer does not count")
    func rivalIsTaken() throws {
        let weighed = RotationRivals.weighed([[4, 4], [-6, 9]])
        #expect(try #require(weighed[0][0]) > 0)
        #expect(try #require(weighed[0][1]) < 0)
        #expect(try #require(weighed[1][1]) > 0)
    }

    @Test("An impossible pair stays out, and a negative score stays negative")
    func neverMore() {
        let scores: [[Double?]] = [[3, nil, -2], [nil, 1_000, 40], [0.5, -1_000, nil]]
        for (row, weighed) in zip(scores, RotationRivals.weighed(scores)) {
            for (before, after) in zip(row, weighed) {
                #expect((before == nil) == (after == nil))
                if let before, let after { #expect(after.isFinite && (before > 0 || after < 0)) }
            }
        }
    }
}
