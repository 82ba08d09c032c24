import TestAir
import Testing

@testable import Core

@Suite("Malformed parts are counted and skipped, and the parts beside them are kept")
struct MalformedTests {
    private let frame = IBeaconFrame(identity: .beacon(), measuredPower_dbm: -59).encodedStructure

    private func legacy(_ reports: [[UInt8]], count: UInt8? = nil) -> Story {
        Story.of(event: Air.metaEvent(reports, count: count))
    }

    private func beacon(_ number: UInt64) -> [UInt8] { Air.legacyReport(.fixed(number), data: frame) }

    @Test("A structure that runs past the payload is dropped, not clamped")
    func overrun() {
        var overrunning = frame
        overrunning[0] += 1
        let story = legacy([Air.legacyReport(data: overrunning)])
        #expect(story.figures.beacons == 0)
        #expect(story.rejected(.overrunningStructure) == 1)
    }

    @Test("The frame before an overrunning structure is kept")
    func frameBeforeOverrun() {
        let story = legacy([Air.legacyReport(data: frame + [9, 0x09, 0x41])])
        #expect(story.figures.beacons == 1)
        #expect(story.rejected(.overrunningStructure) == 1)
    }

    @Test("A structure of length zero ends the payload early, and is no error")
    func zeroLength() {
        let story = legacy([Air.legacyReport(data: [2, 1, 6, 0] + frame)])
        #expect(story.figures.beacons == 0)
        #expect(story.figures.rejects.total == 0)
        #expect(legacy([Air.legacyReport(data: frame + [0, 0, 0])]).figures.beacons == 1)
    }

