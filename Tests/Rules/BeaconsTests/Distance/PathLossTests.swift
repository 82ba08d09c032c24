import TestAir
import Testing

@testable import Core

@Suite("Path loss in a room")
struct PathLossTests {
    private func distance_m(_ loss_db: Double, _ settings: DistanceSettings) -> Double {
        DistanceEstimator(settings).distance_m(rssi_dbm: -59 - loss_db, measuredPower_dbm: -59)
    }

    private func indoor(_ loss_db: Double) -> Double {
        distance_m(
            loss_db,
            DistanceSettings(model: .indoor, pathLossExponent: 4, immediate_m: 0.5, near_m: 4, hysteresis: 0.15))
    }

    private func log(_ loss_db: Double, exponent: Double = 2, excess_db: Double = 0, room_m: Double = 1_000) -> Double {
        distance_m(
            loss_db,
            DistanceSettings(
                model: .log, pathLossExponent: exponent, excessLoss_db: excess_db, room_m: room_m, immediate_m: 0.5,
                near_m: 4, hysteresis: 0.15))
    }

    @Test("Indoors the level of 1 m becomes 1.23 m, and 22 dB are a factor of ten")
    func nearby() {
        #expect(abs(indoor(0) - 1.233) < 0.001)
        #expect(abs(indoor(10) / indoor(-12) - 10) < 1e-9)
    }

    @Test("A signal weaker than at the far end of the room, 7 m, is hardly further: 10 dB are a quarter")
    func beyondTheRoom() {
        #expect(abs(indoor(16.592) - 7) < 0.001)
        #expect(abs(indoor(26.592) / 7 - 1.2589) < 0.001)
    }

    @Test("The distance has no jumps: a weaker signal is always further")
    func isMonotonic() {
        let distances = stride(from: -40.0, through: 60, by: 0.25).map(indoor)
        #expect(zip(distances, distances.dropFirst()).holdForAll { $0 < $1 && $1 < $0 * 1.03 })
    }

    @Test("A measured place has its own exponent, excess and room")
    func measured() {
        #expect(abs(log(20) - 10) < 1e-9)
        #expect(abs(log(23, excess_db: 3) - 10) < 1e-9)
        #expect(abs(log(30, exponent: 3, room_m: 8) - 8 * 1.0692) < 0.001)
    }

    @Test("An impossible room counts as one of a metre", arguments: [-5, 0, 0.2, .nan])
    func noRoom(room_m: Double) {
        #expect((0.01...1_000).contains(log(20, room_m: room_m)))
        #expect(abs(log(-20, room_m: room_m) - 0.1) < 1e-9)
    }
}
