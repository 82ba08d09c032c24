import TestAir
import Testing

@testable import Core

@Suite("beacond scan lists the beacons as the gateway does")
struct ScanAgreementTests {
    /// The lists of a scan and of the gateway for equal events, second by second.
    private struct Both {
        var engine: GatewayEngine
        var scan: ScanState
        var outputs: [GatewayOutput] = []

        init(_ settings: GatewaySettings = .door()) {
            engine = GatewayEngine(settings, radioSees: true, at: .origin, outputs: &outputs)
            scan = ScanState(settings, at: .origin)
        }

        mutating func receive(_ event: [UInt8], from adapter: Int = 0, at instant: Instant) {
            engine.receive(event.span, from: adapter, at: instant, outputs: &outputs)
            scan.receive(event.span, from: adapter, at: instant)
            outputs.removeAll(keepingCapacity: true)
        }

        /// Address, track and standing of each transmitter in the gateway's list.
        mutating func gateway(at instant: Instant) -> Set<String> {
            let request = Request.range(region: "door", .whole)
            engine.answer(request, to: ReplyAddress(verb: "t", topic: "t"), at: instant, outputs: &outputs)
            guard let answer = outputs.last?.content(Answer.self) else { return [] }
            return Set((answer.result.ranging?.beacons ?? []).map(Self.text))
        }

        mutating func scan(at instant: Instant) -> Set<String> {
            Set(scan.snapshot(at: instant).rows.map { Self.text($0.beacon) })
        }

        private static func text(_ beacon: RangedBeacon) -> String {
            "\(beacon.address) \(beacon.track) \(beacon.isResolving) \(beacon.observation.rssi_dbm ?? 0)"
        }
    }

    @Test("Two phones of one identity, with different packets, are two in both")
    func payload() {
        var both = Both()
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .rotating(1), start_s: 0, end_s: 60)
        air.beacon(.beacon(), from: .rotating(2), start_s: 0, end_s: 20)
        let longer = Air.payload(.beacon(), power_dbm: -59) + [2, 0x0A, 0]
        for step in 0..<300 {
            air.report(.rotating(3), data: longer, rssi_dbm: -60, at: 24.04 + Double(step) / 10)
        }
        var seconds = 0.0
        for transmission in air.inOrder {
            both.receive(transmission.event, at: .origin + .seconds(transmission.t_s))
            if transmission.t_s >= seconds {
                #expect(both.scan(at: .origin + .seconds(seconds)) == both.gateway(at: .origin + .seconds(seconds)))
                seconds += 1
            }
        }
        #expect(both.engine.figures.tracks == 3)
    }

    @Test("A shop full of rotating phones gives equal lists in both", arguments: [1, 2, 3] as [UInt64])
    func crowd(seed: UInt64) {
        var crowd = StoreScenario.RotationCrowd()
        crowd.phones = 6
        let scenario = StoreScenario.rotation(seed: seed, duration: .seconds(300), crowd: crowd)
        var simulation = StoreSimulation(scenario: scenario, seed: seed)
        var both = Both()
        var next = Instant.origin + .seconds(1)
        var compared = 0
        while let packet = simulation.next() {
            if packet.at >= next {
                let listed = both.gateway(at: next)
                #expect(both.scan(at: next) == listed)
                compared += listed.count
                next = packet.at + .seconds(1)
            }
            both.receive(AdvertisingReportEncoder.event([(packet.report, packet.data)]), at: packet.at)
        }
        #expect(compared > 500)
    }
}
