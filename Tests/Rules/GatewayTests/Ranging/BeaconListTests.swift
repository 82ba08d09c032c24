import TestAir
import Testing

@testable import Core

@Suite("[beacons] lists the beacons of the regions")
struct BeaconListTests {
    static let interval_s = 150.0

    /// The lists that a gateway tells while it hears an air, with their times.
    static func lists(
        _ air: Air, telemetry: Bool = false, heard: [HeardBeacon] = [], until_s: Double, isStopped: Bool = false,
        _ change: (inout GatewaySettings) -> Void = { _ in }
    ) -> [(t_s: Double, beacons: [HeardBeacon])] {
        var settings = GatewaySettings.door()
        settings.beacons = BeaconListSettings(readsTelemetry: telemetry, reportInterval: .seconds(interval_s))
        change(&settings)
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(settings, heard: heard, radioSees: true, at: .origin, outputs: &outputs)
        for transmission in air.inOrder {
            engine.receive(transmission.event.span, at: .origin + .seconds(transmission.t_s), outputs: &outputs)
        }
        engine.advance(through: .origin + .seconds(until_s), outputs: &outputs)
        if isStopped { engine.stop(&outputs) }
        return outputs.compactMap { output in
            guard case .message(_, let at) = output, let beacons = output.content(BeaconList.self)?.beacons else {
                return nil
            }
            return ((at - .origin).seconds, beacons)
        }
    }

    private func at(_ t_s: Double) -> HeardBeacon.Time { .at(.origin + .seconds(t_s)) }

    @Test("A list is published every report_interval_s, also an empty one")
    func times() {
        #expect(Self.lists(Air(), until_s: 460).map(\.t_s) == [150, 300, 450])
    }

    @Test("The agent's end tells the list once more")
    func end() {
        let published = Self.lists(Air(), until_s: 460, isStopped: true)
        #expect(published.map(\.t_s) == [150, 300, 450, 460])
    }

    @Test("Without the table there is no list")
    func off() {
        #expect(Self.lists(Air(), until_s: 460, isStopped: true) { $0.beacons = nil }.isEmpty)
    }

