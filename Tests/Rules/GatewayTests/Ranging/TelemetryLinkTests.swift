import TestAir
import Testing

@testable import Core

@Suite("Telemetry belongs to the beacon with its address")
struct TelemetryLinkTests {
    /// An Eddystone-TLM frame: 2,950 mV and 21.5 °C.
    private static let frame = tlm(2_950, 0x1580)

    /// An encrypted frame of the format (version 0x01).
    private static let encrypted: [UInt8] =
        [0x15, 0x16, 0xAA, 0xFE, 0x20, 0x01] + (1...12).map { UInt8($0) } + [0x01, 0x02, 0x11, 0x12]

    private static func tlm(_ battery_mV: UInt16, _ temperature: UInt16) -> [UInt8] {
        let values = [battery_mV, temperature].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return [0x03, 0x03, 0xAA, 0xFE, 0x11, 0x16, 0xAA, 0xFE, 0x20, 0] + values
            + [0, 0, 0, 1, 0, 0, 0, 10]
    }

    private func air(_ frames: [(address: DeviceAddress, data: [UInt8], t_s: Double)]) -> Air {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), every_s: 1, start_s: 10, end_s: 140)
        for frame in frames { air.report(frame.address, data: frame.data, rssi_dbm: -70, at: frame.t_s) }
        return air
    }

    private func battery(_ air: Air, telemetry: Bool = true) throws -> HeardBeacon.Battery? {
        let list = BeaconListTests.lists(air, telemetry: telemetry, until_s: 150).first
        return try #require(list?.beacons.first).battery
    }

    private func at(_ t_s: Double) -> HeardBeacon.Time { .at(.origin + .seconds(t_s)) }

    @Test("A frame from the beacon's address is the beacon's, with the time of the last one")
    func linked() throws {
        let battery = try #require(
            try self.battery(air([(.fixed(1), Self.frame, 20), (.fixed(1), Self.frame, 30)])))
        #expect(battery.values == Telemetry(format: .eddystoneTLM, battery_mV: 2_950, temperature_cC: 2_150))
        #expect(battery.at == at(30))
    }

    @Test("A frame before the first iBeacon frame counts too")
    func early() throws {
        #expect(try battery(air([(.fixed(1), Self.frame, 5)]))?.at == at(5))
    }

    @Test("A frame that waited for its beacon replaces no later one, and none is used after ten minutes")
    func late() throws {
        var air = air([(.fixed(1), Self.frame, 30), (.fixed(2), Self.tlm(2_000, 0x1580), 5)])
        air.beacon(.beacon(), from: .fixed(2), every_s: 1, start_s: 60, end_s: 140)
        #expect(try battery(air)?.values.battery_mV == 2_950)
        var old = Air()
        old.report(.fixed(1), data: Self.frame, rssi_dbm: -70, at: 1)
        old.beacon(.beacon(), from: .fixed(1), every_s: 1, start_s: 700, end_s: 740)
        let list = BeaconListTests.lists(old, telemetry: true, until_s: 750).last
        #expect(list?.beacons.count == 1 && list?.beacons.first?.battery == nil)
    }

    @Test("A frame from another address belongs to no beacon")
    func otherAddress() throws {
        #expect(try battery(air([(.fixed(2), Self.frame, 20)])) == nil)
    }

    @Test("Without telemetry no frame is read")
    func off() throws {
        #expect(try battery(air([(.fixed(1), Self.frame, 20)]), telemetry: false) == nil)
    }

    @Test("The values stay with the identity when the address changes")
    func rotation() throws {
        var air = Air()
        air.beacon(.beacon(), from: .rotating(1), every_s: 0.2, start_s: 0, end_s: 70)
        air.beacon(.beacon(), from: .rotating(2), every_s: 0.2, start_s: 70.2, end_s: 149)
        air.report(.rotating(1), data: Self.frame, rssi_dbm: -70, at: 60)
        #expect(try battery(air)?.at == at(60))
        air.report(.rotating(2), data: Self.tlm(2_900, 0x1580), rssi_dbm: -70, at: 80)
        #expect(try battery(air)?.values.battery_mV == 2_900)
    }

    @Test("A value that cannot be true replaces no good one; the other values of its frame count")
    func contradictory() throws {
        let battery = try #require(
            try self.battery(air([(.fixed(1), Self.frame, 20), (.fixed(1), Self.tlm(0, 0x1600), 30)])))
        #expect(battery.values.battery_mV == 2_950 && battery.values.temperature_cC == 2_200)
        #expect(battery.at == at(30))
        // A frame without any good value changes nothing.
        let other = try #require(
            try self.battery(air([(.fixed(1), Self.frame, 20), (.fixed(1), Self.tlm(0, 0x8000), 30)])))
        #expect(other.at == at(20))
    }

    @Test("Encrypted and contradictory frames are counted")
    func counted() throws {
        var settings = GatewaySettings.door()
        settings.beacons = BeaconListSettings(readsTelemetry: true, reportInterval: .seconds(150))
        let air = air([
            (.fixed(1), Self.tlm(0, 0x8000), 20), (.fixed(1), Self.tlm(0, 0x1580), 21),
            (.fixed(1), Self.encrypted, 22), (.fixed(1), Self.frame, 23),
        ])
        let gateway = Conversation(settings, air)
        gateway.hear(until_s: 140)
        let figures = try #require(gateway.engine.figures.beaconLists)
        #expect(figures.frames == 4 && figures.contradictory == 2 && figures.encrypted == 1 && figures.listed == 1)
    }

    @Test("Frames of other devices leave room for the beacon's: each address waits once, the latest ones")
    func crowd() throws {
        let others: [(DeviceAddress, [UInt8], Double)] = (UInt64(0)..<1_000).map { number in
            (.fixed(100 + number), Self.frame, 1 + Double(number) * 0.001)
        }
        let (late, early) = (air(others + [(.fixed(1), Self.frame, 9)]), air([(.fixed(1), Self.frame, 0.5)] + others))
        #expect(try battery(late)?.at == at(9))
        #expect(try battery(early) == nil)
    }
}
