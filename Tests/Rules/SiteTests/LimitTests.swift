import Testing

@testable import Core

@Suite("Excess over a store's limits is refused, and counted")
struct LimitTests {
    @Test("64 gateways take part; messages of another one change nothing")
    func gateways() throws {
        var store = try Store()
        for number in 1...64 { store.state("g\(number)", "outside", at: 1) }
        store.enter("g65", at: 2)
        store.advance(to: 100)
        let figures = store.engine.figures(at: .origin + .seconds(100))
        #expect(store.events == [] && store.states == ["outside carts 1.0"])
        #expect(figures.refusedGateways == 1 && figures.store?.gateways.count == 64)
    }

    @Test("Listed gateways keep their place, even before their first message")
    func listedGateways() throws {
        var store = try Store("[site]" + (1...64).map { Store.gateway("g\($0)") }.joined())
        store.enter("stranger", at: 1)
        store.enter("g64", at: 2)
        #expect(store.events == ["enter carts 2.0 by g64"])
        #expect(store.engine.figures(at: .origin + .seconds(3)).refusedGateways == 1)
    }

    @Test(
        "At max_instances an entry is held back until another instance is left, and is then published with its own time"
    )
    func instances() throws {
        var store = try Store("[regions]\nmax_instances = 2\n[site]")
        store.enter("a", "carts/1/1", at: 1)
        store.enter("a", "carts/1/2", minor: 2, at: 2)
        store.enter("a", "carts/1/3", minor: 3, at: 3)
        store.exit("a", "carts/1/1", entered_s: 1, heard_s: 8, at: 10)
        store.advance(to: 100)
        #expect(
            store.events == [
                "enter carts/1/1 1.0 by a", "enter carts/1/2 2.0 by a", "exit carts/1/1 15.0 by a",
                "enter carts/1/3 3.0 by a",
            ])
        #expect(store.forgotten == ["carts/1/1/zone/a", "carts/1/1"])
        #expect(store.engine.figures(at: .origin + .seconds(100)).refusedEntries.maxInstances == 1)
    }

    @Test("An outside state of an expanded region, or a list of it, makes no instance")
    func absence() throws {
        var store = try Store()
        store.state("a", "outside", "carts/1/1", at: 1)
        store.state("a", "unknown", "carts/1/2", at: 1)
        store.list("a", [3: -60], "carts/1/3", at: 1)
        store.advance(to: 100)
        #expect(store.states == [] && store.engine.instanceCount == 0)
    }

    @Test("Newcomers beyond max_newcomers_per_minute are held back, reported, and enter in the next minute")
    func budget() throws {
        var store = try Store("[regions]\nmax_newcomers_per_minute = 2\n[site]")
        for minor in 1...5 { store.enter("a", "carts/1/\(minor)", minor: minor, at: 10 + Double(minor)) }
        store.advance(to: 59)
        #expect(store.events == ["enter carts/1/1 11.0 by a", "enter carts/1/2 12.0 by a"])
        store.advance(to: 61)
        #expect(store.events.suffix(2) == ["enter carts/1/3 13.0 by a", "enter carts/1/4 14.0 by a"])
        #expect(store.surges.map(\.refused) == [3] && store.surges.map(\.region) == ["carts"])
        store.advance(to: 121)
        #expect(store.events.last == "enter carts/1/5 15.0 by a")
        #expect(store.surges.map(\.refused) == [3, 1])
    }

    @Test("The store keeps max_instances pending entries: the oldest gives way, and is counted")
    func heldBackLimit() throws {
        var store = try Store("[regions]\nmax_instances = 2\n[site]")
        for minor in 1...5 { store.enter("a", "carts/1/\(minor)", minor: minor, at: Double(minor)) }
        store.advance(to: 70)
        #expect(store.events == ["enter carts/1/1 1.0 by a", "enter carts/1/2 2.0 by a"])
        for minor in 1...2 {
            store.exit("a", "carts/1/\(minor)", minor: minor, entered_s: Double(minor), heard_s: 75, at: 80)
        }
        store.advance(to: 200)
        #expect(store.events.suffix(2) == ["enter carts/1/4 4.0 by a", "enter carts/1/5 5.0 by a"])
        #expect(store.engine.figures(at: .origin + .seconds(200)).refusedEntries.maxInstances >= 1)
        // An entry that gave way is published once its gateway repeats its state.
        store.exit("a", "carts/1/4", minor: 4, entered_s: 4, heard_s: 200, at: 205)
        store.state("a", "inside", "carts/1/3", since_s: 3, told_s: 3, at: 210)
        store.advance(to: 300)
        #expect(store.states.last == "inside carts/1/3 3.0")
    }

    @Test("An entry that is left before its admission is no visit")
    func leftWhilePending() throws {
        var store = try Store("[regions]\nmax_newcomers_per_minute = 1\n[site]")
        store.enter("a", "carts/1/1", minor: 1, at: 1)
        store.enter("a", "carts/1/2", minor: 2, at: 2)
        store.exit("a", "carts/1/2", minor: 2, entered_s: 2, heard_s: 20, at: 40)
        store.advance(to: 200)
        #expect(store.events == ["enter carts/1/1 1.0 by a"])
        // It and its zone.
        #expect(store.engine.instanceCount == 2)
    }

    @Test("A pending entry stays pending when another gateway clears its state of that instance")
    func heldBackBesideCleared() throws {
        var store = try Store("[regions]\nmax_newcomers_per_minute = 1\n[site]")
        store.enter("a", "carts/1/1", at: 1)
        store.enter("a", "carts/1/2", minor: 2, at: 2)
        store.say("b", "region/carts/1/2/state", "", at: 3)
        store.advance(to: 100)
        #expect(store.events == ["enter carts/1/1 1.0 by a", "enter carts/1/2 2.0 by a"])
    }

    @Test("An instance that has been outside for forget_after_days is deleted, with its zones")
    func forgets() throws {
        var store = try Store("[regions]\nforget_after_days = 1\n[site]")
        store.enter("a", "carts/1/1", at: 1)
        store.list(["a": -60], from: 2, to: 20, region: "carts/1/1")
        store.exit("a", "carts/1/1", entered_s: 1, heard_s: 20, at: 40)
        store.advance(to: 80_000)
        #expect(store.engine.instanceCount == 2 && !store.hasForgotten)
        store.advance(to: 90_000)
        #expect(store.engine.instanceCount == 0 && store.forgotten == ["carts/1/1/zone/a", "carts/1/1"])
        store.enter("a", "carts/1/1", at: 90_001)
        #expect(store.events.last == "enter carts/1/1 90001.0 by a")
    }

    @Test("Plain regions are limited by max_regions")
    func plainRegions() throws {
        var store = try Store("[regions]\nmax_regions = 2\n[site]")
        for region in ["a", "b", "c"] { store.state("g", "outside", region, at: 1) }
        #expect(store.states == ["outside a 1.0", "outside b 1.0"])
    }
}
