import Testing

@testable import Core

@Suite("What tells the RSSI filters apart")
struct FilterKindTests {
    @Test("none: the last reading")
    func none() {
        #expect(SignalFilter(.none, 20).value(after: irregularReadings(9, seed: 1) + [Reading(-51, at_s: 99)]) == -51)
    }

    @Test("ewma: a new level weighs 1 − exp(−t / τ) after t seconds, in one packet or in many", arguments: [1, 7, 300])
    func ewmaStep(packets: Int) {
        let settled = (0...4_000).map { Reading(-80, at_s: 0.1 * Double($0)) }
        let step = (1...packets).map { Reading(-60, at_s: 400 + 10 * Double($0) / Double(packets)) }
        let value = SignalFilter(.ewma, 10).value(after: settled + step)
        // 1 − 1/e of the way.
        #expect(abs(value - (-80 + 20 * 0.632_120_558_828_558)) < 1e-9)
    }

    @Test("ewma: the beginning is the mean of what was heard, not its first reading")
    func ewmaStart() {
        let readings = [Reading(-95, at_s: 0)] + (1...10).map { Reading(-62, at_s: 0.1 * Double($0)) }
        #expect(abs(SignalFilter(.ewma, 30).value(after: readings) - -65) < 0.1)
    }

    @Test("kalman: the beginning is the mean of what was heard")
    func kalmanStart() {
        let readings = [-90.0, -60, -60, -70].enumerated().map { Reading($1, at_s: 0.001 * Double($0)) }
        #expect(abs(SignalFilter(.kalman, 30).value(after: readings) - -70) < 0.01)
    }

    @Test("kalman: with one reading a second it settles at a time constant of τ, with f a second at τ / √f")
    func kalmanTimeConstant() {
        for (rate_hz, expected_s) in [(1.0, 20.0), (4, 10), (10, 20 / 10.squareRoot())] {
            let count = Int(200 * rate_hz)
            let settled = (0..<count).map { Reading(-80, at_s: Double($0) / rate_hz) }
            let step = (0..<Int(expected_s * rate_hz)).map { Reading(-60, at_s: 200 + Double($0) / rate_hz) }
            let reached = (SignalFilter(.kalman, 20).value(after: settled + step) + 80) / 20
            #expect(abs(reached - 0.632) < 0.03)
        }
    }

    @Test("kalman: the longer the silence, the more the next reading counts")
    func kalmanSilence() {
        let settled = (0..<100).map { Reading(-80, at_s: Double($0)) }
        let values = [1.0, 10, 100, 1_000].map { gap_s in
            SignalFilter(.kalman, 20).value(after: settled + [Reading(-60, at_s: 99 + gap_s)])
        }
        #expect(values == values.sorted())
        #expect(values[0] < -78.5 && values[3] > -66.5)
    }

    @Test("trimmed_mean: from three readings on, a tenth and one more are dropped at each end, as AltBeacon does")
    func trimmedMean() {
        func value(_ levels: [Double]) -> Double {
            let readings = levels.enumerated().map { Reading($1, at_s: 0.5 * Double($0)) }
            return SignalFilter(.trimmedMean, 20).value(after: readings)
        }
        #expect(value([-60, -70]) == -65)
        #expect(value([-60, -100, -71]) == -71)
        #expect(value([-30, -100] + Array(repeating: -66, count: 18)) == -66)
        #expect(value([-30, -31, -32, -98, -99, -100] + Array(repeating: -66, count: 14)) > -67)
    }

    @Test("iqr_mean: the mean of what lies within Tukey's fences, as ESPresense does")
    func interquartileMean() {
        let levels: [Double] = [-60, -61, -62, -63, -64, -110]
        let readings = levels.enumerated().map { Reading($1, at_s: 0.5 * Double($0)) }
        #expect(abs(SignalFilter(.iqrMean, 15).value(after: readings) - -62) < 1e-9)
        #expect(abs(SignalFilter(.iqrMean, 15).value(after: readings.dropLast()) - -62) < 1e-9)
    }

    @Test("median: the middle reading, or the mean of the middle two")
    func median() {
        let readings = [-60.0, -90, -62, -30].enumerated().map { Reading($1, at_s: 0.5 * Double($0)) }
        #expect(SignalFilter(.median, 5).value(after: readings.prefix(3)) == -62)
        #expect(SignalFilter(.median, 5).value(after: readings) == -61)
    }

    @Test("A window holds the last τ seconds and nothing older", arguments: windowedKinds)
    func windowLength(kind: FilterKind) {
        let old = (0..<30).map { Reading(-40, at_s: 0.1 * Double($0)) }
        #expect(SignalFilter(kind, 5).value(after: old + [Reading(-80, at_s: 2.95)]) > -60)
        #expect(SignalFilter(kind, 5).value(after: old + [Reading(-80, at_s: 7.95)]) == -80)
    }

    @Test("A window cuts time into 64 slots: a storm of packets in one of them is one reading")
    func windowIsBounded() {
        let calm = (1...10).map { Reading(-80, at_s: Double($0)) }
        let storm = (0..<5_000).map { Reading(-40, at_s: 10.95 + 0.00002 * Double($0)) }
        #expect(SignalFilter(.median, 20).value(after: calm + storm) == -80)
    }
}

@Suite("What a filter averages")
struct SignalScaleTests {
    @Test("Field strength: a fading hole weighs little; in decibels it weighs what it is deep")
    func fadingHole() {
        let readings = (0..<10).map { Reading($0 == 5 ? -100 : -60, at_s: 0.000001 * Double($0)) }
        #expect(abs(SignalFilter(.kalman, 20).value(after: readings) - -64) < 0.01)
        #expect(abs(SignalFilter(.kalman, 20, scale: .fieldStrength).value(after: readings) - -60.9) < 0.1)
    }

    @Test("Field strength of two readings is the mean of their amplitudes")
    func meanAmplitude() {
        let readings = [Reading(-60, at_s: 0), Reading(-80, at_s: 0)]
        // 20 · log10((0.001 + 0.0001) / 2)
        #expect(abs(SignalFilter(.ewma, 2.5, scale: .fieldStrength).value(after: readings) - -65.192_746) < 1e-5)
    }
}
