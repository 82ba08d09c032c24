import TestAir
import Testing

@testable import Core

@Suite("Phones rotate their address, other beacons do not")
struct RotationTests {
    private let truth = StoreScenario.crowd(seed: 11, duration: .seconds(7_200)).truth

    @Test("A phone uses resolvable private addresses, each for a quarter of an hour and never again")
    func phones() {
        let phones = truth.beacons.filter { $0.kind == .phone }
        #expect(phones.contains { $0.addresses.count >= 8 })
        for phone in phones {
            #expect(phone.addresses.holdForAll { $0.address.isResolvablePrivate })
            #expect(Set(phone.addresses.map(\.address)).count == phone.addresses.count)
            // The first and the last span are cut by coming and going.
            for span in phone.addresses.dropFirst().dropLast() {
                #expect((870...930).contains((span.until - span.from).seconds))
            }
        }
    }

    @Test("Shelf beacons and trolleys keep one static address", arguments: [Actor.Kind.shelf, .cart])
    func staticAddresses(kind: Actor.Kind) {
        let fixed = truth.beacons.filter { $0.kind == kind }
        #expect(!fixed.isEmpty)
        #expect(fixed.holdForAll { $0.addresses.count == 1 && !$0.addresses[0].address.rotates })
    }

    @Test("After the rotation only the new address is heard, and soon")
    func switchover() throws {
        let scenario = StoreScenario.firstRun(seed: 1, duration: .seconds(60))
        let phone = try #require(scenario.truth.beacons.first { $0.addresses.count == 2 })
        let rotation = phone.addresses[1].from
        let heard = StoreSimulation.packets(of: scenario).filter { $0.actor == phone.actor }
        let before = heard.filter { $0.at < rotation }
        let after = heard.filter { $0.at >= rotation }
        #expect(Set(before.map(\.report.address)) == [phone.addresses[0].address])
        #expect(Set(after.map(\.report.address)) == [phone.addresses[1].address])
        let first = try #require(after.first)
        #expect((first.at - rotation).seconds < 2)
    }
}
