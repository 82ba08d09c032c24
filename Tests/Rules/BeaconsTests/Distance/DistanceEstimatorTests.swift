import TestAir
import Testing

@testable import Core

@Suite("From RSSI to metres")
struct DistanceEstimatorTests {
    private func estimator(_ model: DistanceModel, exponent: Double = 2) -> DistanceEstimator {
        DistanceEstimator(
            DistanceSettings(model: model, pathLossExponent: exponent, immediate_m: 0.5, near_m: 4, hysteresis: 0.15))
    }

    @Test("log: 10^((P − RSSI) / (10 · n))")
    func log() {
        let free = estimator(.log)
        #expect(free.distance_m(rssi_dbm: -59, measuredPower_dbm: -59) == 1)
        #expect(abs(free.distance_m(rssi_dbm: -79, measuredPower_dbm: -59) - 10) < 1e-9)
        #expect(abs(free.distance_m(rssi_dbm: -49, measuredPower_dbm: -59) - 0.316_227_766) < 1e-9)
        let shop = estimator(.log, exponent: 2.5)
        #expect(abs(shop.distance_m(rssi_dbm: -84, measuredPower_dbm: -59) - 10) < 1e-9)
    }

    @Test("log: the exponent is clamped to 1.6 … 4")
    func exponentIsClamped() {
        func at20dB(_ exponent: Double) -> Double {
            estimator(.log, exponent: exponent).distance_m(rssi_dbm: -79, measuredPower_dbm: -59)
        }
        #expect(at20dB(0) == at20dB(1.6))
        #expect(at20dB(-.infinity) == at20dB(1.6))
        #expect(at20dB(99) == at20dB(4))
        #expect(at20dB(.nan) == at20dB(2))
    }

    @Test("curve: 0.89976 · r^7.7095 + 0.111, and r^10 for a signal stronger than the measured power")
    func curve() {
        let curve = estimator(.curve)
        #expect(abs(curve.distance_m(rssi_dbm: -59, measuredPower_dbm: -59) - 1.01076) < 1e-9)
        #expect(abs(curve.distance_m(rssi_dbm: -80, measuredPower_dbm: -59) - 9.5216) < 0.0001)
        #expect(abs(curve.distance_m(rssi_dbm: -50, measuredPower_dbm: -59) - 0.1911) < 0.001)
        #expect(curve.distance_m(rssi_dbm: 5, measuredPower_dbm: -59) == 0.01)
    }

    @Test("curve: a measured power of 0 dBm or more has no ratio, so log is used", arguments: [Int8(0), 4, 127])
    func curveWithoutRatio(power_dbm: Int8) {
        let level = Double(power_dbm) - 30
        #expect(
            estimator(.curve).distance_m(rssi_dbm: level, measuredPower_dbm: power_dbm)
                == estimator(.log).distance_m(rssi_dbm: level, measuredPower_dbm: power_dbm))
    }

    @Test("Distances are 0.01 to 1000 m, and a weaker signal is never nearer", arguments: DistanceModel.allCases)
    func staysInRange(model: DistanceModel) {
        let levels = [-.infinity, -1e9] + Array(stride(from: -127.0, through: 20, by: 0.5)) + [1e9, .infinity]
        for exponent in [1.6, 2, 4] {
            let estimator = estimator(model, exponent: exponent)
            for power_dbm in Int8.min...Int8.max {
                let distances = levels.map { estimator.distance_m(rssi_dbm: $0, measuredPower_dbm: power_dbm) }
                #expect(distances.holdForAll { (0.01...1_000).contains($0) })
                #expect(zip(distances, distances.dropFirst()).holdForAll { $0 >= $1 })
            }
            #expect(estimator.distance_m(rssi_dbm: .nan, measuredPower_dbm: -59) == 1_000)
        }
    }

    @Test("At 1 m the error is 3.1 dB, converted to metres")
    func errorAtOneMetre() {
        #expect(abs(estimator(.indoor).error_m(of: 1, levelVariance: 0) - 0.383) < 0.001)
    }

    @Test("Further away the exponent counts too, which may be 30 % off: at 5 m the error with the spot is 79 %")
    func errorFurtherAway() {
        #expect(abs(estimator(.indoor).error_m(of: 5, levelVariance: 0) - 3.946) < 0.001)
    }

    @Test("The error grows with the uncertainty of the level")
    func errorOfLevel() {
        let estimator = estimator(.indoor)
        #expect(estimator.error_m(of: 1, levelVariance: 16) > 1.8 * estimator.error_m(of: 1, levelVariance: 0))
    }

    @Test("The error is at most 1,000 m, however much the level jumps")
    func largestError() {
        #expect(estimator(.indoor).error_m(of: 36, levelVariance: 1_600) == 1_000)
    }
}
