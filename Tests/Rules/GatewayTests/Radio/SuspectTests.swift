import TestAir
import Testing

@testable import Core

@Suite("A live radio is probed before its silence means anything")
struct SuspectTests {
    /// An engine of a live gateway with the door entered at 0, last heard at 1 s.
    private struct Live {
        var engine: GatewayEngine
        var outputs: [GatewayOutput] = []

        init(_ settings: GatewaySettings = .door()) {
            engine = GatewayEngine(settings, radioSees: true, at: .origin, outputs: &outputs)
            for t_s in [0, 0.5, 1] {
                var air = Air()
                air.beacon(.beacon(), from: .fixed(1), at: t_s)
                let event = air.transmissions[0].event
                engine.receive(event.span, at: .origin + .seconds(t_s), outputs: &outputs)
            }
        }

        mutating func liveness(_ liveness: RadioLiveness, at t_s: Double) {
            engine.liveness(liveness, at: .origin + .seconds(t_s), outputs: &outputs)
        }

        mutating func advance(to t_s: Double) { engine.advance(through: .origin + .seconds(t_s), outputs: &outputs) }

        /// States with their times, since the entry.
        var states: [String] {
            outputs.compactMap {
                guard case .transition(let transition, _) = $0, transition.at > .origin else { return nil }
                return "\(transition.state.rawValue) \(Story.tenths((transition.at - .origin).seconds))"
            }
        }
    }

    @Test("While it is suspect the exit timer pauses from the last report on")
    func suspect() {
        var live = Live()
        live.liveness(.suspect(since: .origin + .seconds(1)), at: 6)
        live.advance(to: 50)
        #expect(live.states == [])
    }

    @Test("If the controller answers, the air is only quiet: the exit comes a few seconds late")
    func quietAir() {
        var live = Live()
        live.liveness(.suspect(since: .origin + .seconds(1)), at: 6)
        live.liveness(.live, at: 6.5)
        live.advance(to: 60)
        #expect(live.states == ["outside 26.5"])
    }

    @Test("If it does not, the radio is blind from the last report on: unknown after unknown_state_after_s")
    func blind() {
        var live = Live()
        live.liveness(.suspect(since: .origin + .seconds(1)), at: 6)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 16)
        live.advance(to: 100)
        #expect(live.states == ["unknown 61.0"])
    }

    @Test("Blindness detected late is published late, never in the past")
    func foundOutLate() {
        var live = Live()
        live.advance(to: 10)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 15)
        var longAgo = Live(.door { _, region in region.rules.exitAfter = .seconds(500) })
        longAgo.advance(to: 200)
        longAgo.liveness(.blind(since: .origin + .seconds(1)), at: 200)
        longAgo.advance(to: 200)
        live.advance(to: 100)
        #expect(live.states == ["unknown 61.0"])
        #expect(longAgo.states == ["unknown 200.0"])
    }

    @Test("The exit timer goes on where it stood")
    func goesOn() {
        var live = Live()
        live.advance(to: 10)
        live.liveness(.blind(since: .origin + .seconds(10)), at: 10)
        live.liveness(.live, at: 40)
        live.advance(to: 100)
        #expect(live.states == ["outside 51.0"])
    }

    @Test("Blind twice, the times add up")
    func blindTwice() {
        var live = Live()
        live.liveness(.blind(since: .origin + .seconds(5)), at: 5)
        live.liveness(.live, at: 10)
        live.liveness(.blind(since: .origin + .seconds(15)), at: 15)
        live.liveness(.live, at: 25)
        live.advance(to: 100)
        #expect(live.states == ["outside 36.0"])
    }

    @Test("A region that was inside and is not heard after a long blindness leaves from unknown")
    func leavesFromUnknown() {
        var live = Live()
        live.liveness(.blind(since: .origin + .seconds(1)), at: 5)
        live.advance(to: 100)
        live.liveness(.live, at: 100)
        live.advance(to: 200)
        #expect(live.states == ["unknown 61.0", "outside 120.0"])
    }

    @Test("A radio blind from the start leaves every state unknown, and settles once it sees")
    func blindFromTheStart() {
        var outputs: [GatewayOutput] = []
        let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(10) }
        var engine = GatewayEngine(settings, radioSees: false, at: .origin, outputs: &outputs)
        engine.advance(through: .origin + .seconds(500), outputs: &outputs)
        engine.liveness(.live, at: .origin + .seconds(500), outputs: &outputs)
        engine.advance(through: .origin + .seconds(600), outputs: &outputs)
        let states = outputs.compactMap { output -> String? in
            guard case .transition(let transition, _) = output else { return nil }
            return "\(transition.state.rawValue) \(Story.tenths((transition.at - .origin).seconds))"
        }
        #expect(states == ["unknown 0.0", "outside 510.0"])
    }
}
