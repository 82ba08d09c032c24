import TestAir
import Testing

@testable import Core

@Suite("Extended data in pieces is joined first")
struct FragmentTests {
    private let more: UInt16 = 0b01 << 5
    private let truncated: UInt16 = 0b10 << 5
    private let data = Air.payload(.beacon())

    private func event(
        _ status: UInt16, _ data: some Sequence<UInt8>, from address: DeviceAddress = .fixed(1), sid: UInt8 = 1
    ) -> [UInt8] {
        Air.metaEvent([Air.extendedReport(address, eventType: status, sid: sid, data: Array(data))], subevent: 0x0D)
    }

    private func story(_ events: [[UInt8]]) -> Story {
        var air = Air()
        for (index, event) in events.enumerated() { air.event(event, at: 1 + Double(index) * 0.01) }
        return Story(.door(), air)
    }

    @Test("Cut anywhere, the frame is read once", arguments: 1..<29)
    func cutAnywhere(at place: Int) {
        let story = story([event(more, data.prefix(place)), event(0, data.dropFirst(place))])
        #expect(story.figures.beacons == 1)
        #expect(story.figures.rejects.total == 0)
    }

    @Test("Pieces of two advertisers and two sets may be mixed")
    func mixed() {
        let pieces = [
            event(more, data.prefix(9), from: .fixed(1), sid: 1), event(more, data.prefix(20), from: .fixed(2), sid: 1),
            event(more, data.prefix(3), from: .fixed(1), sid: 2), event(0, data.dropFirst(20), from: .fixed(2), sid: 1),
            event(0, data.dropFirst(3), from: .fixed(1), sid: 2), event(0, data.dropFirst(9), from: .fixed(1), sid: 1),
        ]
        #expect(story(pieces).figures.beacons == 3)
    }

    @Test("Data that the controller truncated is read up to the cut, and counts as no error")
    func truncatedByTheController() {
        let whole = story([event(more, data), event(truncated, [9, 0x09, 0x41])])
        #expect(whole.figures.beacons == 1)
        #expect(whole.figures.rejects.total == 0)
        #expect(story([event(truncated, data.prefix(20))]).figures.rejects.total == 0)
    }

    @Test("A chain longer than the limit is dropped")
    func oversizedChain() {
        let piece = [UInt8](repeating: 0, count: 200)
        let story = story(Array(repeating: event(more, piece), count: 9) + [event(0, data, from: .fixed(2))])
        #expect(story.rejected(.oversizedChain) == 1)
        #expect(story.figures.beacons == 1)
    }

    @Test("A piece that comes 10 s late continues nothing", arguments: [(9.0, 1), (11, 0)])
    func lateLastPiece(pause_s: Double, count: UInt64) {
        var air = Air()
        air.event(event(more, data.prefix(9)), at: 1)
        air.event(event(0, data.dropFirst(9)), at: 1 + pause_s)
        #expect(Story(.door(), air).figures.beacons == count)
    }

    @Test("Of a packet whose last piece never comes nothing is kept, also where no other is received")
    func forgetsUnfinished() {
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(.door(), radioSees: true, at: .origin, outputs: &outputs)
        engine.receive(event(more, data.prefix(9)).span, at: .origin + .seconds(1), outputs: &outputs)
        #expect(engine.intake.rememberedCount == 1)
        engine.advance(through: .origin + .seconds(121), outputs: &outputs)
        #expect(engine.intake.rememberedCount == 0)
    }

    @Test("Chains that are never finished give way to others")
    func unfinishedChains() {
        let unfinished = (10..<1000).map { event(more, data.prefix(5), from: .fixed($0)) }
        #expect(story(unfinished + [event(more, data.prefix(9)), event(0, data.dropFirst(9))]).figures.beacons == 1)
    }
}
