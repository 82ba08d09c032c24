import TestAir
import Testing

@testable import Core

@Suite("A ranging list: nearest first, unknown last, tracks counted")
struct ListTests {
    private let settings = GatewaySettings.door { settings, _ in
        settings.tracker.distanceFilter = FilterSettings(kind: .none, timeConstant_s: 1)
        settings.ranging.mode = .interval
    }

    @Test("Nearest first by distance, not by RSSI, and unknown last")
    func order() throws {
        var air = Air()
        air.beacon(.beacon(1, 1), from: .fixed(1), rssi_dbm: -50, power_dbm: -40, at: 0)
        air.beacon(.beacon(1, 2), from: .fixed(2), rssi_dbm: -60, power_dbm: -70, at: 0)
        air.beacon(.beacon(1, 3), from: .fixed(3), rssi_dbm: nil, at: 0)
        air.beacon(.beacon(1, 4), from: .fixed(4), rssi_dbm: -90, at: 0)
        let report = try #require(Story(settings, air).ranging.first?.report)
        #expect(report.beacons.map(\.identity.minor) == [2, 1, 4, 3])
        #expect(report.count == 4)
    }

    @Test("Equally near beacons are in the order of their tracks")
    func ties() throws {
        var air = Air()
        for number in 1...30 { air.beacon(.beacon(1, UInt16(31 - number)), from: .fixed(UInt64(number)), at: 0) }
        let report = try #require(Story(settings, air).ranging.first?.report)
        #expect(report.beacons.map(\.track) == Array(1...30))
    }

    @Test("accuracy is −1 exactly when proximity is unknown")
    func accuracy() {
        var air = Air(othersUntil_s: 40)
        for number in 1...20 {
            air.beacon(
                .beacon(1, UInt16(number)), from: .rotating(UInt64(number)),
                rssi_dbm: number % 4 == 0 ? nil : -20 - Int8(number * 5),
                every_s: Double(number) * 0.3, start_s: Double(number) * 0.5, end_s: Double(number) * 1.5)
        }
        let beacons = Story(settings, air).ranging.flatMap(\.report.beacons)
        #expect(beacons.contains { $0.observation.proximity == .unknown })
        #expect(beacons.contains { $0.observation.proximity != .unknown })
        #expect(beacons.holdForAll { ($0.observation.accuracy_m == -1) == ($0.observation.proximity == .unknown) })
        #expect(beacons.holdForAll { $0.observation.accuracy_m == -1 || $0.observation.accuracy_m >= 0 })
    }

    @Test("A resolving beacon is shown and not counted")
    func resolving() {
        var air = Air(othersUntil_s: 20)
        air.beacon(.beacon(), from: .rotating(1), start_s: 2, end_s: 10)
        air.beacon(.beacon(), from: .rotating(2), start_s: 10.2, end_s: 20)
        let reports = Story(settings, air).ranging.map(\.report)
        #expect(reports.contains { $0.beacons.count == 2 && $0.beacons.contains(where: \.isResolving) })
        #expect(reports.holdForAll { $0.count == 1 })
    }

    @Test("Three clones are three tracks, each flagged duplicate; the region's other beacons are not")
    func clones() throws {
        var air = Air()
        for number in 1...3 {
            air.beacon(.beacon(1, 1), from: .fixed(UInt64(number)), start_s: 1 + Double(number), end_s: 10)
        }
        air.beacon(.beacon(1, 2), from: .fixed(9), start_s: 2, end_s: 10)
        let report = try #require(Story(settings, air).ranging.last?.report)
        #expect(report.count == 4)
        #expect(report.beacons.filter(\.isDuplicate).map(\.address.bits).map { $0 & 0xFF }.sorted() == [1, 2, 3])
    }

    @Test("At a threshold a beacon does not flicker")
    func hysteresis() {
        var air = Air()
        // −70 and −71 dBm are 3.78 and 4.19 m: on both sides of 4 m, within its hysteresis.
        for step in 0..<200 {
            air.beacon(.beacon(), from: .fixed(1), rssi_dbm: step % 2 == 0 ? -70 : -71, at: 1 + Double(step) * 0.7)
        }
        let proximities = Story(settings, air).ranging.flatMap { $0.report.beacons.map(\.observation.proximity) }
        #expect(Set(proximities) == [.near])
    }
}
