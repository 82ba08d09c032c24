import TestAir
import Testing

@testable import Core

@Suite("Telemetry is found in any packet, and no packet traps its reader")
struct TelemetryFrameTests {
    private static let encryptedFrames = [
        "1516AAFE20010102030405060708090A0B0C01021112", "1216D2FC41A47266C95F730011223378237214",
        "1816D2FC43A5808FE64854F196C06FFB4900112233F08ECBDE",
    ].map(octets)

    private static let plainFrames = [
        "1116AAFE20000B8615800000006400000258", "0C16D2FC4001570266080C860B",
        "1316D2FC4002660853024F4B5401AA0C860B640A",
        "0E16D2FC42B2188D38C1A401570501", "04160F1857", "1016E1FFA1015715803200AABBCCDDEEFF",
        "1316E1FFA10864001302E4CDAB504C5553303031", "0B166AFE03020C5703138015", "0F166AFE0206010F6404616263646566",
        "1B166AFE03050610FE208D041100FFFF041600FFFF03139F17021231",
    ].map(octets)

    private static let beacon = IBeaconFrame(
        identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 1, minor: 7), measuredPower_dbm: -59
    ).encodedStructure

    // Google's document; sz33psz/kontakt-beacon-parser, parser_test.go; bthome-ble, tests/test_parser_v2.py, without
    // and with an address.
    @Test(
        "An encrypted frame is reported as such, without a value",
        arguments: [
            ("1516AAFE20010102030405060708090A0B0C01021112", .eddystoneTLM),
            ("1216D2FC41A47266C95F730011223378237214", .bthome),
            ("1816D2FC43A5808FE64854F196C06FFB4900112233F08ECBDE", .bthome),
        ] as [(String, TelemetryFormat)])
    func encrypted(text: String, format: TelemetryFormat) {
        #expect(telemetry(in: octets(text)) == [.encrypted(format)])
    }

    @Test(
        "Other frames of the same UUIDs are no telemetry",
        arguments: [
            // Eddystone-UID, URL and ephemeral identifier; a later version of TLM.
            "AAFE0004010203040506070809000102030405060000", "AAFE100403746573740C", "AAFE30045152535455565758",
            "AAFE20020B8615800000006400000258",
            // Eddystone-TLM, plain and encrypted, of other lengths.
            "AAFE20000B861580000000640000025800", "AAFE20000B86158000000064000002",
            "AAFE20010102030405060708090A0B0C010211", "AAFE20010102030405060708090A0B0C0102111200",
            // BTHome of versions 1 and 7, only pressure, only an unknown object, too short for encryption.
            "D2FC200157", "D2FCE00157", "D2FC4004138A01", "D2FC40FECA09", "D2FC40", "D2FC41010203040506070809",
            "D2FC43AABBCCDDEEFF010203040506070809",
            // A longer Battery Service; Minew's kind 0x20 and another maker's module; Kontakt.io's location.
            "0F185700", "0F18", "E1FFA1205A01AABBCCDDEEFF", "E1FF4100000057", "6AFE05F4250A01414243444546",
            // Minew's kinds of other lengths than published.
            "E1FFA1015715803200AABBCCDDEE", "E1FFA1015715803200AABBCCDDEEFF00", "E1FFA1024501AABBCCDDEE",
            "E1FFA1034AFFE7004500FA55DABA50E1", "E1FFA10864AABBCCDDEE", "E1FFA1185500000000AABBCCDDEEFF",
            // Kontakt.io: only light, no field, a field without identifier, one that runs past the end.
            "6AFE03020A64", "6AFE03", "6AFE0300020C57", "6AFE03030C57",
            // Environmental sensing, and a UUID with its octets the other way round.
            "1A18E803", "FEAA20000B8615800000006400000258",
        ])
    func others(text: String) {
        #expect(telemetry(in: serviceData(text)) == [])
    }

    @Test("Only service data with 16-bit UUIDs is read")
    func type() {
        for type in UInt8.min...UInt8.max where type != 0x16 {
            #expect(telemetry(in: [4, type] + octets("0F1857")) == [])
        }
    }

    @Test("An object that BTHome's reader does not know ends the frame, and what came before stays")
    func unknownObject() {
        // bthome-ble, tests/test_parser_v2.py.
        #expect(telemetry(in: serviceData("D2FC40 015D FE 5D09 03B718")) == [good(.bthome, percent: 93)])
        #expect(telemetry(in: serviceData("D2FC40 0157 FE 026608")) == [good(.bthome, percent: 87)])
        #expect(telemetry(in: serviceData("D2FC40 0157 0266")) == [good(.bthome, percent: 87)])
    }

    /// The lengths of the document's tables for 0x00 to 0x6F, a row for 16 identifiers. 0 stands for an unknown
    /// object. Texts and raw octets (0x53, 0x54) have lengths of their own.
    private static let lengths = [
        "1122332221332221", "1122211111111111", "1111111111111111", "0000000000102242",
        "2232221222234444", "4220042111244222", "1244100000000000",
    ].joined().compactMap(\.wholeNumberValue)

    @Test("Each known object of BTHome is skipped by its length")
    func lengths() {
        #expect(Self.lengths.count == 112)
        let known = Dictionary(uniqueKeysWithValues: Self.lengths.enumerated().map { (UInt8($0), $1) })
            .merging([0xF0: 2, 0xF1: 4, 0xF2: 3]) { $1 }
        for id in UInt8.min...UInt8.max where id != 0x53 && id != 0x54 {
            let length = known[id] ?? 0
            // The charge behind the object is read only where the length is right.
            let object = [id] + [UInt8](repeating: 0xFE, count: length) + [0x01, 87]
            let found = telemetry(in: [UInt8(object.count + 4), 0x16, 0xD2, 0xFC, 0x40] + object).first
            let percent: UInt8? = if case .values(let values, _)? = found { values.battery_percent } else { nil }
            #expect(percent == (length == 0 ? nil : 87), "object \(id)")
        }
    }

    @Test("Texts and raw octets of BTHome are skipped by the length that they have themselves")
    func texts() {
        #expect(telemetry(in: serviceData("D2FC40 5302 4F4B 5400 5403 010203 0157")) == [good(.bthome, percent: 87)])
        #expect(telemetry(in: serviceData("D2FC40 0157 53")) == [good(.bthome, percent: 87)])
        #expect(telemetry(in: serviceData("D2FC40 0157 53FF 4F4B")) == [good(.bthome, percent: 87)])
    }

    @Test("A packet may hold an iBeacon frame and several frames of telemetry; each is read once, in order")
    func several() {
        let data = [2, 1, 6] + Self.beacon + octets("04160F1857") + octets("0B166AFE03020C5703138015")
        #expect(telemetry(in: data) == [good(.batteryService, percent: 87), good(.kontakt, percent: 87, cC: 2_150)])
        var beacons = 0
        var rejects = RejectCounts()
        let report = AdvertisingReport(
            isExtended: true, eventType: 0, address: DeviceAddress(bits: 1, type: .random), rssi_dbm: -60)
        IBeaconFrame.forEach(in: report, data.span, rejects: &rejects) { _ in beacons += 1 }
        #expect(beacons == 1)
        #expect(rejects == RejectCounts())
    }

    @Test("Cut anywhere, a packet gives the frames before the cut", arguments: plainFrames + encryptedFrames)
    func truncatedPacket(frame: [UInt8]) {
        let before = octets("04160F1822")
        let whole = telemetry(in: before + frame)
        #expect(whole.count == 2)
        for length in frame.indices {
            #expect(telemetry(in: before + frame.prefix(length)) == Array(whole.prefix(1)))
        }
    }

    @Test("A frame that is sent too short has no other values", arguments: plainFrames + encryptedFrames)
    func shortFrame(frame: [UInt8]) throws {
        let whole = try #require(telemetry(in: frame).first)
        for length in 2..<frame.count {
            let found = telemetry(in: [UInt8(length - 1)] + frame[1..<length])
            #expect(found.count <= 1)
            guard case .values(let values, false)? = found.first, case .values(let all, false) = whole else {
                #expect(found.isEmpty || found == [whole])
                continue
            }
            #expect(values.battery_percent == nil || values.battery_percent == all.battery_percent)
            #expect(values.battery_mV == nil || values.battery_mV == all.battery_mV)
            #expect(values.temperature_cC == nil || values.temperature_cC == all.temperature_cC)
        }
    }

    @Test("Mutated frames give plausible values or none", arguments: plainFrames)
    func mutation(frame: [UInt8]) {
        var generator = SeededGenerator(seed: 1)
        var found = 0
        for _ in 0..<2_000 {
            var data = frame
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                data[Int.random(in: data.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            for case .values(let values, _) in telemetry(in: data) {
                found += 1
                #expect((values.battery_percent ?? 0) <= 100)
                #expect(values.battery_mV.map { (800...6_600).contains($0) } ?? true)
                #expect(values.temperature_cC.map { (-6_000...12_500).contains($0) } ?? true)
            }
        }
        #expect(found > 0)
    }

    @Test("A reading fits in 12 octets, so that each transmitter can hold one")
    func size() {
        #expect(MemoryLayout<Telemetry>.stride <= 12)
    }
}
