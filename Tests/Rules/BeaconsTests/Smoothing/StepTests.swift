import TestAir
import Testing

@testable import Core

@Suite("A step is followed at once, and between steps the distance is calm")
struct StepTests {
    private let settings = DistanceSettings(
        model: .indoor, pathLossExponent: 2.5, immediate_m: 0.5, near_m: 4, hysteresis: 0.15)

    private func distance_m(_ level_dbm: Double) -> Double {
        DistanceEstimator(settings).distance_m(rssi_dbm: level_dbm, measuredPower_dbm: -59)
    }

    /// Returns readings about a level that scatter as a receiver's do, in whole dBm.
    private func scattered(_ level_dbm: Double, _ scatter_db: Double, using generator: inout SeededGenerator) -> Double
    {
        let normal = (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
        return (level_dbm + scatter_db * normal).rounded()
    }

    /// Returns the seconds from a step until the distance is within a factor of 1.5 of its final value, the median of
    /// 41 runs.
    private func delay_s(from: Double, to: Double, rate: Double, scatter_db: Double) -> Double {
        delay_s(after: [(from, 120)], to: to, rate: rate, scatter_db: scatter_db)
    }

    /// Returns these seconds after levels that each lasted for a time.
    private func delay_s(
        after levels: [(dbm: Double, for_s: Double)], to: Double, rate: Double, scatter_db: Double
    ) -> Double {
        let delays = (0..<41).map { seed in
            var generator = SeededGenerator(seed: seed)
            var level = Level()
            var begin_s = 0.0
            for (dbm, for_s) in levels {
                for count in 0..<Int(for_s * rate) {
                    level.add(scattered(dbm, scatter_db, using: &generator), at_s: begin_s + Double(count) / rate)
                }
                begin_s += for_s
            }
            for count in 0..<Int(60 * rate) {
                let after_s = Double(count) / rate
                level.add(scattered(to, scatter_db, using: &generator), at_s: begin_s + after_s)
                let factor = distance_m(level.distanceLevel_dbm) / distance_m(to)
                if (1 / 1.5...1.5).contains(factor) { return after_s }
            }
            return .infinity
        }
        return delays.sorted()[20]
    }

    @Test(
        "Steps in either direction are followed within 5 s at four readings a second, and within 10 s at one",
        arguments: [
            // 18 dB, through the scatter of a receiver and through a deep one.
            (-80, 1.5), (-80, 4),
            // 12 dB, which is more than a scatter of 1.5 or 2.5 dB explains.
            (-74, 1.5), (-74, 2.5),
        ] as [(Double, Double)])
    func followed(far_dbm: Double, scatter_db: Double) {
        for (rate, limit_s) in [(4.0, 5.0), (1, 10)] {
            #expect(delay_s(from: far_dbm, to: -62, rate: rate, scatter_db: scatter_db) <= limit_s)
            #expect(delay_s(from: -62, to: far_dbm, rate: rate, scatter_db: scatter_db) <= limit_s)
        }
    }

    @Test("A step right after one is followed as well: the first does not count as scatter")
    func oneAfterTheOther() {
        var level = Level()
        for (number, dbm) in [-62.0, -80, -62, -80].enumerated() {
            for count in 0..<40 { level.add(dbm, at_s: 10 * Double(number) + 0.25 * Double(count)) }
            // Within 3 dB, 2.5 of which count as shade.
            #expect(abs(level.distanceLevel_dbm - dbm) < 3)
        }
    }

    @Test("A beacon carried past: the way back is as quick", arguments: [6.0, 10, 20])
    func carriedPast(for_s: Double) {
        for (rate, limit_s) in [(4.0, 6.0), (1, 12)] where for_s * rate >= 10 {
            let delay_s = delay_s(after: [(-80, 120), (-62, for_s)], to: -80, rate: rate, scatter_db: 1.5)
            #expect(delay_s <= limit_s, "\(rate) a second")
        }
    }

    @Test("At rest, at the worst level, a zone changes at most once in two minutes", arguments: [1.0, 4], [1.5, 4])
    func steady(rate: Double, scatter_db: Double) {
        let classifier = ProximityClassifier(settings)
        for level_dbm in stride(from: -84.0, through: -46, by: 0.5) {
            var generator = SeededGenerator(seed: Int(-2 * level_dbm))
            var level = Level()
            var zone = Proximity.unknown
            var changes = 0
            for second in 0..<660 {
                for count in 0..<Int(rate) {
                    level.add(
                        scattered(level_dbm, scatter_db, using: &generator), at_s: Double(second) + Double(count) / rate
                    )
                }
                let next = classifier.classify(distance_m: distance_m(level.distanceLevel_dbm), previous: zone)
                if second >= 60, next != zone { changes += 1 }
                zone = next
            }
            #expect(changes <= 5, "\(level_dbm) dBm")
        }
    }

    @Test("A single stray reading is no step, however far off")
    func strayReading() {
        var level = Level()
        for count in 0..<200 { level.add(-60, at_s: 0.25 * Double(count)) }
        level.add(-100, at_s: 50)
        #expect(level.distanceLevel_dbm > -62)
    }

    @Test(
        "A stray reading of a beacon that is hardly heard, or after some seconds of silence, is no step",
        arguments: [5.0, 6, 7, 8, 9, 12])
    func strayReadingOfASlowOne(gap_s: Double) {
        for stray_dbm in [-45.0, -90] {
            var level = Level()
            for count in 0..<100 { level.add(-74, at_s: gap_s * Double(count)) }
            var fast = Level()
            for count in 0..<200 { fast.add(-74, at_s: 0.5 * Double(count)) }
            level.add(stray_dbm, at_s: gap_s * 100)
            fast.add(stray_dbm, at_s: 99.5 + gap_s)
            for later in 1...20 {
                #expect(abs(level.distanceLevel_dbm + 74) < 5 && abs(fast.distanceLevel_dbm + 74) < 5)
                level.add(-74, at_s: gap_s * Double(100 + later))
                fast.add(-74, at_s: 99.5 + gap_s + 0.5 * Double(later))
            }
        }
    }

    @Test("A stray reading after minutes without the radio is no step", arguments: [5.0, 20, 60, 236])
    func strayReadingAfterSilence(gap_s: Double) {
        var level = Level()
        for count in 0..<200 { level.add(-60, at_s: 0.25 * Double(count)) }
        level.add(-80, at_s: 50 + gap_s)
        let stray_dbm = level.distanceLevel_dbm
        level.add(-60, at_s: 50.25 + gap_s)
        #expect(stray_dbm > -64 && level.distanceLevel_dbm > -64)
    }

    @Test("A beacon carried away during a silence is followed with the second reading after it")
    func stepAfterSilence() {
        var level = Level()
        for count in 0..<200 { level.add(-60, at_s: 0.25 * Double(count)) }
        level.add(-80, at_s: 290)
        level.add(-80, at_s: 290.25)
        // 2.5 dB of it count as shade.
        #expect(level.distanceLevel_dbm < -76.5)
    }

    @Test("A turning body, 8 dB, is smoothed and makes no step")
    func turningBody() {
        var level = Level()
        for count in 0..<240 { level.add(-60, at_s: 0.25 * Double(count)) }
        for count in 0..<8 { level.add(-68, at_s: 60 + 0.25 * Double(count)) }
        #expect(level.distanceLevel_dbm > -62)
    }

    @Test("A step under a new address is a step")
    func stepAfterTakeOver() {
        var former = Level()
        for count in 0..<400 { former.add(-85, at_s: 0.25 * Double(count)) }
        var level = Level()
        for count in 0..<4 { level.add(-62, at_s: 101 + 0.25 * Double(count)) }
        level.takeOver(former)
        for count in 0..<16 { level.add(-62, at_s: 102 + 0.25 * Double(count)) }
        #expect(level.distanceLevel_dbm > -66)
    }

    @Test("An exponential mean follows no step")
    func exponential() {
        var level = Level(FilterSettings(kind: .ewma, timeConstant_s: 40))
        for count in 0..<240 { level.add(-85, at_s: 0.25 * Double(count)) }
        for count in 0..<12 { level.add(-60, at_s: 60 + 0.25 * Double(count)) }
        #expect(level.distanceLevel_dbm < -75)
    }
}
