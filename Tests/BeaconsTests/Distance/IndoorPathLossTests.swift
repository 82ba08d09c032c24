import Beacons
import Testing

@Suite("Path loss in buildings")
struct IndoorPathLossTests {
    private let estimator = DistanceEstimator(
        DistanceSettings(model: .indoor, pathLossExponent: 2.5, immediate_m: 0.5, near_m: 4, hysteresis: 0.15))

    private func distance_m(_ loss_db: Double, movement: Double = 0) -> Double {
        estimator.distance_m(rssi_dbm: -59 - loss_db, measuredPower_dbm: -59, movement: movement)
    }

    @Test("The measured power is the level at 1 m, at rest and on a walk")
    func oneMetre() {
        #expect(distance_m(0) == 1 && distance_m(0, movement: 1) == 1)
    }

    @Test("Nearer than 1 m it is free space: 6 dB halve the distance")
    func near() {
        for movement in [0, 0.5, 1] { #expect(abs(distance_m(-20, movement: movement) - 0.1) < 1e-9) }
    }

    @Test("At rest the slope breaks at 5 dB, about 2 m: exponent 1.6, then 4")
    func atRest() {
        #expect(abs(distance_m(5) - 2.0535) < 0.0001)
        #expect(abs(distance_m(45) - 20.535) < 0.001)
    }

    @Test("On a walk it breaks at 14 dB, about 7.5 m")
    func walking() {
        #expect(abs(distance_m(14, movement: 1) - 7.4989) < 0.0001)
        #expect(abs(distance_m(54, movement: 1) - 74.989) < 0.001)
    }

    @Test("It neither jumps nor turns back: a weaker signal, or more movement, is never nearer")
    func isMonotonic() {
        for movement in stride(from: 0.0, through: 1, by: 0.1) {
            let distances = stride(from: -60.0, through: 60, by: 0.25).map { distance_m($0, movement: movement) }
            #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 && $1 < $0 * 1.04 + 0.01 })
        }
        for loss_db in stride(from: -20.0, through: 60, by: 1) {
            let distances = stride(from: 0.0, through: 1, by: 0.05).map { distance_m(loss_db, movement: $0) }
            #expect(zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 + 1e-9 })
        }
    }

    @Test("The error is half of the distance at rest and four fifths of it on a walk")
    func error() {
        #expect(DistanceEstimator.error_m(of: 3, movement: 0) == 1.5)
        #expect(DistanceEstimator.error_m(of: 5, movement: 1) == 4)
    }
}
