import TestAir
import Testing

@testable import Core

@Suite("A chain's store has floors and opening hours, and people with trolleys and phones")
struct ChainTests {
    private let store = StoreScenario.ChainStore(
        rooms: Rooms(count: 6, floors: 2), hours: TimeSpan.seconds(600)..<TimeSpan.seconds(4_200))

    private func chain(seed: UInt64 = 1, hours: Int = 2, listening: Int = 0) -> StoreScenario {
        .chain(seed: seed, duration: .seconds(hours * 3600), store: store, listening: listening)
    }

    @Test("Floors are alike, stairs lead from one to the next, and a place knows its floor")
    func floors() {
        let rooms = store.rooms
        #expect((0..<6).map(rooms.floor) == [0, 0, 0, 1, 1, 1])
        #expect((0..<6).holdForAll { rooms.room(at: rooms.middle(of: $0)) == $0 })
        #expect(rooms.neighbours(of: 0).sorted() == [1, 2, 3])
        #expect(rooms.neighbours(of: 1).sorted() == [0])
        #expect(rooms.neighbours(of: 3).sorted() == [0, 4, 5])
    }

    @Test("A ceiling takes more than a wall, and both add up")
    func ceilings() {
        let rooms = store.rooms
        #expect(rooms.loss_db(from: rooms.middle(of: 1), to: rooms.middle(of: 4)) == Rooms.ceiling_db)
        #expect(
            rooms.loss_db(from: rooms.middle(of: 0), to: rooms.middle(of: 4)) == Rooms.ceiling_db + Rooms.wall_db)
        #expect(rooms.middle(of: 1).distance_m(to: rooms.middle(of: 4)) == Rooms.height_m)
    }

    @Test(
        "Visitors come only during opening hours, and all have left some minutes after closing",
        arguments: 1...5)
    func openingHours(seed: UInt64) {
        let visits = chain(seed: seed).truth.beacons.filter { $0.identity.uuid == StoreScenario.storeUUID }
        #expect(visits.count > 20)
        #expect(
            visits.holdForAll { $0.enteredAt >= .origin + .seconds(600) && $0.enteredAt < .origin + .seconds(4_200) })
        #expect(visits.holdForAll { $0.leftAt < .origin + .seconds(4_200 + 300) })
    }

    @Test("The store opens again on the next day")
    func nextDay() {
        let comings = chain(hours: 26).truth.beacons.map { ($0.enteredAt - .origin).seconds }
        #expect(comings.contains { $0 > 86_400 + 600 })
        #expect(!comings.contains { $0 >= 4_200 && $0 < 86_400 + 600 })
    }

    @Test("A trolley carries one visitor at a time, keeps its address, and is reused")
    func trolleys() {
        let carts = chain().truth.beacons.filter { $0.kind == .cart }
        let trips = Dictionary(grouping: carts, by: \.identity.minor)
        #expect(trips.count < carts.count)
        for trips in trips.values {
            #expect(Set(trips.flatMap(\.addresses).map(\.address)).count == 1)
            #expect(zip(trips, trips.dropFirst()).allSatisfy { $0.leftAt < $1.enteredAt })
        }
    }

    @Test("Some have a trolley, some a phone and some both; no two phones are equal")
    func people() {
        let beacons = chain().truth.beacons.filter { $0.identity.uuid == StoreScenario.storeUUID }
        let (phones, carts) = (beacons.filter { $0.kind == .phone }, beacons.filter { $0.kind == .cart })
        #expect(Set(phones.map(\.identity.minor)).count == phones.count)
        let both = phones.filter { phone in carts.contains { $0.enteredAt == phone.enteredAt } }
        #expect(!both.isEmpty && both.count < phones.count && both.count < carts.count)
    }

    @Test("Equal people come for any listening gateway, and they see every floor")
    func samePeople() {
        let stores = (0..<6).map { chain(listening: $0) }
        #expect(stores.holdForAll { $0.actors == stores[0].actors })
        #expect(Set(stores.map(\.gateway)).count == 6)
        let rooms = Set(
            stores[0].truth.beacons.flatMap { beacon in beacon.seconds.compactMap { beacon.room(second: $0) } })
        #expect(rooms == Set(0..<6))
    }
}
