import TestAir
import Testing

@testable import Core

@Suite("A gateway with two adapters")
struct SeveralAdapterTests {
    /// Returns the ranging of a beacon that adapter n hears every 100 ms for 20 s at `levels[n]`.
    private func ranged(_ radio: String, levels: [Int8]) throws -> (reports: [RangingReport], figures: GatewayFigures) {
        var settings = try Settings.parse("[radio]\n" + radio).gateway
        settings.regions = GatewaySettings.door().regions
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(settings, radioSees: true, at: .origin, outputs: &outputs)
        for step in 0..<200 {
            for (adapter, rssi_dbm) in levels.enumerated() {
                let report = AdvertisingReport(
                    isExtended: false, eventType: 3, address: .fixed(1), rssi_dbm: rssi_dbm)
                let event = AdvertisingReportEncoder.event([(report, Air.payload(.beacon()))])
                let instant = Instant.origin + .milliseconds(Int64(step) * 100) + .milliseconds(Int64(adapter))
                engine.receive(event.span, from: adapter, at: instant, outputs: &outputs)
            }
        }
        engine.advance(through: .origin + .seconds(20), outputs: &outputs)
        let reports = outputs.compactMap { $0.content(RangingReport.self) }
        return (reports, engine.figures)
    }

    @Test("A beacon heard by both adapters is one transmitter and one track, with the RSSI of one adapter")
    func oneTrack() throws {
        let (reports, figures) = try ranged("adapters = [\"hci0\", \"hci1\"]", levels: [-60, -64])
        #expect(figures.tracks == 1)
        #expect(figures.reports == 400, "Each adapter's reports are counted.")
        #expect(reports.holdForAll { $0.count == 1 && $0.beacons.count == 1 })
        let levels = Set(reports.flatMap(\.beacons).compactMap(\.observation.rssi_dbm))
        #expect(levels == [-60])
    }

    @Test("Each adapter's own offset is added before the stronger one is chosen")
    func offsets() throws {
        let (reports, _) = try ranged(
            "adapters = [\"hci0\", { name = \"hci1\", rssi_offset_db = 10 }]", levels: [-60, -62])
        let last = try #require(reports.last?.beacons.first?.observation.rssi_dbm)
        #expect(abs(last - -52) < 1)
    }

    @Test("An event of an adapter that is not configured is ignored")
    func unknownReceiver() throws {
        let (reports, figures) = try ranged("adapter = \"hci0\"", levels: [-60, -40])
        #expect(figures.reports == 200)
        #expect(reports.last?.beacons.first?.observation.rssi_dbm == -60)
    }
}
