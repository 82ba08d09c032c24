import TestAir
import Testing

@testable import Core

@Suite("The beacons in the air")
struct ScanStateTests {
    private func scan(_ toml: String = "") throws -> ScanState {
        ScanState(try Settings.parse(toml).gateway, at: .at(0))
    }

    @Test("Every iBeacon is listed, in any region or none, nearest first")
    func order() throws {
        var scan = try scan()
        for step in 0..<20 {
            let now = Instant.at(Double(step) / 10)
            scan.receive(Air.event(.beacon(1, 1), from: .fixed(1), rssi_dbm: -80).span, at: now)
            scan.receive(Air.event(.beacon(1, 2), from: .fixed(2), rssi_dbm: -50).span, at: now)
            scan.receive(Air.event(.beacon(1, 3), from: .fixed(3), rssi_dbm: -65).span, at: now)
        }
        let snapshot = scan.snapshot(at: .at(2))
        #expect(snapshot.rows.map(\.beacon.identity.minor) == [2, 3, 1])
        #expect(snapshot.beaconCount == 3)
    }

    @Test("A beacon that falls silent is unknown and last after 2 s, and gone after 10")
    func silence() throws {
        var scan = try scan()
        scan.hear(.beacon(1, 1), from: .fixed(1), rssi_dbm: -40, to: 1)
        scan.hear(.beacon(1, 2), from: .fixed(2), rssi_dbm: -90, from: 1, to: 4)
        let silent = scan.snapshot(at: .at(4)).rows
        #expect(silent.map(\.beacon.identity.minor) == [2, 1])
        #expect(silent.last?.beacon.observation.proximity == .unknown)
        #expect(silent.last?.age == .seconds(3))
        #expect(scan.snapshot(at: .at(11.5)).rows.map(\.beacon.identity.minor) == [2])
        #expect(scan.snapshot(at: .at(30)).rows.isEmpty)
    }

    @Test("The rate counts the last five seconds, and falls when the beacon falls silent")
    func rate() throws {
        var scan = try scan()
        scan.hear(.beacon(), to: 9.9)
        #expect(abs(try #require(scan.snapshot(at: .at(10)).rows.first).rate_hz - 10) < 0.5)
        #expect(try #require(scan.snapshot(at: .at(13)).rows.first).rate_hz < 5)
        #expect(try #require(scan.snapshot(at: .at(16)).rows.first).rate_hz == 0)
    }

    @Test("Reports of all devices make the rate of the air, and malformed ones are counted")
    func figures() throws {
        var scan = try scan()
        for step in 0..<100 { scan.receive(Air.otherDevice.span, at: .at(Double(step) / 20)) }
        let cut: [UInt8] = [0x3E, 0x05, 0x02, 0x01, 0x00, 0x00, 0x00]
        scan.receive(cut.span, at: .at(5))
        let snapshot = scan.snapshot(at: .at(5))
        #expect(snapshot.reports == 100)
        #expect(abs(snapshot.reportRate_hz - 20) < 1)
        #expect(snapshot.rejects.total == 1)
        #expect(snapshot.rows.isEmpty)
    }

    @Test("The regions of a beacon are named in their order")
    func regions() throws {
        func region(_ id: String, _ lines: String = "") -> String {
            "[[region]]\nid = \"\(id)\"\nuuid = \"\(Air.uuid)\"\n\(lines)\n"
        }
        let some = region("one", "major = 1") + region("two", "major = 2") + region("m", "major = 1\nminor = 7")
        var scan = try scan(region("all") + some)
        scan.hear(.beacon(1, 7), to: 1)
        #expect(try #require(scan.snapshot(at: .at(1)).rows.first).regions == ["all", "one", "m"])
        var other = try self.scan(region("all"))
        other.hear(.beacon(uuid: ProximityUUID(high: 1, low: 2)), to: 1)
        #expect(try #require(other.snapshot(at: .at(1)).rows.first).regions.isEmpty)
    }

    @Test("A new private address of an identity is resolving and not counted")
    func rotation() throws {
        var scan = try scan()
        scan.hear(.beacon(), from: .rotating(1), to: 5)
        scan.hear(.beacon(), from: .rotating(2), from: 5.1, to: 5.5)
        let snapshot = scan.snapshot(at: .at(5.5))
        #expect(snapshot.beaconCount == 1)
        #expect(snapshot.rows.filter(\.beacon.isResolving).map(\.beacon.address) == [.rotating(2)])
    }

    @Test("Two fixed addresses of one identity that are both alive are duplicates")
    func duplicates() throws {
        var scan = try scan()
        for step in 0..<30 {
            scan.receive(Air.event(.beacon(), from: .fixed(1)).span, at: .at(Double(step) / 10))
            scan.receive(Air.event(.beacon(), from: .fixed(2)).span, at: .at(Double(step) / 10))
        }
        #expect(scan.snapshot(at: .at(3)).rows.map(\.beacon.isDuplicate) == [true, true])
    }

    @Test("The gateway's offset is part of the RSSI")
    func offset() throws {
        var scan = try scan("[radio]\nrssi_offset_db = 5")
        scan.hear(.beacon(), rssi_dbm: -60, to: 1)
        #expect(try #require(scan.snapshot(at: .at(1)).rows.first?.beacon.observation.rssi_dbm) == -55)
    }

    @Test("A full table refuses newcomers and counts them")
    func full() throws {
        var scan = try scan("[radio]\nmax_transmitters = 2\n[[region]]\nid = \"a\"\nuuid = \"\(Air.uuid)\"")
        for minor in 1...3 {
            scan.receive(
                Air.event(.beacon(1, UInt16(minor)), from: .fixed(UInt64(minor))).span, at: .at(0))
        }
        let snapshot = scan.snapshot(at: .at(0))
        #expect(snapshot.rows.count == 2)
        #expect(snapshot.refusedTransmitters == 1)
    }
}
