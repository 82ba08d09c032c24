import TestAir
import Testing

@testable import Core

@Suite("Memory is bounded under any reports")
struct FloodTests {
    private func event(_ identity: BeaconIdentity, _ address: DeviceAddress) -> [UInt8] {
        Air.metaEvent([Air.legacyReport(address, data: Air.payload(identity))])
    }

    @Test("A day of rotating strangers, 4 at a time, leaves no more behind than a quarter of an hour of them")
    func day() {
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(.door(), radioSees: true, at: .origin, outputs: &outputs)
        var most = 0
        for step in 0..<21_600 {
            let (phone, second) = (UInt64(step % 4), step * 4)
            // Each phone is heard every 16 s and changes its address every quarter of an hour.
            let address = DeviceAddress.rotating(phone << 32 | UInt64(second / 900))
            engine.receive(
                event(.beacon(1, UInt16(phone)), address).span, at: .origin + .seconds(Double(second)),
                outputs: &outputs)
            outputs.removeAll(keepingCapacity: true)
            most = max(most, engine.presence.tracker.table.count)
        }
        #expect(most <= 4 * 3)
        #expect(engine.presence.tracker.timerCount < 2_000)
        #expect(engine.figures.tracks < 4 * 97)
    }

    @Test("A flood of addresses under one identity is bounded")
    func oneIdentity() {
        let settings = GatewaySettings.door { settings, _ in settings.tracker.maxTransmitters = 1_000 }
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(settings, radioSees: true, at: .origin, outputs: &outputs)
        for number in 0..<6_000 {
            engine.receive(
                event(.beacon(), .rotating(UInt64(number))).span, at: .origin + .seconds(Double(number) * 0.002),
                outputs: &outputs)
            outputs.removeAll(keepingCapacity: true)
        }
        #expect(engine.presence.tracker.table.count <= 1_000)
        #expect(engine.presence.tracker.timerCount <= 4 * 1_100)
    }

    @Test("A flood of identities is bounded as well, and the beacons of regions stay")
    func manyIdentities() {
        let settings = GatewaySettings.door { settings, region in
            settings.tracker.maxTransmitters = 500
            region.major = 1
        }
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(settings, radioSees: true, at: .origin, outputs: &outputs)
        for number in 0..<6_000 {
            let at = Instant.origin + .seconds(Double(number) * 0.001)
            let stranger = BeaconIdentity.beacon(2, UInt16(number))
            engine.receive(event(stranger, .rotating(UInt64(number))).span, at: at, outputs: &outputs)
            if number % 1000 == 0 { engine.receive(event(.beacon(), .fixed(1)).span, at: at, outputs: &outputs) }
        }
        #expect(engine.presence.tracker.table.count <= 500)
        #expect(engine.presence.tracker.timerCount <= 4 * 600)
        #expect(outputs.transitions.compactMap(\.event?.kind) == [.enter])
    }

    @Test("Regions that come and go leave no timers behind")
    func requests() throws {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), start_s: 0, end_s: 200)
        let gateway = Conversation(.door(), air)
        for number in 0..<2_000 {
            let t_s = Double(number) * 0.1
            _ = try gateway.monitor("other", "\"settle_s\":3600", at: t_s)
            _ = gateway.ask(.stop(region: "other"), at: t_s)
        }
        #expect(gateway.engine.presence.monitor.timerCount <= 4 * 66)
        #expect(gateway.engine.presence.ranger.timerCount <= 4 * 66)
    }
}
