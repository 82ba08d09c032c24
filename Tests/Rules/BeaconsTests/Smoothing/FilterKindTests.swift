import Testing

@testable import Core

@Suite("The differences between the RSSI filters")
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

    @Test("ewma: the beginning is the mean of the readings, not the first one")
    func ewmaStart() {
        let readings = [Reading(-95, at_s: 0)] + (1...10).map { Reading(-62, at_s: 0.1 * Double($0)) }
        #expect(abs(SignalFilter(.ewma, 30).value(after: readings) - -65) < 0.1)
    }

    @Test("kalman: the beginning is the mean of the readings")
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
}

@Suite("The scale that a filter averages")
struct SignalScaleTests {
    @Test("Field strength: a fading hole weighs little; in decibels it weighs its full depth")
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
