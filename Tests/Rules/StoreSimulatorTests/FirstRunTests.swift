import TestAir
import Testing

@testable import Core

@Suite("In the shop of the first run all events happen within a minute")
struct FirstRunTests {
    private static func storeBeacons(seed: UInt64) -> [StoreTruth.Beacon] {
        StoreScenario.firstRun(seed: seed, duration: .seconds(60)).truth.beacons.filter {
            $0.identity.uuid == StoreScenario.storeUUID
        }
    }

    @Test("The shop is empty while the region settles, fills, empties for 20 s and fills again", arguments: 1...20)
    func waves(seed: UInt64) throws {
        let beacons = Self.storeBeacons(seed: seed)
        let first = beacons.filter { $0.enteredAt < .origin + .seconds(40) }
        let second = beacons.filter { $0.enteredAt >= .origin + .seconds(40) }
        #expect(first.count == 3)
        #expect(first.holdForAll { $0.enteredAt >= .origin + .seconds(11) })
        let empty = try #require(first.map(\.leftAt).max())
        let refilled = try #require(second.map(\.enteredAt).min())
        #expect((refilled - empty).seconds > 22)
    }

    @Test("One phone rotates while all three are there, and a beacon comes closer than half a metre", arguments: 1...20)
    func rotationAndProximity(seed: UInt64) throws {
        let beacons = Self.storeBeacons(seed: seed).filter { $0.enteredAt < .origin + .seconds(40) }
        let rotations = beacons.flatMap { $0.addresses.dropFirst().map(\.from) }
        #expect(rotations.count == 1)
        let rotation = try #require(rotations.first)
        #expect(beacons.holdForAll { $0.enteredAt < rotation - .seconds(5) && $0.leftAt > rotation + .seconds(5) })
        #expect(beacons.contains { $0.distances_m.contains { $0 < 0.5 } })
        #expect(beacons.contains { $0.distances_m.contains { $0 > 4 } })
    }

    @Test("Visitors keep coming for as long as the scenario lasts")
    func lasting() {
        let truth = StoreScenario.firstRun(seed: 1, duration: .seconds(1_000)).truth
        #expect(truth.beacons.contains { $0.kind == .phone && $0.enteredAt > .origin + .seconds(940) })
    }
}
