import TestAir
import Testing

@testable import Core

@Suite("Measuring a beacon at a known distance")
struct CalibrationTests {
    private let target = BeaconIdentityConstraint(uuid: Air.uuid, major: nil, minor: nil)

    private func calibration(_ readings: [Int8], of target: BeaconIdentityConstraint? = nil) -> Calibration {
        var calibration = Calibration(target ?? self.target)
        for rssi_dbm in readings { calibration.receive(Air.event(.beacon(), rssi_dbm: rssi_dbm).span) }
        return calibration
    }

    private func result(
        _ calibration: Calibration, offset_db: Double = 0, distance_m: Double = 1
    ) throws -> CalibrationResult {
        try calibration.result(offset_db: offset_db, distance_m: distance_m, exponent: 2.5)
    }

    @Test("At one metre the measured power is the median, even with a few outliers")
    func median() throws {
        let readings = [Int8](repeating: -63, count: 20) + [Int8](repeating: -64, count: 10) + [-20, -110]
        let result = try result(calibration(readings))
        #expect(result.measuredPower_dbm == -63)
        #expect(result.readings.count == 32)
        // The beacon states -59, so this gateway hears it 4 dB too weak.
        #expect(result.statedPower_dbm == -59)
        #expect(result.rssiOffset_db == 4)
    }

    @Test("At another distance the path loss to one metre is added back")
    func distance() throws {
        let result = try result(calibration(.init(repeating: -73, count: 30)), distance_m: 10)
        #expect(result.measuredPower_dbm == -48)
        #expect(result.rssiOffset_db == -11)
    }

    @Test("The present offset counts for the beacon's power, and not for the new offset")
    func offset() throws {
        let result = try result(calibration(.init(repeating: -65, count: 30)), offset_db: 3)
        #expect(result.measuredPower_dbm == -62)
        #expect(result.rssiOffset_db == 6)
    }

    @Test("Too few readings give no result but their number")
    func tooFew() {
        #expect(throws: CalibrationError.tooFew(count: 19, needed: 20)) {
            try result(calibration(.init(repeating: -60, count: 19)))
        }
        #expect(throws: CalibrationError.tooFew(count: 0, needed: 20)) { try result(calibration([])) }
        #expect(throws: Never.self) { try result(calibration(.init(repeating: -60, count: 20))) }
    }

    @Test("Reports without an RSSI are no readings")
    func withoutRSSI() {
        var calibration = calibration([])
        for _ in 0..<50 { calibration.receive(Air.event(.beacon(), rssi_dbm: nil).span) }
        #expect(throws: CalibrationError.tooFew(count: 0, needed: 20)) { try result(calibration) }
    }

    @Test("Two beacons of the UUID are refused until one is chosen")
    func several() throws {
        func both(_ target: BeaconIdentityConstraint) -> Calibration {
            var calibration = calibration(.init(repeating: -60, count: 30), of: target)
            for _ in 0..<30 {
                calibration.receive(Air.event(.beacon(2, 5), from: .fixed(2), rssi_dbm: -80).span)
            }
            return calibration
        }
        #expect(throws: CalibrationError.severalBeacons([.beacon(1, 1), .beacon(2, 5)])) {
            try result(both(target))
        }
        let named = BeaconIdentityConstraint(uuid: Air.uuid, major: 2, minor: 5)
        #expect(try result(both(named)).measuredPower_dbm == -80)
    }

    @Test("Two transmitters of one identity are refused; a phone that changes its address is one")
    func clones() throws {
        var clones = calibration(.init(repeating: -60, count: 30))
        clones.receive(Air.event(.beacon(), from: .fixed(9)).span)
        #expect(throws: CalibrationError.severalTransmitters(.beacon(), count: 2)) { try result(clones) }
        var phone = Calibration(target)
        for number in 0..<30 {
            phone.receive(Air.event(.beacon(), from: .rotating(UInt64(number / 15)), rssi_dbm: -70).span)
        }
        #expect(try result(phone).measuredPower_dbm == -70)
    }

    @Test("Other beacons and malformed events are no readings")
    func others() {
        var calibration = calibration([])
        calibration.receive(Air.event(.beacon(uuid: ProximityUUID(high: 1, low: 1))).span)
        calibration.receive(Air.otherDevice.span)
        let cut: [UInt8] = [0x3E, 0x05, 0x02, 0x01, 0x00, 0x00, 0x00]
        calibration.receive(cut.span)
        #expect(calibration.statistics == nil)
    }

    @Test("An offset beyond what the configuration allows is not recommended")
    func offsetBeyond() throws {
        let result = try result(calibration(.init(repeating: -110, count: 30)))
        #expect(!result.isOffsetAllowed)
        let lines = CalibrationReport.lines(result, distance_m: 1, presentOffset_db: 0)
        #expect(!lines.joined().contains("under [radio]"))
        #expect(lines.joined().contains("51.0 dB"))
    }

    @Test("A beacon that states an implausible measured power corrects its region and no gateway, and cannot be walked")
    func implausiblePower() throws {
        var calibration = Calibration(target)
        for _ in 0..<30 { calibration.receive(Air.event(.beacon(), rssi_dbm: -63, power_dbm: -3).span) }
        #expect(
            CalibrationReport.lines(try result(calibration), distance_m: 1, presentOffset_db: 0).suffix(2) == [
                "Either the beacon: set its measured power to -63 dBm; it says -3",
                "or its region:      measured_power_dbm = -63   in its [[region]], because -3 dBm cannot be",
            ])
        #expect(throws: CalibrationError.implausiblePower(.beacon(), -3)) {
            try calibration.stop(offset_db: 0, distance_m: 1)
        }
    }

    @Test("The report names both numbers and where they go")
    func report() throws {
        let result = try result(calibration(.init(repeating: -63, count: 100)))
        #expect(
            CalibrationReport.lines(result, distance_m: 1, presentOffset_db: 0) == [
                "39ED98FF-2900-441A-802F-9C398FC199D2 major 1 minor 1 at 1.00 m",
                "100 readings, median -63.0 dBm, σ 0.3 dB, median ± 0.0 dB",
                "",
                "Either the beacon: set its measured power to -63 dBm; it says -59",
                "or this gateway:   rssi_offset_db = 4.0   under [radio] in config.toml; it is 0.0",
            ])
    }

    @Test("A wide spread is pointed out")
    func spread() throws {
        let wide = try result(calibration((0..<100).map { Int8(-70 + $0 % 20) }))
        #expect(!wide.isQuiet)
        #expect(CalibrationReport.lines(wide, distance_m: 1, presentOffset_db: 0).last?.contains("again") == true)
    }
}

