import Gateway
import HCI
import Messages
import Regions
import Testing

@testable import Site

@Suite("What is beyond a store's limits is refused, and counted")
struct LimitTests {
    @Test("64 gateways take part; what another one says changes nothing")
    func gateways() throws {
        var store = try Store()
        for number in 1...64 { store.state("g\(number)", "outside", at: 1) }
        store.enter("g65", at: 2)
        store.advance(to: 100)
        let figures = store.engine.figures(at: .origin + .seconds(100))
        #expect(store.events == [] && store.states == ["outside carts 1.0"])
        #expect(figures.refusedGateways == 1 && figures.store?.gateways.count == 64)
    }

    @Test("Those that are listed keep their place, also before they have said anything")
    func listedGateways() throws {
        let listed = (1...64).map { "[[site.gateway]]\nid = \"g\($0)\"" }.joined(separator: "\n")
        var store = try Store("[site]\n" + listed)
        store.enter("stranger", at: 1)
        store.enter("g64", at: 2)
        #expect(store.events == ["enter carts 2.0 by g64"])
        #expect(store.engine.figures(at: .origin + .seconds(3)).refusedGateways == 1)
    }

    @Test("max_instances region instances are joined; another one is refused, and those that are there go on")
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
            ])
        #expect(store.engine.figures(at: .origin + .seconds(100)).refusedEntries.maxInstances == 1)
    }
}
