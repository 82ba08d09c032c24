import Foundation
import TestAir
import Testing

@testable import Core

@Suite("A walk of known distances")
struct WalkFitTests {
    /// Returns the stops of a shop with that path loss, each with a deviation.
    private func stops(
        _ distances: [Double], exponent: Double, excess_db: Double, off_db: [Double] = [0, 0, 0, 0, 0]
    ) -> [WalkStop] {
        zip(distances, off_db).map { distance_m, off_db in
            WalkStop(distance_m: distance_m, loss_db: excess_db + 10 * exponent * log10(distance_m) + off_db)
        }
    }

    @Test("An ordinary shop is found as it is, and its far end is the furthest stop")
    func usual() throws {
        let fit = try WalkFit(stops([1, 2, 4, 7], exponent: 2.2, excess_db: -2))
        #expect(abs(fit.exponent - 2.2) < 1e-9 && abs(fit.excess_db + 2) < 1e-9)
        #expect(fit.room_m == 7 && fit.spread_db < 1e-9)
    }

    @Test("A beacon that is 8 dB weaker than stated is detected, for the most part")
    func weak() throws {
        let fit = try WalkFit(stops([1, 2, 3, 5, 8], exponent: 2.2, excess_db: 8))
        #expect((4...8).contains(fit.excess_db))
    }

    @Test("An exponent is moved towards the measured one, but not all the way")
    func exponent() throws {
        let fit = try WalkFit(stops([1, 2, 4, 8, 14], exponent: 3, excess_db: -1.7))
        #expect((2.3...2.9).contains(fit.exponent))
    }

    @Test("More stops, further apart, lower the uncertainty")
    func certainty() throws {
        let two = try WalkFit(stops([2, 4], exponent: 2.2, excess_db: 0))
        let five = try WalkFit(stops([0.5, 1, 3, 6, 12], exponent: 2.2, excess_db: 0))
        #expect(five.exponentError < two.exponentError && five.excessError_db < two.excessError_db)
        #expect(two.exponentError <= 0.3 && two.excessError_db <= 4)
    }

    @Test("Impossible walks are refused, with a remedy")
    func refusals() {
        #expect(throws: WalkError.stops(1)) { try WalkFit(stops([1], exponent: 2, excess_db: 0)) }
        #expect(throws: WalkError.stops(6)) {
            try WalkFit([WalkStop](repeating: WalkStop(distance_m: 1, loss_db: 0), count: 6))
        }
        #expect(throws: WalkError.distance) { try WalkFit(stops([1, 50], exponent: 2, excess_db: 0)) }
        #expect(throws: WalkError.distance) { try WalkFit(stops([.nan, 1], exponent: 2, excess_db: 0)) }
        #expect(throws: WalkError.tooCloseTogether) { try WalkFit(stops([3, 4, 5], exponent: 2, excess_db: 0)) }
        #expect(throws: WalkError.tooNear) { try WalkFit(stops([0.3, 0.6, 1.2], exponent: 2, excess_db: 0)) }
        #expect(throws: WalkError.self) { try WalkFit(stops([1, 2, 4, 7], exponent: 2.2, excess_db: 25)) }
        #expect(throws: WalkError.self) { try WalkFit(stops([1, 2, 4], exponent: 2, excess_db: 60)) }
    }

    @Test("A beacon that gets hardly weaker with the distance is refused", arguments: [-1, 0, 0.15])
    func flat(exponent: Double) {
        #expect(throws: WalkError.hardlyWeakerFurtherAway) {
            try WalkFit(stops([1, 2, 4, 7], exponent: exponent, excess_db: 5))
        }
        // 5 dB over a factor of 60: an exponent that [distance] does not take.
        #expect(throws: WalkError.hardlyWeakerFurtherAway) {
            try WalkFit([(0.5, -4), (1, -3), (5, -2), (10, -1), (30, 1)].map(WalkStop.init))
        }
        // Equal losses, apart from their last digit.
        for loss_db in [0.1, 14, 17.3] {
            let stops = [1, 2, 3.3, 7].map { WalkStop(distance_m: $0, loss_db: loss_db) }
            #expect(throws: WalkError.hardlyWeakerFurtherAway) { try WalkFit(stops) }
        }
    }

    @Test("An exponent steeper than chance explains is refused, sooner where the stops span more")
    func steep() throws {
        #expect(throws: WalkError.tooSteep(7.8)) { try WalkFit([(1, 0), (10, 78)].map(WalkStop.init)) }
        #expect(throws: WalkError.self) { try WalkFit(stops([1, 2, 4, 7, 10], exponent: 5.4, excess_db: -8)) }
        #expect(throws: WalkError.self) { try WalkFit([(1, 0), (2, 26)].map(WalkStop.init)) }
        // 15 dB between 2 and 4 m are two places that are each off by 5 dB.
        _ = try WalkFit(stops([2, 4], exponent: 5, excess_db: -10))
    }

    @Test("The lines to paste are valid in [distance]")
    func lines() throws {
        let lines = try WalkFit(stops([1, 2, 4, 7], exponent: 2.2, excess_db: -2)).lines
        #expect(
            lines.suffix(5) == [
                "[distance]", "model = \"log\"", "path_loss_exponent = 2.20   # ± 0.27",
                "excess_loss_db = -2.0   # ± 2.3", "room_m = 7.00",
            ])
    }

    @Test(
        "Stops that differ widely cause a warning before the lines to paste; even wider ones are refused")
    func wide() throws {
        let fit = try WalkFit(stops([1, 2, 4, 7], exponent: 2.2, excess_db: 0, off_db: [-9, 9, -9, 9]))
        #expect((8...10).contains(fit.spread_db))
        #expect(fit.lines.first?.contains("Walk again") == true)
        #expect(throws: WalkError.self) {
            try WalkFit(stops([1, 2, 4, 7], exponent: 2.2, excess_db: 0, off_db: [-12, 12, -12, 12]))
        }
    }

    @Test("A stop needs ten readings of one beacon; the gateway's offset counts")
    func stop() throws {
        var calibration = Calibration(BeaconIdentityConstraint(uuid: Air.uuid, major: nil, minor: nil))
        for _ in 0..<9 { calibration.receive(Air.event(.beacon(), rssi_dbm: -70).span) }
        #expect(throws: CalibrationError.tooFew(count: 9, needed: 10)) {
            try calibration.stop(offset_db: 0, distance_m: 2)
        }
        calibration.receive(Air.event(.beacon(), rssi_dbm: -70).span)
        #expect(try calibration.stop(offset_db: -3, distance_m: 2) == WalkStop(distance_m: 2, loss_db: 14))
    }
}