@Suite("Median and spread")
struct SampleStatisticsTests {
    @Test("The median of an even number of readings lies between the middle two")
    func median() throws {
        #expect(try #require(SampleStatistics([3, 1, 2])).median == 2)
        #expect(try #require(SampleStatistics([4, 1, 2, 3])).median == 2.5)
        #expect(SampleStatistics([]) == nil)
    }

    @Test("For normally distributed readings σ is their standard deviation")
    func sigma() throws {
        // Quantiles of a normal distribution with σ = 4.
        let readings = (1..<1_000).map { -60 + 4 * NormalQuantile.value(Double($0) / 1_000) }
        let statistics = try #require(SampleStatistics(readings))
        #expect(abs(statistics.median + 60) < 0.01)
        #expect(abs(statistics.sigma - 4) < 0.1)
    }

    @Test("Equal readings still have the uncertainty of rounding")
    func rounding() throws {
        let statistics = try #require(SampleStatistics([Double](repeating: -60, count: 100)))
        #expect(abs(statistics.sigma - 0.289) < 0.001)
        #expect(abs(statistics.standardError - 0.036) < 0.001)
    }
}

/// The inverse of the normal distribution, by bisection of its integral.
enum NormalQuantile {
    static func value(_ probability: Double) -> Double {
        var (low, high) = (-6.0, 6.0)
        for _ in 0..<40 {
            let middle = (low + high) / 2
            if integral(to: middle) < probability { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// Simpson's rule from −6, where the rest is negligible.
    private static func integral(to end: Double) -> Double {
        let steps = 200
        let width = (end + 6) / Double(steps)
        let sum = (0...steps).reduce(0.0) { sum, step in
            let weight = step == 0 || step == steps ? 1.0 : step % 2 == 1 ? 4 : 2
            return sum + weight * density(-6 + Double(step) * width)
        }
        return sum * width / 3
    }

    private static func density(_ x: Double) -> Double {
        // e^(−x²/2) as a limit, exact enough for the test.
        var base = 1 - x * x / 2 / 65_536
        for _ in 0..<16 { base *= base }
        return base / 2.506_628_274_631
    }
}
