import Testing

@testable import Core

@Suite("An old entry waits for gateways that are back at the same time")
struct OldEntryTests {
    @Test("After an outage of all, the visits of the gateway that is back last are published too, each at its own time")
    func outageOfAll() throws {
        for left_s in [240.0, 500] {
            var store = try Store("[site]\nlate_after_s = 7200")
            for gateway in ["a", "b"] {
                store.state(gateway, "outside", at: 1)
                store.status(gateway, online: false, at: 50)
            }
            store.status("a", at: 300)
            store.enter("a", told_s: 200, seq: 1, at: 300.1)
            if left_s < 300 { store.exit("a", entered_s: 200, heard_s: left_s - 5, told_s: left_s, seq: 2, at: 300.1) }
            store.status("b", at: 310)
            store.enter("b", told_s: 100, seq: 1, at: 310.1)
            store.exit("b", entered_s: 100, heard_s: 155, told_s: 160, seq: 2, at: 310.1)
            if left_s > 300 { store.exit("a", entered_s: 200, heard_s: left_s - 5, seq: 2, at: left_s) }
            store.advance(to: 600)
            #expect(
                store.published == [
                    "enter carts 100.0 by b", "exit carts 165.0 by b", "enter carts 200.0 by a",
                    "exit carts \(left_s + 5) by a", "100.0–155.0", "200.0–\(left_s - 5)",
                ])
            #expect(store.engine.figures.late == 0)
        }
    }

    @Test("An old entry waits for gateways that are away for as long again as it is old, at most 30 s")
    func oldEntryBesideAwayGateway() throws {
        for (age_s, wait_s) in [(0.4, 0.0), (2.0, 2.0), (100.0, 30.0)] {
            var store = try Store("[site]\nlate_after_s = 7200")
            for gateway in ["a", "b"] { store.state(gateway, "outside", at: 1) }
            store.status("b", online: false, at: 50)
            store.enter("a", told_s: 300 - age_s, at: 300)
            store.advance(to: 300 + wait_s - 0.1)
            #expect(store.events == (wait_s == 0 ? ["enter carts \(300 - age_s) by a"] : []))
            store.advance(to: 300 + wait_s + 0.1)
            #expect(store.events == ["enter carts \(300 - age_s) by a"])
        }
    }

    @Test("While an old entry waits, the state becomes unknown as without it")
    func unknownWhileAnOldEntryWaits() throws {
        var store = try Store("[site]\nlate_after_s = 7200")
        for gateway in ["a", "b"] {
            store.state(gateway, "outside", at: 1)
            store.status(gateway, online: false, at: 50)
        }
        store.status("a", at: 100)
        store.enter("a", told_s: 80, at: 100)
        store.advance(to: 115)
        #expect(store.states.last == "unknown carts 110.0")
        #expect(store.events.isEmpty)
        store.advance(to: 130)
        #expect(store.events == ["enter carts 80.0 by a"])
        #expect(store.states.last == "inside carts 80.0")
    }

    @Test("An old entry that waits is published even if its gateway goes away meanwhile")
    func oldEntryOfAGatewayThatGoesAway() throws {
        var store = try Store("[site]\nlate_after_s = 7200")
        for gateway in ["a", "b"] { store.state(gateway, "outside", at: 1) }
        store.status("b", online: false, at: 50)
        store.enter("a", told_s: 200, at: 300)
        store.status("a", online: false, at: 301)
        store.advance(to: 400)
        #expect(store.events == ["enter carts 200.0 by a"])
        #expect(store.states.last == "unknown carts 361.0")
    }
}