    @Test("A structure with a type and no data is skipped")
    func emptyStructure() { #expect(legacy([Air.legacyReport(data: [1, 0xFF] + frame)]).figures.beacons == 1) }

    @Test("An iBeacon that is too short is counted", arguments: 0..<21)
    func tooShort(octets: Int) {
        let short = [UInt8(5 + octets)] + frame[1..<6 + octets]
        let story = legacy([Air.legacyReport(data: short), beacon(2)])
        #expect(story.figures.beacons == 1)
        #expect(story.rejected(.truncatedBeacon) == 1)
    }

    @Test("A legacy report with more than 31 data octets is skipped; the event goes on where its lengths still fit")
    func oversizedLegacyData() {
        let oversized = Air.legacyReport(.fixed(2), data: frame + [5, 0x09, 0x41, 0x42, 0x43, 0x44])
        let story = legacy([beacon(1), oversized, beacon(3)])
        #expect(story.figures.reports == 2)
        #expect(story.figures.beacons == 2)
        #expect(story.rejected(.oversizedData) == 1)
    }

    @Test("A data length beyond the event costs that report and those behind it, not those before")
    func overlongDataLength() {
        let lying = Air.legacyReport(.fixed(2), data: frame, length: 200)
        let story = legacy([beacon(1), lying, beacon(3)])
        #expect(story.figures.beacons == 1)
        #expect(story.rejected(.truncatedReport) == 1)
    }

    @Test("Announced reports that are missing are counted once", arguments: [3, 255])
    func tooManyAnnounced(count: UInt8) {
        let story = legacy([beacon(1), beacon(2)], count: count)
        #expect(story.figures.beacons == 2)
        #expect(story.rejected(.truncatedReport) == 1)
    }

    @Test("Reports beyond those announced are not read")
    func tooFewAnnounced() { #expect(legacy([beacon(1), beacon(2)], count: 1).figures.beacons == 1) }

    @Test("An event that announces no report is counted")
    func noReports() { #expect(legacy([], count: 0).rejected(.noReports) == 1) }

    @Test("An unknown address type costs its report only", arguments: [0x04, 0x7F, 0xFE, 0xFF])
    func unknownAddressType(type: UInt8) {
        let story = legacy([beacon(1), Air.legacyReport(.fixed(2), type: type, data: frame), beacon(3)])
        #expect(story.figures.beacons == 2)
        #expect(story.rejected(.unknownAddressType) == 1)
    }

    @Test("Octets behind the announced length of an event are not part of it")
    func octetsBehindTheEvent() {
        var event = Air.metaEvent([beacon(1), beacon(2)])
        event[1] -= 20
        #expect(Story.of(event: event).figures.beacons == 1)
    }

    @Test("An event cut short keeps the reports before the cut", arguments: 0..<74)
    func cutEvent(count: Int) {
        let event = Air.metaEvent([beacon(1), beacon(2)])
        let reportLength = 9 + frame.count + 1
        #expect(event.count == 4 + 2 * reportLength)
        let story = Story.of(event: Array(event.prefix(count)))
        #expect(story.figures.beacons == UInt64(max(0, count - 4) / reportLength))
    }

    @Test("Other events and subevents are ignored without an error")
    func otherEvents() {
        for event: [UInt8] in [[], [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00], [0x3E], [0x3E, 0x02, 0x01, 0x00]] {
            #expect(Story.of(event: event).figures.rejects.total == 0)
        }
    }
}

@Suite("RSSI 127 proves presence and feeds no filter")
struct StrengthTests {
    private func story(_ strengths: [Int8?], _ settings: GatewaySettings = .door()) -> Story {
        var air = Air()
        for (index, strength) in strengths.enumerated() {
            air.beacon(.beacon(), from: .fixed(1), rssi_dbm: strength, at: 1 + Double(index) * 0.1)
        }
        return Story(settings, air)
    }

    @Test("A beacon without any RSSI is present, with proximity unknown")
    func onlyNotAvailable() throws {
        let story = story([nil, nil])
        #expect(story.events == ["enter door 1.0"])
        let beacon = try #require(story.ranging.first?.report.beacons.first)
        #expect(beacon.observation.rssi_dbm == nil)
        #expect(beacon.observation.proximity == .unknown && beacon.observation.accuracy_m == -1)
    }

    @Test("A beacon without any RSSI enters only where entry_rssi_dbm is −127")
    func entersOnlyWhereAnyStrengthDoes() {
        let settings = GatewaySettings.door { _, region in region.rules.entryRSSI_dbm = -126 }
        #expect(story([nil, nil], settings).events == [])
    }

    @Test("A report without an RSSI does not move the smoothed level")
    func feedsNoFilter() throws {
        let settings = GatewaySettings.door { settings, _ in settings.ranging.mode = .interval }
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: -60, at: 1)
        air.beacon(.beacon(), from: .fixed(1), rssi_dbm: nil, every_s: 0.1, start_s: 1.1, end_s: 4)
        let beacon = try #require(Story(settings, air).ranging.last?.report.beacons.first)
        #expect(beacon.observation.rssi_dbm == -60)
        #expect(beacon.observation.proximity != .unknown)
    }

    @Test("A strength that the specification does not allow counts as not available", arguments: [0x80, 21, 126, 127])
    func impossibleStrength(octet: UInt8) throws {
        let event = Air.metaEvent([Air.legacyReport(data: Air.payload(.beacon()), rssi: octet)])
        let beacon = try #require(Story.of(event: event).ranging.first?.report.beacons.first)
        #expect(beacon.observation.rssi_dbm == nil)
    }

    @Test("The gateway's offset is added before smoothing and is part of rssi_dbm")
    func offset() throws {
        let settings = GatewaySettings.door { settings, _ in settings.adapters[0].rssiOffset_db = 7 }
        let beacon = try #require(story([-60], settings).ranging.first?.report.beacons.first)
        #expect(beacon.observation.rssi_dbm == -53)
    }

    @Test("The offset keeps an RSSI within its range")
    func offsetIsClamped() throws {
        let settings = GatewaySettings.door { settings, _ in settings.adapters[0].rssiOffset_db = -40 }
        let beacon = try #require(story([-120], settings).ranging.first?.report.beacons.first)
        #expect(beacon.observation.rssi_dbm == -127)
    }
}
