import RealModule
import Testing

@testable import Beacons

@Suite("Rivals for a rotated address")
struct RotationRivalsTests {
    /// What speaks for a pair as a score: odds against a stranger, less the cost of a merge.
    private func score(odds: Double) -> Double { .log(odds) - RotationEvidence.mergeCost }

    @Test("Without a rival the evidence stands as it is")
    func alone() {
        #expect(RotationRivals.weighed([[1.5]]) == [[1.5]])
        #expect(RotationRivals.weighed([[nil]]) == [[nil]])
        #expect(RotationRivals.weighed([]).isEmpty)
        #expect(RotationRivals.weighed([[], []]) == [[], []])
    }

    @Test("Two that fit equally well: neither has two thirds for it, however well they fit")
    func equals() throws {
        for strength in [1.0, 5, 30] {
            for scores in [[[strength, strength]], [[strength], [strength]]] as [[[Double?]]] {
                for score in RotationRivals.weighed(scores).joined() { #expect(try #require(score) < 0) }
            }
        }
    }

    @Test("A pair's score is above zero where two thirds speak for it, strangers and rivals together one third")
    func twoThirds() throws {
        // Of 8 + 3 + 1 parts, 8 are two thirds.
        let weighed = RotationRivals.weighed([[score(odds: 8), score(odds: 3)]])
        #expect(abs(try #require(weighed[0][0])) < 1e-9)
        let clearer = RotationRivals.weighed([[score(odds: 9), score(odds: 3)]])
        #expect(try #require(clearer[0][0]) > 0)
    }

    @Test("A rival that clearly belongs to another newcomer is none")
    func rivalIsTaken() throws {
        let weighed = RotationRivals.weighed([[4, 4], [-6, 9]])
        #expect(try #require(weighed[0][0]) > 0)
        #expect(try #require(weighed[0][1]) < 0)
        #expect(try #require(weighed[1][1]) > 0)
    }

    @Test("What can't be one stays out of it, and no score grows by its rivals")
    func neverMore() {
        let scores: [[Double?]] = [[3, nil, -2], [nil, 1_000, 40], [0.5, 2, nil]]
        for (row, weighed) in zip(scores, RotationRivals.weighed(scores)) {
            for (before, after) in zip(row, weighed) {
                #expect((before == nil) == (after == nil))
                if let before, let after { #expect(after <= before && after.isFinite) }
            }
        }
    }
}
