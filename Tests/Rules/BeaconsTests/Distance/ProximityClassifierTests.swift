import TestAir
import Testing

@testable import Core

@Suite("From metres to a proximity")
struct ProximityClassifierTests {
    private let classifier = ProximityClassifier(
        DistanceSettings(model: .log, pathLossExponent: 2, immediate_m: 0.5, near_m: 4, hysteresis: 0.15))

    @Test("From unknown: immediate below 0.5 m, near below 4 m, far from there on")
    func plainThresholds() {
        let zones = [0.01, 0.499, 0.5, 3.999, 4, 1_000].map { classifier.classify(distance_m: $0, previous: .unknown) }
        #expect(zones == [.immediate, .immediate, .near, .near, .far, .far])
    }

    @Test("A zone is entered inward at the threshold itself", arguments: [Proximity.near, .far])
    func inward(previous: Proximity) {
        #expect(classifier.classify(distance_m: 0.499, previous: previous) == .immediate)
        #expect(classifier.classify(distance_m: 3.999, previous: previous) == .near)
    }

    @Test("A zone is left outward only at threshold · (1 + hysteresis)")
    func outward() {
        #expect(classifier.classify(distance_m: 0.574, previous: .immediate) == .immediate)
        #expect(classifier.classify(distance_m: 0.576, previous: .immediate) == .near)
        #expect(classifier.classify(distance_m: 4.599, previous: .near) == .near)
        #expect(classifier.classify(distance_m: 4.601, previous: .near) == .far)
    }

    @Test("An immediate beacon is far only beyond the outer threshold with its hysteresis")
    func bothThresholdsAtOnce() {
        #expect(classifier.classify(distance_m: 4.3, previous: .immediate) == .near)
        #expect(classifier.classify(distance_m: 4.7, previous: .immediate) == .far)
        #expect(classifier.classify(distance_m: 0.55, previous: .near) == .near)
        #expect(classifier.classify(distance_m: 4.3, previous: .far) == .far)
    }

    @Test("Standing still at a threshold never flickers: noise within the hysteresis changes the zone once at most")
    func neverFlickers() {
        for seed in 0..<50 {
            for threshold_m in [0.5, 4] {
                var generator = SeededGenerator(seed: seed)
                var zone = Proximity.unknown
                var changes = -1  // Leaving unknown is the first.
                for _ in 0..<500 {
                    let distance_m = threshold_m * Double.random(in: 0.8..<1.149, using: &generator)
                    let next = classifier.classify(distance_m: distance_m, previous: zone)
                    if next != zone { changes += 1 }
                    zone = next
                }
                #expect((0...1).contains(changes))
            }
        }
    }

    @Test("Without hysteresis the plain thresholds hold after any zone", arguments: Proximity.allCases)
    func noHysteresis(previous: Proximity) {
        let plain = ProximityClassifier(
            DistanceSettings(model: .log, pathLossExponent: 2, immediate_m: 0.5, near_m: 4, hysteresis: 0))
        let zones = [0.499, 0.5, 3.999, 4].map { plain.classify(distance_m: $0, previous: previous) }
        #expect(zones == [.immediate, .near, .near, .far])
    }

    @Test("An impossible distance is unknown", arguments: [-1, -Double.infinity, .nan])
    func noDistance(distance_m: Double) {
        #expect(classifier.classify(distance_m: distance_m, previous: .near) == .unknown)
    }

    @Test("The words are Core Location's")
    func words() {
        #expect(Proximity.allCases.map(\.rawValue) == ["unknown", "immediate", "near", "far"])
    }
}
