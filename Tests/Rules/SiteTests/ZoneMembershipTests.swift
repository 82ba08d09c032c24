import TestAir
import Testing

@testable import Core

/// A beacon's place is known once; each of its regions may tell it at another time.
@Suite("Every region of a beacon tells its zone")
struct ZoneMembershipTests {
    private static let cart = RegionInstanceID(region: "cart", .minor(major: 1, minor: 1))

    private func stored(_ id: RegionInstanceID, entered_s: Double, heard_s: Double) -> RegionRecord {
        .inside(
            id, of: BeaconIdentityConstraint(uuid: Store.uuid, major: id.major, minor: id.minor),
            entered: .origin + .seconds(entered_s), heard: .origin + .seconds(heard_s), minor: 1)
    }

    @Test("After a restart a beacon leaves its old zone before it enters its new one")
    func restart() throws {
        var store = try Store(
            ZoneTests.two,
            restoring: [
                stored(Self.cart, entered_s: -100, heard_s: -10),
                stored(Self.cart.inZone("door"), entered_s: -100, heard_s: -10),
            ])
        store.state("a", "outside", "cart/1/1", since_s: -5, told_s: -5, seq: 3, at: 0.1)
        store.state("b", "inside", "cart/1/1", since_s: -6, told_s: -6, seq: 4, at: 0.1)
        for second in 1..<12 { store.list("b", [1: -55], "cart/1/1", at: Double(second)) }
        #expect(store.zoneWords == ["exit cart/1/1/zone/door", "enter cart/1/1/zone/bakery"])
    }

