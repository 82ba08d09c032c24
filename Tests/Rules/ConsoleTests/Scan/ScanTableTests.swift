import TestAir
import Testing

@testable import Core

@Suite("The table of beacond scan")
struct ScanTableTests {
    private let scanning = ScanStatus(adapters: "hci0 (00:1B:DC:00:00:01)", availability: .scanning)

    /// Returns a snapshot of so many beacons, all heard for two seconds, in regions `shop` and `all of it`.
    private func snapshot(beacons: Int) throws -> ScanSnapshot {
        let region = "[[region]]\nid = \"shop\"\nuuid = \"\(Air.uuid)\"\n"
        var scan = ScanState(
            try Settings.parse(region + region.replacing("shop", with: "storefront")).gateway, at: .at(0))
        for step in 0..<20 {
            for number in 0..<beacons {
                let rssi_dbm = Int8(-50 - number % 40)
                scan.receive(
                    Air.event(
                        .beacon(65535, UInt16(number)), from: .fixed(UInt64(number)), rssi_dbm: rssi_dbm
                    ).span, at: .at(Double(step) / 10))
            }
        }
        return scan.snapshot(at: .at(2))
    }

    private func lines(_ beacons: Int, width: Int = 80, height: Int = 24) throws -> [String] {
        ScanTable.lines(try snapshot(beacons: beacons), scanning, size: .init(width: width, height: height))
    }

    @Test("At 80 columns a row has identity, signal, distance, rate, age, address and regions")
    func row() throws {
        let lines = try lines(1)
        #expect(lines[0] == "hci0 (00:1B:DC:00:00:01): scanning  10 reports/s  1 beacons  0 rejected")
        #expect(lines[1].isEmpty)
        #expect(lines[2] == "UUID      MAJOR MINOR RSSI DIST m PROXIMITY   /s AGE s ADDRESS REGIONS")
        #expect(lines[3] == "39ED98FF… 65535     0  -50   0.48 immediate 10.0   0.1 static  shop storefront")
    }

    @Test("A beacon with an implausible measured power is named, without a distance unless its region gives one")
    func implausiblePower() throws {
        func row(_ key: String) throws -> String {
            let region = "[[region]]\nid = \"shop\"\nuuid = \"\(Air.uuid)\"\n"
            var scan = ScanState(try Settings.parse(region + key).gateway, at: .at(0))
            for step in 0..<20 {
                scan.receive(Air.event(.beacon(1, 1), power_dbm: -3).span, at: .at(Double(step) / 10))
            }
            let snapshot = scan.snapshot(at: .at(2))
            let json = String(decoding: ScanJSON.line(snapshot, scanning, at: WallTime(microseconds: 0)), as: UTF8.self)
            #expect(json.contains(#""measured_power_dbm":-3,"#) && json.contains(#""implausible_power":true"#))
            return ScanTable.lines(snapshot, scanning, size: .init(width: 80, height: 24))[3]
        }
        #expect(try row("").contains(" - unknown "))
        #expect(try row("").hasSuffix(" power -3? shop"))
        #expect(try row("measured_power_dbm = -59").contains(" near "))
        #expect(try row("measured_power_dbm = -59").hasSuffix(" power -3? shop"))
    }

    @Test("Wider windows show the whole UUID, and then the whole address")
    func wide() throws {
        #expect(try lines(1, width: 106)[3].hasPrefix("39ED98FF… "))
        #expect(try lines(1, width: 107)[3].hasPrefix("39ED98FF-2900-441A-802F-9C398FC199D2 "))
        #expect(try lines(1, width: 130)[3].contains(" C0:00:00:00:00:00 static "))
    }

    @Test("No line is wider than the window, and there are no more lines than it has")
    func fits() throws {
        for width in [1, 10, 40, 79, 80, 81, 120, 200] {
            for height in [1, 2, 3, 4, 5, 10, 24] {
                for beacons in [0, 1, 21, 60] {
                    let lines = try lines(beacons, width: width, height: height)
                    #expect(lines.count <= height)
                    #expect(lines.holdForAll { TerminalText.width($0) <= width })
                }
            }
        }
    }

    @Test("Beacons that do not fit are counted in the last line")
    func more() throws {
        let lines = try lines(100)
        #expect(lines.count == 24)
        // Two lines of status, one of titles and the count leave 20.
        #expect(lines.last == "… and 80 more")
        #expect(try self.lines(21).last?.contains(" more") == false)
        #expect(try self.lines(22).last == "… and 2 more")
    }

    @Test("Without a radio the table tells what is missing and the remedy")
    func waiting() throws {
        var status = ScanStatus(adapters: "auto", availability: .absent, remedy: RadioAvailability.absent.remedy)
        status.capture = "capture room.btsnoop: 0 events"
        let text = ScanTable.lines(try snapshot(beacons: 0), status, size: .init(width: 40, height: 24))
        #expect(text[0].hasPrefix("auto: absent"))
        #expect(text.joined(separator: " ").contains(RadioAvailability.absent.remedy))
        #expect(text.contains("capture room.btsnoop: 0 events"))
        #expect(text.last == "waiting")
    }

    @Test("A radio that hears no iBeacon has a line that tells so")
    func quiet() throws {
        #expect(try lines(0).last == "no iBeacon heard")
    }

    @Test("Drops and refusals are shown if there are any")
    func trouble() throws {
        var status = scanning
        status.dropped = 7
        var snapshot = try snapshot(beacons: 0)
        snapshot.refusedTransmitters = 3
        #expect(ScanTable.summary(snapshot, status).hasSuffix("  0 rejected  7 dropped  3 refused"))
        #expect(!ScanTable.summary(try self.snapshot(beacons: 0), scanning).contains("dropped"))
    }

    @Test("A name from the configuration cannot change the terminal")
    func harmless() throws {
        var snapshot = try snapshot(beacons: 1)
        snapshot.rows[0].regions = ["a\u{1B}[2J\u{202E}b"]
        let line = ScanTable.lines(snapshot, scanning, size: .init(width: 120, height: 24))[3]
        #expect(line.hasSuffix("a?[2J?b"))
    }

    @Test("Lines for a file are unabridged")
    func plain() throws {
        let line = try #require(ScanTable.plainLines(try snapshot(beacons: 1)).first)
        #expect(line.hasPrefix("39ED98FF-2900-441A-802F-9C398FC199D2 65535     0  -50"))
        #expect(line.contains("C0:00:00:00:00:00 static"))
        #expect(line.hasSuffix("shop storefront"))
    }

    @Test("One line of JSON has the status and every beacon")
    func json() throws {
        let octets = ScanJSON.line(try snapshot(beacons: 1), scanning, at: .unixEpoch)
        let text = String(decoding: octets, as: UTF8.self)
        #expect(
            text == """
                {"at":"1970-01-01T00:00:00.000Z","adapter":"hci0 (00:1B:DC:00:00:01)","radio":"scanning","remedy":"",\
                "reports":20,"reports_per_s":10,"rejected":0,"dropped":0,"count":1,"beacons":[{"track":1,\
                "uuid":"39ED98FF-2900-441A-802F-9C398FC199D2","major":65535,"minor":0,"proximity":"immediate",\
                "accuracy_m":0.48,"accuracy_error_m":0.23,"rssi_dbm":-50,"measured_power_dbm":-59,"reports_per_s":10,"age_ms":100,\
                "address":"C0:00:00:00:00:00","address_kind":"random_static","rotates":false,\
                "regions":["shop","storefront"]}]}

                """)
    }
}