    @Test("A beacon is listed with its first and last report, its interval and its median level")
    func entry() throws {
        var air = Air()
        air.beacon(.beacon(1, 7), from: .fixed(1), rssi_dbm: -70, every_s: 1, start_s: 3, end_s: 140)
        let list = try #require(Self.lists(air, until_s: 150).first)
        #expect(
            list.beacons == [
                HeardBeacon(
                    identity: .beacon(1, 7), firstHeard: at(3), lastHeard: at(140), interval_ms: 1_000, rssi_dbm: -70)
            ])
    }

    @Test("The median is that of the samples, so a short near visit does not change it")
    func median() throws {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -80, every_s: 0.5, start_s: 0, end_s: 99)
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -40, every_s: 0.5, start_s: 100, end_s: 130)
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -80, every_s: 0.5, start_s: 131, end_s: 150)
        #expect(try #require(Self.lists(air, until_s: 150).first?.beacons.first).rssi_dbm == -80)
    }

    @Test("A beacon that came and went between two samples is listed too")
    func brief() throws {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -66, every_s: 0.5, start_s: 21, end_s: 22)
        let beacon = try #require(Self.lists(air, until_s: 150).first?.beacons.first)
        #expect(beacon.firstHeard == at(21) && beacon.lastHeard == at(22) && beacon.rssi_dbm == -66)
    }

    @Test("Beacons of no region are not listed")
    func foreign() {
        var air = Air()
        air.beacon(.beacon(uuid: Air.otherUUID), from: .fixed(1), every_s: 1, start_s: 0, end_s: 150)
        #expect(Self.lists(air, until_s: 150).first?.beacons.isEmpty == true)
    }

    @Test("Each identity has one entry: two transmitters of one identity, and one that changes its address")
    func identities() throws {
        var air = Air()
        air.beacon(.beacon(1, 1), from: .fixed(1), every_s: 1, start_s: 0, end_s: 150)
        air.beacon(.beacon(1, 1), from: .fixed(2), every_s: 1, start_s: 0.5, end_s: 120)
        air.beacon(.beacon(1, 2), from: .rotating(3), every_s: 0.2, start_s: 0, end_s: 70)
        air.beacon(.beacon(1, 2), from: .rotating(4), every_s: 0.2, start_s: 70.2, end_s: 149)
        let beacons = try #require(Self.lists(air, until_s: 150).first?.beacons)
        #expect(beacons.map(\.identity) == [.beacon(1, 1), .beacon(1, 2)])
        #expect(beacons.map(\.firstHeard) == [at(0), at(0)])
        #expect(beacons.map(\.lastHeard) == [at(150), at(149)])
    }

    @Test("A beacon leaves the list after ten report intervals in silence, and comes back as a new one")
    func silent() throws {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), every_s: 1, start_s: 0, end_s: 10)
        air.beacon(.beacon(), from: .fixed(1), every_s: 1, start_s: 2_000, end_s: 2_010)
        let published = Self.lists(air, until_s: 2_100)
        let first: [Double] = (1...10).map { Double($0) * 150 }
        #expect(published.filter { !$0.beacons.isEmpty }.map(\.t_s) == first + [2_100])
        #expect(published.last?.beacons.first?.firstHeard == at(2_000))
    }

    @Test("A list goes on after a restart: earlier times stay as they were published")
    func restart() throws {
        let wall = WallTime(microseconds: 1_700_000_000_000_000)
        let stored = [1, 2].map { minor in
            HeardBeacon(
                identity: .beacon(1, UInt16(minor)), firstHeard: .wall(wall), lastHeard: .wall(wall + .seconds(60)),
                interval_ms: 900, rssi_dbm: -77)
        }
        var air = Air()
        air.beacon(.beacon(1, 2), from: .fixed(1), rssi_dbm: -60, every_s: 1, start_s: 1, end_s: 140)
        let published = Self.lists(air, heard: stored, until_s: 1_700)
        let first = try #require(published.first?.beacons)
        #expect(first.first == stored.first)
        #expect(first.last?.firstHeard == .wall(wall) && first.last?.lastHeard == at(140))
        #expect(first.last?.rssi_dbm == -60)
        // The silence of a restored beacon counts from the restart.
        #expect(published.filter { $0.beacons.contains { $0.identity == .beacon(1, 1) } }.last?.t_s == 1_500)
    }

    @Test("A beacon that comes after a flood is listed at once, in the place of a made-up one")
    func newcomer() throws {
        var air = Air()
        // Made-up beacons that two samples meet.
        for number in 0..<6_000 {
            for t_s in [9.0, 19.0] {
                air.beacon(
                    .beacon(1, UInt16(number)), from: .fixed(UInt64(1_000 + number)), at: t_s + Double(number) * 0.0001)
            }
        }
        air.beacon(.beacon(9, 9), from: .fixed(9), every_s: 1, start_s: 60, end_s: 290)
        let published = Self.lists(air, until_s: 300) { settings in settings.tracker.maxTransmitters = 20_000 }
        #expect(published.count == 2)
        #expect(published.allSatisfy { $0.beacons.contains { $0.identity == .beacon(9, 9) } })
    }

    @Test("A flood of made-up beacons fills the list, but does not displace a beacon that stays")
    func flood() throws {
        var air = Air()
        // One that is heard rarely, and made-up ones that are heard after it.
        air.beacon(.beacon(9, 9), from: .fixed(9), every_s: 9, start_s: 0, end_s: 140)
        for number in 0..<6_000 {
            air.beacon(
                .beacon(1, UInt16(number)), from: .fixed(UInt64(1_000 + number)), at: 141 + Double(number) * 0.0015)
        }
        let published = Self.lists(air, until_s: 300) { settings in settings.tracker.maxTransmitters = 20_000 }
        #expect(published.allSatisfy { $0.beacons.count <= BeaconRegister.maxBeacons })
        #expect(published.first?.beacons.count == BeaconRegister.maxBeacons)
        #expect(published.allSatisfy { $0.beacons.contains { $0.identity == .beacon(9, 9) } })
    }
}