    @Test("A beacon that left its own region and comes back is published in the zone again, even if others stayed")
    func back() throws {
        var store = try Store(ZoneTests.two)
        for region in ["hall", "cart/1/1"] { store.enter("a", region, at: 10) }
        store.list("a", [1: -55], ["hall", "cart/1/1"], seconds: 10..<20)
        store.exit("a", "cart/1/1", entered_s: 10, heard_s: 19, at: 25)
        store.advance(to: 31)
        store.enter("a", "cart/1/1", at: 32)
        store.list("a", [1: -55], ["hall", "cart/1/1"], seconds: 32..<42)
        #expect(
            store.zoneWords.filter { $0.contains("cart") } == [
                "enter cart/1/1/zone/door", "exit cart/1/1/zone/door", "enter cart/1/1/zone/door",
            ])
    }

    @Test(
        "A visit to a zone was heard until the zone's gateways heard the beacon last, also where their last lists were lost"
    )
    func lastHeardByEvents() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", "cart/1/1", at: 10)
        for second in 10..<20 { store.list("a", [1: -55], "cart/1/1", at: Double(second)) }
        store.exit("a", "cart/1/1", entered_s: 10, heard_s: 21.5, at: 25)
        store.advance(to: 60)
        #expect(store.zoneStays.map { Store.tenths($0.lastHeardAt) } == ["21.5"])
    }

    @Test("A beacon whose measured power cannot be has no distance, and is placed by its levels while it is heard")
    func withoutDistance() throws {
        for (age_ms, zones) in [(0, ["enter cart/1/1/zone/bakery"]), (5_000, [])] {
            var store = try Store(ZoneTests.two)
            store.enter("a", "cart/1/1", rssi: -80, at: 10)
            for second in 10..<30 {
                let t_s = Double(second)
                store.list("a", [1: -80], "cart/1/1", measuredPower_dbm: -3, age_ms: age_ms, at: t_s)
                store.list("b", [1: -50], "cart/1/1", measuredPower_dbm: -3, age_ms: age_ms, at: t_s)
            }
            #expect(store.zoneWords.filter { $0.hasSuffix("bakery") } == zones)
        }
    }

    @Test("A region published as inside after the beacon has been placed tells its zone too")
    func later() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", "hall", at: 10)
        store.list("a", [1: -55], ["hall", "cart/1/1"], seconds: 10..<20)
        store.enter("a", "cart/1/1", at: 20)
        for second in 20..<24 { store.list("a", [1: -55], "cart/1/1", at: Double(second)) }
        #expect(store.zoneWords == ["enter hall/zone/door", "enter cart/1/1/zone/door"])
    }

    @Test("A beacon that changed zones while its region was unknown is published in one zone once it is known again")
    func unknown() throws {
        var store = try Store("[regions]\nunknown_state_after_s = 5\n" + ZoneTests.two)
        for region in ["hall", "cart/1/1"] { store.enter("a", region, at: 10) }
        store.enter("b", "hall", at: 10)
        store.list("a", [1: -55], ["hall", "cart/1/1"], seconds: 10..<20)
        store.status("a", online: false, at: 20)
        for second in 20..<60 { store.list("b", [1: -55], "hall", at: Double(second)) }
        store.enter("b", "cart/1/1", at: 60)
        for second in 60..<64 { store.list("b", [1: -55], "cart/1/1", at: Double(second)) }
        #expect(
            store.zoneWords.filter { $0.contains("cart") } == [
                "enter cart/1/1/zone/door", "exit cart/1/1/zone/door", "enter cart/1/1/zone/bakery",
            ])
    }

    // MARK: - Devices that share an identity

    private static let shared = ZoneTests.two + "\n[privacy]\nsite_key_file = \"/etc/beacond/site.key\"\n"

    @Test("A device that is distinguished from another one replaces the beacon followed before")
    func toldApart() throws {
        var store = try Store(Self.shared)
        store.enter("a", at: 10)
        for second in 10..<30 {
            store.list("a", [1: -50, 101: -52], devices: [1: "d1", 101: "d2"], at: Double(second))
        }
        for second in 30..<70 {
            store.list("a", [101: -52], devices: [101: "d2"], at: Double(second))
            store.list("b", [1: -50], devices: [1: "d1"], at: Double(second))
        }
        for second in 70..<120 {
            store.list("b", [1: -50, 101: -52], devices: [1: "d1", 101: "d2"], at: Double(second))
        }
        for second in 70..<120 { store.list("a", [:], at: Double(second)) }
        #expect(
            store.zoneWords == ["enter carts/zone/door", "enter carts/zone/bakery", "exit carts/zone/door"])
    }

    @Test("Two gateways that name an identity differently for longer than a rotation hear two devices")
    func farApart() throws {
        var store = try Store(Self.shared)
        store.enter("a", at: 10)
        for second in 10..<60 {
            store.list("a", [1: -50], devices: [1: "d1"], areDuplicates: false, at: Double(second))
            store.list("b", [1: -50], devices: [1: "d2"], areDuplicates: false, at: Double(second) + 0.5)
        }
        #expect(store.listed?.count == 2)
        #expect(Set(store.listed?.beacons.compactMap(\.place?.zone) ?? []) == ["door", "bakery"])
    }

    @Test("A device that rotates its address stays one while gateways know it by two names for some seconds")
    func rotation() throws {
        var store = try Store(Self.shared)
        store.enter("a", at: 10)
        for second in 10..<60 {
            store.list("a", [1: -50], devices: [1: second < 30 ? "d1" : "d2"], areDuplicates: false, at: Double(second))
            store.list(
                "b", [1: -60], devices: [1: second < 40 ? "d1" : "d2"], areDuplicates: false, at: Double(second) + 0.5)
        }
        #expect(store.listed?.count == 1)
    }

    // MARK: - Visits

    @Test("A visit to a zone names one beacon at both ends, even if others came and went")
    func oneBeacon() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", at: 10)
        for second in 10..<20 { store.list("a", [1: -50], at: Double(second)) }
        for second in 20..<30 { store.list("a", [1: -50, 2: -50], at: Double(second)) }
        for second in 30..<60 { store.list("a", [2: -50], at: Double(second)) }
        for second in 60..<100 { store.list("b", [2: -50], at: Double(second)) }
        for second in 60..<100 { store.list("a", [:], at: Double(second)) }
        #expect(store.zoneIdentities.filter { $0.hasSuffix("door") } == ["1 door", "1 door"])
    }

    @Test("A zone is left at its gateways' last report of the beacon, not when another zone was sure")
    func lastHeardThere() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", at: 10)
        store.enter("b", at: 11)
        for second in 10..<36 { store.list("a", [1: -50], at: Double(second)) }
        for second in 36..<80 { store.list("b", [1: -50], at: Double(second)) }
        let stay = try #require(store.zoneStays.first)
        #expect((stay.lastHeardAt - .origin).seconds <= 36)
    }

    @Test("Without any list a zone's visit has the data of the gateway's event")
    func eventsAlone() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", rssi: -55, at: 10)
        store.advance(to: 60)
        #expect(store.zoneEvents.first?.hasSuffix("by a") == true)
        #expect(store.zoneLevels.first == -55)
    }

    @Test("A state inside that names an exit continues the visit of that exit, and its zone is published")
    func stateNamesExit() throws {
        var store = try Store()
        store.state("a", "outside", since_s: 1, seq: 0, at: 5)
        store.state("a", "inside", since_s: 9, seq: 1, at: 10)
        store.exit("a", entered_s: 6, heard_s: 8, told_s: 9, seq: 1, at: 10.2)
        for second in 11...40 { store.list("a", [1: -50], at: Double(second)) }
        #expect(store.events == ["enter carts 6.0 by a"])
        #expect(store.zoneStates.map { $0.hasPrefix("inside carts/zone/a ") } == [true])
    }

    // MARK: - Limits

    @Test("A beacon that has left while others keep its region inside gives way to a new one")
    func room() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", at: 10)
        for minor in 1...40 {
            for second in 0..<20 { store.list("a", [minor: -50], at: 10 + Double(minor) * 20 + Double(second)) }
        }
        #expect(store.placedBeacons <= 3)
    }
}
