import Testing

@testable import Core

@Suite("A beacon is in one zone at a time, by all levels together")
struct ZoneTests {
    static let two = "[site]" + Store.gateway("a", zone: "door") + Store.gateway("b", zone: "bakery")

    private func zones(_ store: Store) -> [String] { store.zoneEvents }

    @Test("The first zone is entered once it has lasted for 3 s")
    func first() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 13)
        #expect(zones(store) == [])
        store.list(["a": -55, "b": -80], from: 14, to: 20)
        #expect(zones(store).map { $0.prefix(21) } == ["enter carts/zone/door"])
    }

    @Test("A walk to another zone is followed within seconds: the exit first, then the entry")
    func walk() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 40)
        store.list(["a": -80, "b": -55], from: 41, to: 50)
        #expect(
            store.zoneWords == ["enter carts/zone/door", "exit carts/zone/door", "enter carts/zone/bakery"])
        #expect(zones(store).last?.hasSuffix("by b") == true)
        #expect(store.listed?.beacons.first?.place?.zone == "bakery")
    }

    @Test("A zone was last heard no later than its region, also where the next visit began before the exit came")
    func heardWithTheRegion() throws {
        var store = try Store(Self.two + Store.gateway("c"))
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 20)
        store.status("c", online: false, at: 21)
        store.exit("a", entered_s: 10, heard_s: 20, at: 25)
        store.enter("a", at: 40)
        store.list(["a": -55, "b": -80], from: 40, to: 45)
        store.status("c", at: 46)
        store.exit("a", entered_s: 40, heard_s: 45, at: 50)
        store.advance(to: 100)
        #expect(store.visits == ["carts 10.0–30.0, heard until 20.0", "carts 40.0–55.0, heard until 45.0"])
        #expect(store.zoneStays.map { Store.tenths($0.lastHeardAt) } == ["20.0", "45.0"])
    }

    @Test("Visits to one zone do not overlap, though a beacon became likely there before the last one left")
    func severalBeacons() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.enter("b", minor: 2, at: 10)
        func list(_ first: (Double, Double), _ second: (Double, Double), from start: Int, to end: Int) {
            for second_s in start...end {
                store.list("a", [1: first.0, 2: second.0], at: Double(second_s))
                store.list("b", [1: first.1, 2: second.1], at: Double(second_s))
            }
        }
        list((-55, -80), (-80, -55), from: 10, to: 40)
        list((-80, -55), (-55, -80), from: 41, to: 60)
        store.exit("a", entered_s: 10, heard_s: 60, at: 80)
        store.exit("b", minor: 2, entered_s: 10, heard_s: 60, at: 80)
        store.advance(to: 120)
        let door = store.zoneStays(in: "door")
        #expect(door.count == 2 && door[1].enteredAt >= door[0].lastHeardAt)
    }

    @Test("A list has the probability of its zone, also in the second of a move")
    func confidence() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 40)
        for second in 41...60 where store.listed?.beacons.first?.place?.zone != "bakery" {
            store.list(["a": -80, "b": -55], from: Double(second), to: Double(second))
        }
        #expect((store.listed?.beacons.first?.place?.confidence ?? 0) > 0.9)
    }

    @Test("Between two zones a list has the probability of each, and where one is sure it has that one alone")
    func otherZones() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -60, "b": -62], from: 10, to: 40)
        let place = try #require(store.listed?.beacons.first?.place)
        #expect(place.zone == "door" && place.others.map(\.zone) == ["bakery"])
        #expect(abs(place.confidence + (place.others.first?.confidence ?? 0) - 1) < 0.01)
        store.list(["a": -55, "b": -80], from: 41, to: 50)
        #expect(store.listed?.beacons.first?.place?.others == [])
    }

    @Test("A stay of 3 s is passing by")
    func passing() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 40)
        store.list(["a": -80, "b": -55], from: 41, to: 43)
        store.list(["a": -55, "b": -80], from: 44, to: 60)
        #expect(zones(store).count == 1)
    }

    @Test("A list names another zone once that is sure, and its visit is published once it is not just passing by")
    func listedBeforeItsVisit() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 40)
        store.list(["a": -80, "b": -55], from: 41, to: 43)
        #expect(store.listed?.beacons.first?.place?.zone == "bakery")
        #expect((store.listed?.beacons.first?.place?.confidence ?? 0) >= 0.9)
        #expect(zones(store).count == 1)
        store.list(["a": -80, "b": -55], from: 44, to: 45)
        #expect(zones(store).count == 3)
    }

    @Test("A beacon between two gateways does not change zones, at any noise", arguments: [4.0, 6.0])
    func standing(scatter_db: Double) throws {
        var store = try Store(Self.two)
        var random = RandomStream(seed: 7)
        store.enter("a", at: 10)
        var (a, b) = (-60.0, -62.0)
        for second in 10..<610 {
            // As gateways publish it: smoothed, and never the same twice.
            a += 0.3 * (-60 + scatter_db * random.normal() - a)
            b += 0.3 * (-62 + scatter_db * random.normal() - b)
            store.list("a", [1: a], at: Double(second))
            store.list("b", [1: b], at: Double(second))
        }
        #expect(zones(store).filter { $0.hasPrefix("enter") }.count <= 2)
    }

    @Test("Only reversals are noise: a beacon that walks on makes none")
    func noise() {
        var walking = LevelNoise(-90, at: .origin)
        var still = LevelNoise(-70, at: .origin)
        for second in 1...60 {
            walking.record(-90 + Double(second) / 2, at: .origin + .seconds(Double(second)))
            still.record(second.isMultiple(of: 2) ? -70 : -73, at: .origin + .seconds(Double(second)))
        }
        #expect(walking.turned_db2 < 0.2)
        #expect(still.turned_db2 > 1)
    }

    @Test("A gap of some seconds is no reversal")
    func gaps() {
        var noise = LevelNoise(-70, at: .origin)
        for number in 1...60 {
            noise.record(number.isMultiple(of: 2) ? -70 : -80, at: .origin + .seconds(3 * Double(number)))
        }
        #expect(noise.turned_db2 == LevelNoise.typical_db2)
    }

    @Test("A gateway that cannot hear tells nothing about a beacon's zone")
    func blind() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.enter("b", at: 10)
        store.list(["a": -60, "b": -85], from: 10, to: 30)
        store.status("a", radio: "off", at: 31)
        store.list(["b": -85], from: 31, to: 60)
        #expect(zones(store).count == 1)
        // A level that only a beacon beside that gateway has is evidence nevertheless.
        store.list(["b": -48], from: 61, to: 80)
        #expect(zones(store).last?.contains("enter carts/zone/bakery") == true)
    }

    @Test("No beacon is ever found in a zone without a hearing gateway")
    func unheard() throws {
        var store = try Store(Self.two)
        store.enter("b", at: 10)
        store.list(["a": -94, "b": -80], from: 10, to: 40)
        store.status("a", radio: "off", at: 41)
        store.list(["b": -80], from: 41, to: 100)
        #expect(zones(store).map { $0.prefix(23) } == ["enter carts/zone/bakery"])
    }

    @Test("At its start a store waits for its listed gateways, unless the beacon is very near to others")
    func start() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 1)
        store.list(["a": -80], from: 1, to: 20)
        #expect(store.listed?.beacons.first?.place == nil)
        store.list(["a": -80, "b": -65], from: 21, to: 28)
        #expect(zones(store).map { $0.prefix(23) } == ["enter carts/zone/bakery"])
        var near = try Store(Self.two)
        near.enter("a", at: 1)
        near.list(["a": -55], from: 1, to: 10)
        #expect(zones(near).map { $0.prefix(21) } == ["enter carts/zone/door"])
    }

    @Test("The store waits at most 30 s")
    func silent() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 1)
        store.list(["a": -80], from: 1, to: 36)
        #expect(zones(store).map { $0.prefix(21) } == ["enter carts/zone/door"])
    }

    @Test("Several gateways may belong to one zone")
    func joined() throws {
        var store = try Store(Self.two + Store.gateway("c", zone: "bakery"))
        store.enter("b", at: 10)
        store.list(["b": -55, "c": -75, "a": -85], from: 10, to: 30)
        store.list(["b": -75, "c": -55, "a": -85], from: 31, to: 60)
        #expect(zones(store).count == 1)
    }

    @Test("A gateway's offset counts for each of its levels")
    func offset() throws {
        var store = try Store(Self.two.replacing("zone = \"bakery\"", with: "zone = \"bakery\"\nrssi_offset_db = 20"))
        store.enter("a", at: 10)
        store.list(["a": -60, "b": -65], from: 10, to: 30)
        #expect(zones(store).map { $0.prefix(23) } == ["enter carts/zone/bakery"])
    }

    @Test("Weak levels are compared like strong ones", arguments: [0.0, -15, -35])
    func weak(offset_db: Double) throws {
        var store = try Store(Self.two)
        store.status("a", at: 1)
        store.status("b", at: 1)
        store.enter("a", at: 10)
        store.list(["a": -60 + offset_db, "b": -75 + offset_db], from: 10, to: 40)
        store.list(["a": -75 + offset_db, "b": -60 + offset_db], from: 41, to: 60)
        #expect(zones(store).last?.contains("enter carts/zone/bakery") == true)
    }

    @Test("An unlisted gateway's zone is its id")
    func unlisted() throws {
        var store = try Store()
        store.enter("till-3", at: 10)
        store.list(["till-3": -60], from: 10, to: 20)
        #expect(zones(store).map { $0.prefix(23) } == ["enter carts/zone/till-3"])
    }

    @Test("The zones of a region are left with it, before it")
    func leaving() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55], from: 10, to: 30)
        store.exit("a", entered_s: 10, heard_s: 30, at: 40)
        store.advance(to: 100)
        #expect(store.allEvents.suffix(2) == ["exit carts/zone/door 45.0 by a", "exit carts 45.0 by a"])
    }

    @Test("A region is not left before the last event of its zones, even if its last exit comes late")
    func lateLeaving() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55], from: 10, to: 20)
        store.list(["a": -80, "b": -55], from: 21, to: 30)
        store.exit("a", entered_s: 10, heard_s: 11, told_s: 12, at: 31)
        store.advance(to: 100)
        let last = store.allEvents.suffix(3).map { $0.split(separator: " ") }
        #expect(
            last.map { $0.prefix(2).joined(separator: " ") } == [
                "enter carts/zone/bakery", "exit carts/zone/bakery", "exit carts",
            ])
        #expect(Set(last.map { $0[2] }).count == 1)
    }

    @Test("Zones become unknown with their region, and are known again with it")
    func unknown() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55], from: 10, to: 20)
        store.status("a", online: false, at: 21)
        store.status("a", at: 100)
        store.state("a", "inside", since_s: 10, at: 100)
        #expect(store.zoneStates.contains { $0.hasPrefix("unknown carts/zone/door") })
        #expect(store.zoneStates.last?.hasPrefix("inside carts/zone/door") == true)
        #expect(zones(store).count == 1)
    }

    @Test("A zone of a plain region is inside while any beacon of it is there")
    func anyBeacon() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        for second in 10..<40 {
            store.list("a", second < 25 ? [1: -55, 2: -55] : [2: -55], at: Double(second))
            store.list("b", second < 25 ? [1: -80, 2: -80] : [1: -55, 2: -80], at: Double(second))
        }
        #expect(store.zoneWords == ["enter carts/zone/door", "enter carts/zone/bakery"])
    }

    @Test("Without a list, the zone is that of the gateways that have the region inside")
    func withoutLists() throws {
        var store = try Store(Self.two)
        store.enter("b", at: 10)
        store.advance(to: 60)
        #expect(zones(store).map { $0.prefix(23) } == ["enter carts/zone/bakery"])
    }

    @Test("One of several devices that share an identity is published with its name, where the gateways name alike")
    func devices() throws {
        var store = try Store("[privacy]\nsite_key_file = \"/secret\"\n" + Self.two)
        store.enter("a", at: 10)
        for second in 10..<20 {
            store.list("a", [1: -55, 101: -60], devices: [1: "x", 101: "y"], at: Double(second))
        }
        #expect(store.listed?.beacons.count == 2)
    }

    @Test("If no zone is a third sure, a list names no zone, and has the position, which is known best in the middle")
    func uncertain() throws {
        let names = ["a", "b", "c", "d"]
        let gateways = names.enumerated().map { Store.gateway($1, at: (Double($0 * 5 % 10), Double($0 / 2 * 5))) }
        var store = try Store("[site]" + gateways.joined())
        for name in names { store.status(name, at: 0) }
        store.enter("a", at: 1)
        store.list(["a": -60, "b": -60, "c": -60, "d": -60], from: 1, to: 20)
        #expect(store.listed?.beacons.count == 1)
        let place = try #require(store.listed?.beacons.first?.place)
        #expect(place.zone == nil && place.others.isEmpty)
        let position = try #require(place.position)
        #expect(abs(position.x_m - 2.5) < 0.5 && abs(position.y_m - 2.5) < 0.5)
        store.list(["a": -50, "b": -75, "c": -75, "d": -75], from: 21, to: 40)
        #expect(store.listed?.beacons.first?.place?.zone == "a")
    }

    @Test(
        "A zone's visit ends with the last report of the zone's own gateways, even while the zone was unclear"
    )
    func heardByItsOwn() throws {
        var store = try Store(Self.two)
        store.enter("a", at: 10)
        store.list(["a": -55, "b": -80], from: 10, to: 40)
        store.list(["a": -80, "b": -55], from: 41, to: 60)
        let stay = try #require(store.zoneStays.first)
        let left = try #require(
            store.zoneEvents.first { $0.hasPrefix("exit") }?.split(separator: " ").dropFirst(2).first)
        let left_s = try #require(Double(left))
        #expect((stay.lastHeardAt - .origin).seconds >= left_s - 1.1)
    }

    @Test("A walk through three zones makes three visits, even if half of the lists are lost", arguments: 1...30)
    func halfOfTheListsLost(seed: Int) throws {
        let names = ["a", "b", "c"]
        var store = try Store("[site]" + names.map { Store.gateway($0, zone: $0) }.joined())
        var random = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
        func isLost() -> Bool {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return random >> 63 == 0
        }
        for name in names { store.status(name, at: 0) }
        store.enter("a", at: 1)
        for second in 1...90 {
            let place = (second - 1) / 30
            for (number, name) in names.enumerated() where !isLost() {
                let distance = abs(place - number)
                store.list(name, [1: -58 - 14 * Double(distance)], at: Double(second) + 0.1)
            }
        }
        // It is carried away: the lists without it come one after the other, and half of them are lost too.
        for second in 91...110 {
            for (number, name) in names.reversed().enumerated() where second >= 92 + 2 * number && !isLost() {
                store.list(name, [:], at: Double(second) + 0.1)
            }
        }
        store.exit("a", entered_s: 1, heard_s: 90.1, at: 111)
        store.advance(to: 200)
        let entries = store.zoneEvents.filter { $0.hasPrefix("enter") }.map { $0.split(separator: " ")[1] }
        #expect(entries == ["carts/zone/a", "carts/zone/b", "carts/zone/c"])
    }
}
