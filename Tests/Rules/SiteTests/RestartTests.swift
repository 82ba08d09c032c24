import TestAir
import Testing

@testable import Core

@Suite("A store's state outlives its process")
struct RestartTests {
    private func inside(_ id: RegionInstanceID, entered_s: Double = -100, heard_s: Double = -10) -> RegionRecord {
        .inside(
            id, of: BeaconIdentityConstraint(uuid: Store.uuid, major: nil, minor: nil),
            entered: .origin + .seconds(entered_s), heard: .origin + .seconds(heard_s), minor: 1)
    }

    @Test("Still inside is no event")
    func still() throws {
        var store = try Store(restoring: [inside(RegionInstanceID(region: "carts"))])
        store.state("a", "inside", since_s: -100, seq: 4, at: 0.1)
        store.advance(to: 200)
        #expect(store.events == [] && store.states.holdForAll { $0.hasPrefix("inside") })
    }

    @Test("Gone is an inferred exit")
    func gone() throws {
        var store = try Store(restoring: [inside(RegionInstanceID(region: "carts"))])
        store.state("a", "outside", since_s: -5, told_s: -5, seq: 4, at: 0.1)
        store.advance(to: 200)
        #expect(store.stays.map(\.ending) == [.inferred])
        #expect(store.stays.map { Store.tenths($0.lastHeardAt) } == ["-10.0"])
    }

    @Test("Events while no process ran are published after the start of the next one: the history before stays")
    func leftMeanwhile() throws {
        var store = try Store(restoring: [inside(RegionInstanceID(region: "carts"))])
        store.state("a", "outside", since_s: -20, told_s: -20, seq: 4, at: 0.1)
        store.advance(to: 200)
        #expect(store.events == ["exit carts 7.1 by -"])
    }

    @Test("A beacon does not leave because the first gateway to speak has it outside: another one may have it inside")
    func wordsOneByOne() throws {
        var store = try Store("[site]\nleave_after_s = 0", restoring: [inside(RegionInstanceID(region: "carts"))])
        store.state("a", "outside", since_s: -50, told_s: -50, seq: 3, at: 0.1)
        store.state("b", "inside", since_s: -51, told_s: -51, seq: 4, at: 0.2)
        store.advance(to: 200)
        #expect(store.events == [] && store.states.last?.hasPrefix("inside") == true)
    }

    @Test("A region that no gateway tells any more becomes unknown")
    func silence() throws {
        var store = try Store(restoring: [inside(RegionInstanceID(region: "carts"))])
        store.advance(to: 200)
        #expect(store.states.last == "unknown carts 60.0")
    }

    @Test("A zone in which no beacon is found is left")
    func zone() throws {
        let zone = RegionInstanceID(region: "carts", zone: "door")
        var store = try Store(restoring: [inside(RegionInstanceID(region: "carts")), inside(zone)])
        store.state("a", "inside", since_s: -100, seq: 4, at: 0.1)
        store.advance(to: 200)
        #expect(store.zoneEvents.map { $0.prefix(20) } == ["exit carts/zone/door"])
    }
}
