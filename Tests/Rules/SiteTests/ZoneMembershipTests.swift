import Beacons
import Configuration
import Gateway
import HCI
import Messages
import Regions
import Testing

@testable import Site

/// A beacon's place is known once; each of its regions may come to tell of it at another time.
@Suite("Every region of a beacon tells the zone that it is in")
struct ZoneMembershipTests {
    private static let cart = RegionInstanceID(region: "cart", .minor(major: 1, minor: 1))

    private func stored(_ id: RegionInstanceID, entered_s: Double, heard_s: Double) -> RegionRecord {
        RegionRecord(
            instance: id,
            .beacon(of: BeaconIdentityConstraint(uuid: Store.uuid, major: id.major, minor: id.minor)),
            .inside(
                RegionRecord.OpenStay(
                    enteredAt: .origin + .seconds(entered_s), lastHeardAt: .origin + .seconds(heard_s),
                    keeper: .beacon(BeaconKeeper(major: 1, minor: 1, rssi_dbm: -60)))))
    }

    private func words(_ events: [String]) -> [String] {
        events.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    }

    @Test("After a restart a beacon leaves the zone where it was before it enters the one where it is")
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
        #expect(words(store.zoneEvents) == ["exit cart/1/1/zone/door", "enter cart/1/1/zone/bakery"])
    }

    @Test("Who has left a region of his own and comes back is told in the zone again, whoever kept the others inside")
    func back() throws {
        var store = try Store(ZoneTests.two)
        for region in ["hall", "cart/1/1"] { store.enter("a", region, at: 10) }
        for second in 10..<20 {
            for region in ["hall", "cart/1/1"] { store.list("a", [1: -55], region, at: Double(second)) }
        }
        store.exit("a", "cart/1/1", entered_s: 10, heard_s: 19, at: 25)
        store.advance(to: 31)
        store.enter("a", "cart/1/1", at: 32)
        for second in 32..<42 {
            for region in ["hall", "cart/1/1"] { store.list("a", [1: -55], region, at: Double(second)) }
        }
        #expect(
            words(store.zoneEvents.filter { $0.contains("cart") }) == [
                "enter cart/1/1/zone/door", "exit cart/1/1/zone/door", "enter cart/1/1/zone/door",
            ])
    }

    @Test("A region that comes to be told inside after the beacon has been placed tells its zone too")
    func later() throws {
        var store = try Store(ZoneTests.two)
        store.enter("a", "hall", at: 10)
        for second in 10..<20 {
            for region in ["hall", "cart/1/1"] { store.list("a", [1: -55], region, at: Double(second)) }
        }
        store.enter("a", "cart/1/1", at: 20)
        for second in 20..<24 { store.list("a", [1: -55], "cart/1/1", at: Double(second)) }
        #expect(words(store.zoneEvents) == ["enter hall/zone/door", "enter cart/1/1/zone/door"])
    }

    @Test("Who went to another zone while his region was unknown is told in one zone once it is known again")
    func unknown() throws {
        var store = try Store("[regions]\nunknown_state_after_s = 5\n" + ZoneTests.two)
        for region in ["hall", "cart/1/1"] { store.enter("a", region, at: 10) }
        store.enter("b", "hall", at: 10)
        for second in 10..<20 {
            for region in ["hall", "cart/1/1"] { store.list("a", [1: -55], region, at: Double(second)) }
        }
        store.status("a", online: false, at: 20)
        for second in 20..<60 { store.list("b", [1: -55], "hall", at: Double(second)) }
        store.enter("b", "cart/1/1", at: 60)
        for second in 60..<64 { store.list("b", [1: -55], "cart/1/1", at: Double(second)) }
        #expect(
            words(store.zoneEvents.filter { $0.contains("cart") }) == [
                "enter cart/1/1/zone/door", "exit cart/1/1/zone/door", "enter cart/1/1/zone/bakery",
            ])
    }
}
