import TestAir
import Testing

@testable import Agent
@testable import Core
@testable import beacond

@Suite("An expanded region settles once, also where it has no instances")
struct SettledRegionTests {
    /// An outbox that outlives the processes of a test, which start one after the other.
    private final class Machine {
        private let outbox: Outbox

        init() throws { outbox = try Outbox.inMemory() }

        var settledRegions: [String] { StoredState(outbox, .epoch, bootID: "boot").settled.regions }

        /// The event of a device that is no iBeacon.
        private var otherDevice: [UInt8] {
            Air(othersUntil_s: 0).inOrder.flatMap(\.event)
        }

        /// Returns the events of a process that runs for a minute from `start_s` on and hears a beacon from `beacon_s`
        /// to `beacon_s` + 5 after its start.
        func run(_ configuration: String, from start_s: Double, beacon_s: Double? = nil, for_s: Double = 60) throws
            -> [RegionEvent]
        {
            let start = Instant.origin + .seconds(start_s)
            let begun = try AgentStart("[gateway]\nid = \"gate\"\n" + configuration, outbox, at: start)
            var (engine, outputs) = (begun.engine, begun.outputs)
            engine.liveness(.live, at: start, outputs: &outputs)
            for step in 0..<Int(for_s * 2) {
                let at_s = Double(step) / 2
                let isThere = beacon_s.map { ($0...$0 + 5).contains(at_s) } ?? false
                let event = isThere ? Air.event(.beacon(1, 1)) : otherDevice
                engine.receive(event.span, at: start + .seconds(at_s), outputs: &outputs)
            }
            // The process is killed: it does not stop its engine.
            _ = try begun.dispatcher.dispatch(outputs, .epoch)
            return outputs.compactMap { if case .transition(let one, _) = $0 { one.event } else { nil } }
        }
    }

    private func carts(_ lines: String = "expand = \"minor\"") -> String {
        "[[region]]\nid = \"carts\"\nuuid = \"\(Air.uuid)\"\n" + lines
    }

    private func kinds(_ events: [RegionEvent]) -> [String] {
        events.map {
            switch $0.kind {
            case .enter: "enter"
            case .exit(let stay): stay.beginning == .partial ? "partial exit" : "exit"
            }
        }
    }

    @Test("A beacon that comes within settle_s after a restart enters, and its exit is whole")
    func restart() throws {
        let machine = try Machine()
        #expect(try machine.run(carts(), from: 0).isEmpty)
        #expect(try kinds(machine.run(carts(), from: 100, beacon_s: 3)) == ["enter", "exit"])
    }

    @Test("A process that ended before settle_s does not count")
    func unsettled() throws {
        let machine = try Machine()
        #expect(try machine.run(carts(), from: 0, for_s: 9).isEmpty)
        #expect(try kinds(machine.run(carts(), from: 100, beacon_s: 3)) == ["partial exit"])
    }

    @Test(
        "A region with another definition settles again",
        arguments: ["expand = \"major\"", "expand = \"minor\"\nmajor = 1"])
    func changed(lines: String) throws {
        let machine = try Machine()
        #expect(try machine.run(carts(), from: 0).isEmpty)
        #expect(try kinds(machine.run(carts(lines), from: 100, beacon_s: 3)) == ["partial exit"])
    }

    @Test("A region that left the configuration leaves no record, and settles when it comes back")
    func removed() throws {
        let machine = try Machine()
        #expect(try machine.run(carts(), from: 0).isEmpty)
        #expect(machine.settledRegions == ["carts"])
        #expect(try machine.run("", from: 100).isEmpty)
        #expect(machine.settledRegions.isEmpty)
        #expect(try kinds(machine.run(carts(), from: 200, beacon_s: 3)) == ["partial exit"])
    }

    @Test("Time on a blind radio does not settle a region")
    func blind() throws {
        var outputs: [GatewayOutput] = []
        var engine = GatewayEngine(
            try Settings.parse(carts()).gateway, radioSees: false, at: .origin, outputs: &outputs)
        func settled() -> Int { outputs.count { if case .settled = $0 { true } else { false } } }
        engine.advance(through: .origin + .seconds(60), outputs: &outputs)
        engine.liveness(.live, at: .origin + .seconds(60), outputs: &outputs)
        engine.advance(through: .origin + .seconds(69.9), outputs: &outputs)
        #expect(settled() == 0)
        engine.advance(through: .origin + .seconds(70), outputs: &outputs)
        #expect(settled() == 1)
    }
}
