import TestAir
import Testing

@testable import Core

@Suite("A shop of several rooms has a gateway in each, and walls between them")
struct RoomsTests {
    @Test("A gateway hangs in the middle of its room", arguments: 1...9)
    func middles(count: Int) {
        let rooms = Rooms(count: count)
        for room in 0..<count { #expect(rooms.room(at: rooms.middle(of: room)) == room) }
    }

    @Test("Rooms that share a wall are neighbours, and each can be reached from the door")
    func neighbours() {
        let rooms = Rooms(count: 5)
        #expect(rooms.neighbours(of: 0).sorted() == [1, 3])
        #expect(rooms.neighbours(of: 4).sorted() == [1, 3])
        #expect(Rooms(count: 1).neighbours(of: 0).isEmpty)
    }

    @Test("Every wall in between weakens the signal")
    func walls() {
        let rooms = Rooms(count: 9)
        let (corner, other) = (rooms.middle(of: 0), rooms.middle(of: 8))
        #expect(rooms.loss_db(from: corner, to: corner) == 0)
        #expect(rooms.loss_db(from: corner, to: rooms.middle(of: 1)) == Rooms.wall_db)
        #expect(rooms.loss_db(from: corner, to: other) == 4 * Rooms.wall_db)
    }

    @Test("Equal people come for any listening gateway")
    func people() {
        let shops = (0..<4).map { StoreScenario.rooms(seed: 3, duration: .seconds(300), gateways: 4, listening: $0) }
        #expect(shops.holdForAll { $0.actors == shops[0].actors })
        #expect(Set(shops.map(\.gateway)).count == 4 && shops[0].actors.count > 5)
    }

    @Test("The first phone comes at the given time and every two minutes, and changes its address after 12 s")
    func firstPhone() throws {
        let at = Instant.origin + .seconds(60)
        let shop = StoreScenario.rooms(
            seed: 3, duration: .seconds(300), gateways: 4, listening: 0, firstPhoneAt: at)
        let phones = shop.actors.filter { $0.identity?.minor == 1 }
        let phone = try #require(phones.first)
        #expect(phones.map(\.path.start) == [at, at + .seconds(120)] && phone.identity?.major == 2)
        #expect(phone.addresses.map(\.from) == [at, at + .seconds(12)])
        #expect(phone.path.end < at + .seconds(30))
    }

    @Test("A gateway hears the beacons in its room more strongly than the others do")
    func heard() throws {
        var levels: [[Int]] = [[], []]
        for (index, listening) in [0, 3].enumerated() {
            let shop = StoreScenario.rooms(seed: 3, duration: .seconds(120), gateways: 4, listening: listening)
            let truth = try #require(shop.truth.beacons.first)
            var simulation = StoreSimulation(scenario: shop, seed: 1)
            while let packet = simulation.next() {
                let second = Int64((packet.at - truth.enteredAt).seconds)
                guard packet.actor == truth.actor, truth.room(second: second) == 0, let rssi = packet.report.rssi_dbm
                else {
                    continue
                }
                levels[index].append(Int(rssi))
            }
        }
        let means = levels.map { Double($0.reduce(0, +)) / Double(max(1, $0.count)) }
        #expect(levels[0].count > 50 && means[0] > means[1] + 6)
    }
}
