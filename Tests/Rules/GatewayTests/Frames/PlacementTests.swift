import TestAir
import Testing

@testable import Core

@Suite("The frame is read anywhere in the payload")
struct PlacementTests {
    private static let frame = IBeaconFrame(identity: .beacon(), measuredPower_dbm: -59).encodedStructure
    private static let flags: [UInt8] = [2, 1, 6]
    private static let longer = [frame[0] + 1] + Array(frame.dropFirst()) + [0xAA]
    private var frame: [UInt8] { Self.frame }
    private var flags: [UInt8] { Self.flags }

    private func beacons(legacy data: [UInt8]) -> UInt64 {
        Story.of(event: Air.metaEvent([Air.legacyReport(data: data)])).figures.beacons
    }

    private func story(extended data: [UInt8], eventType: UInt16 = 0) -> Story {
        Story.of(event: Air.metaEvent([Air.extendedReport(eventType: eventType, data: data)], subevent: 0x0D))
    }

    @Test(
        "The place in a legacy PDU does not matter",
        arguments: [
            ("behind Flags, as Apple sends it", flags + frame), ("without Flags", frame),
            ("in front of Flags", frame + flags),
            ("before octets behind the frame in its structure", longer),
        ] as [(String, [UInt8])])
    func legacy(place: String, data: [UInt8]) { #expect(beacons(legacy: data) == 1, "\(place)") }

    @Test(
        "Other structures in front of it do not matter",
        arguments: [
            ("manufacturer-specific data of another company", [4, 0xFF, 0x59, 0x00, 0x01] + frame),
            ("another message of Apple's", [6, 0xFF, 0x4C, 0x00, 0x10, 0x01, 0x07] + frame),
        ] as [(String, [UInt8])])
    func behind(structure: String, data: [UInt8]) {
        #expect(story(extended: data).figures.beacons == 1, "\(structure)")
    }

    @Test("Two frames in one payload are two beacons")
    func twoFrames() {
        let second = IBeaconFrame(identity: .beacon(1, 2), measuredPower_dbm: -59).encodedStructure
        let story = story(extended: frame + second)
        #expect(story.figures.beacons == 2)
        #expect(story.figures.tracks == 2)
    }

    @Test("In a scan response")
    func scanResponse() {
        var report = Air.legacyReport(data: frame)
        report[0] = 0x04
        #expect(Story.of(event: Air.metaEvent([report])).figures.beacons == 1)
    }

    @Test("In an extended report, of an extended PDU and of a legacy one", arguments: [0x0000, 0x0010, 0x0013])
    func extended(eventType: UInt16) {
        #expect(story(extended: flags + frame, eventType: eventType).figures.beacons == 1)
    }

    @Test("In 31 octets, the most of a legacy PDU, in either kind of report")
    func fullData() {
        let data = flags + frame + [0]
        #expect(data.count == 31)
        #expect(beacons(legacy: data) == 1)
        #expect(story(extended: data, eventType: 0x0013).figures.beacons == 1)
    }

    @Test("Several reports in one event are each read, with their own RSSI")
    func severalReports() throws {
        let event = Air.metaEvent([
            Air.legacyReport(.fixed(1), data: flags + frame, rssi: 0xC4),
            Air.legacyReport(.fixed(2), data: flags + frame, rssi: 0xB0),
        ])
        let beacons = try #require(Story.of(event: event).ranging.first?.report.beacons)
        #expect(beacons.map(\.address) == [.fixed(1), .fixed(2)])
        #expect(beacons.map(\.observation.rssi_dbm) == [-60, -80])
    }

    @Test("UUID, major and minor are big-endian, measured power is signed")
    func octetOrder() throws {
        let data: [UInt8] =
            [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + [0x39, 0xED, 0x98, 0xFF, 0x29, 0x00, 0x44, 0x1A]
            + [0x80, 0x2F, 0x9C, 0x39, 0x8F, 0xC1, 0x99, 0xD2] + [0x12, 0x34, 0x56, 0x78, 0xC5]
        let story = Story.of(event: Air.metaEvent([Air.legacyReport(data: data)]))
        let beacon = try #require(story.ranging.first?.report.beacons.first)
        #expect(beacon.identity.uuid.description == "39ED98FF-2900-441A-802F-9C398FC199D2")
        #expect(beacon.identity.major == 0x1234 && beacon.identity.minor == 0x5678)
        #expect(beacon.measuredPower_dbm == -59)
    }

    @Test("Another company, another type or another message is no iBeacon, and no error", arguments: [1, 2, 3, 4, 5])
    func notAnIBeacon(octet: Int) {
        var other = frame
        other[octet] ^= 0x01
        let story = Story.of(event: Air.metaEvent([Air.legacyReport(data: other)]))
        #expect(story.figures.reports == 1 && story.figures.beacons == 0)
        #expect(story.figures.rejects.total == 0)
    }
}
