import TestAir
import Testing

@testable import Core

@Suite("The difference between a flood and an ordinary day")
struct FloodWatchTests {
    private func counts(_ change: (inout NewcomerCounts) -> Void) -> NewcomerCounts {
        var counts = NewcomerCounts()
        change(&counts)
        return counts
    }

    /// Returns a watch whose first minute is over.
    private func watch() -> FloodWatch {
        var watch = FloodWatch(at: .origin)
        watch.endWindow(NewcomerCounts(), at: .origin + .seconds(60))
        return watch
    }

    @Test("Up to its threshold a kind is not named, above it is", arguments: [(600, false), (601, true)])
    func threshold(identities: UInt64, isNamed: Bool) {
        let suspects = watch().suspects(counts { $0.identities = identities }, listed: 0)
        #expect(suspects.map(\.kind) == (isNamed ? [.identities] : []))
    }

    @Test("The rate is averaged over a minute")
    func rate() {
        #expect(
            watch().suspects(counts { $0.crowdedAddresses = 600 }, listed: 0)
                == [SuspectedSpoofing(kind: .addresses, rate_per_s: 10)])
    }

    @Test("A flood is named for a minute after the one in which it ended")
    func afterwards() {
        var watch = watch()
        watch.endWindow(counts { $0.identities = 6_000 }, at: .origin + .seconds(120))
        #expect(watch.suspects(NewcomerCounts(), listed: 0) == [SuspectedSpoofing(kind: .identities, rate_per_s: 100)])
        watch.endWindow(NewcomerCounts(), at: .origin + .seconds(180))
        #expect(watch.suspects(NewcomerCounts(), listed: 0).isEmpty)
    }

    @Test("After minutes of silence no flood is named")
    func silence() {
        var watch = watch()
        watch.endWindow(counts { $0.identities = 6_000 }, at: .origin + .seconds(400))
        #expect(watch.suspects(NewcomerCounts(), listed: 0).isEmpty)
        #expect(watch.end == .origin + .seconds(420))
    }

    @Test("Identities present when the agent starts are no flood")
    func start() {
        var watch = FloodWatch(at: .origin)
        let everybody = counts { $0.identities = 5_000 }
        #expect(watch.suspects(everybody, listed: 5_000).isEmpty)
        watch.endWindow(everybody, at: .origin + .seconds(60))
        #expect(watch.suspects(NewcomerCounts(), listed: 5_000).isEmpty)
    }

    @Test("Rotations are many only in proportion to the listed beacons", arguments: [(400, false), (300, true)])
    func rotations(listed: Int, isNamed: Bool) {
        let suspects = watch().suspects(counts { $0.rotations = 90 }, listed: listed)
        #expect(suspects.map(\.kind) == (isNamed ? [.rotations] : []))
    }

    @Test("A level counts from +5 dBm on", arguments: [(Int8(4), false), (Int8(5), true)])
    func levels(rssi_dbm: Int8, isNamed: Bool) {
        var watch = watch()
        for _ in 0..<61 { watch.heard(rssi_dbm) }
        #expect(watch.suspects(NewcomerCounts(), listed: 0).map(\.kind) == (isNamed ? [.rssi] : []))
    }

    @Test("A refused newcomer that is heard repeatedly counts once")
    func refused() {
        var numbers = DistinctNumbers()
        #expect([7, 7, 8].map { numbers.insert($0) } == [true, false, true])
        let different = (0..<60_000 as Range<UInt64>).count { numbers.insert($0 &* 0x1_0000_0001) }
        #expect(different > 57_000 && different <= 60_000)
    }

    @Test("A busy shop, with phones that rotate every minute, is no flood")
    func shop() {
        let seed: UInt64 = 1
        var crowd = StoreScenario.Crowd()
        crowd.visitorsPerHour = 600
        let day = StoreScenario.crowd(seed: seed, duration: .seconds(300), crowd: crowd)
        let phones = StoreScenario.rotation(seed: seed, duration: .seconds(300))
        for scenario in [day, phones] {
            var simulation = StoreSimulation(scenario: scenario, seed: seed)
            var outputs: [GatewayOutput] = []
            var engine = GatewayEngine(.door(), radioSees: true, at: .origin, outputs: &outputs)
            var beacons: UInt64 = 0
            while let packet = simulation.next() {
                let event = AdvertisingReportEncoder.event([(packet.report, packet.data)])
                engine.receive(event.span, at: packet.at, outputs: &outputs)
                beacons += 1
                if beacons % 500 == 0 { #expect(engine.figures.suspectedSpoofing.isEmpty) }
            }
            #expect(engine.figures.suspectedSpoofing.isEmpty)
            #expect(engine.figures.beacons > 1_000)
        }
    }
}
