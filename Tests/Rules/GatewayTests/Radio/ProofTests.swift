import TestAir
import Testing

@testable import Core

@Suite("A live radio that died a moment ago makes no exit")
struct ProofTests {
    /// An engine of a live gateway that heard a beacon at the door, alone in the air, until 1 s.
    private struct Live {
        var engine: GatewayEngine
        var outputs: [GatewayOutput] = []

        init(exitAfter: Double, canProbe: Bool = true) {
            let settings = GatewaySettings.door { _, region in region.rules.exitAfter = .seconds(exitAfter) }
            engine = GatewayEngine(settings, radioSees: true, canProbe: canProbe, at: .origin, outputs: &outputs)
            for tenth in 0...10 { hear(Double(tenth) / 10) }
        }

        mutating func hear(_ t_s: Double, _ address: DeviceAddress = .fixed(1), beacon: Bool = true) {
            var air = Air()
            if beacon {
                air.beacon(.beacon(), from: address, at: t_s)
            } else {
                air.otherDevices(start_s: t_s, end_s: t_s)
            }
            let event = air.transmissions[0].event
            engine.receive(event.span, at: .origin + .seconds(t_s), outputs: &outputs)
        }

        mutating func advance(to t_s: Double) { engine.advance(through: .origin + .seconds(t_s), outputs: &outputs) }

        mutating func proved(at t_s: Double) {
            engine.radioProved(at: .origin + .seconds(t_s), outputs: &outputs)
            advance(to: t_s)
        }

        mutating func liveness(_ liveness: RadioLiveness, at t_s: Double) {
            engine.liveness(liveness, at: .origin + .seconds(t_s), outputs: &outputs)
        }

        /// States with their times, since the entry.
        var states: [String] {
            outputs.compactMap {
                guard case .transition(let transition, _) = $0, transition.at > .origin else { return nil }
                return "\(transition.state.rawValue) \(Story.tenths((transition.at - .origin).seconds))"
            }
        }
    }

    @Test("An exit that is due in silence waits, and asks for proof", arguments: [1.0, 3, 5, 20])
    func waits(exitAfter: Double) {
        var live = Live(exitAfter: exitAfter)
        live.advance(to: 0.9 + exitAfter)
        #expect(!live.engine.presence.needsProof, "Nothing is asked before it is due.")
        live.advance(to: 1 + exitAfter)
        #expect(live.engine.presence.needsProof)
        live.advance(to: 10 + exitAfter)
        #expect(live.states == [])
    }

    @Test("The controller answers: the air is quiet, and the exit comes then")
    func answered() {
        var live = Live(exitAfter: 3)
        live.advance(to: 4)
        live.proved(at: 4.2)
        #expect(live.states == ["outside 4.2"])
        #expect(!live.engine.presence.needsProof)
    }

    @Test("The controller does not answer: the radio is blind since the last report, and there is no exit")
    func notAnswered() {
        var live = Live(exitAfter: 3)
        live.advance(to: 4)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 6)
        #expect(!live.engine.presence.needsProof)
        live.advance(to: 50)
        #expect(live.states == [])
        live.liveness(.live, at: 50)
        live.hear(50.1)
        live.advance(to: 50.2)
        #expect(live.states == [], "Heard again, and inside before.")
    }

    @Test("Blind in between and quiet afterwards, the exit waits for proof once more, and comes")
    func provedAfterBlindness() {
        var live = Live(exitAfter: 3)
        live.advance(to: 4)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 6)
        live.liveness(.live, at: 20)
        live.advance(to: 22.9)
        #expect(!live.engine.presence.needsProof)
        live.advance(to: 23)
        #expect(live.engine.presence.needsProof)
        live.proved(at: 23.1)
        #expect(live.states == ["outside 23.1"])
    }

    @Test("Any report proves that the radio hears: the exit comes with it")
    func report() {
        var live = Live(exitAfter: 3)
        live.advance(to: 4)
        live.hear(4.7, .fixed(2), beacon: false)
        live.advance(to: 4.7)
        #expect(live.states == ["outside 4.7"])
    }

    @Test("A beacon heard while its exit waits has never left")
    func heardWhileWaiting() {
        var live = Live(exitAfter: 3)
        live.advance(to: 4)
        live.hear(4.3)
        live.advance(to: 4.3)
        #expect(live.states == [])
        #expect(!live.engine.presence.needsProof)
        live.advance(to: 7.3)
        live.proved(at: 7.4)
        #expect(live.states == ["outside 7.4"])
    }

    @Test("With a report half a second before, the exit is on time without a probe")
    func livelyAir() {
        var live = Live(exitAfter: 3)
        for step in 1...6 { live.hear(1 + Double(step) / 2, .fixed(2), beacon: false) }
        live.advance(to: 4.4)
        #expect(live.states == ["outside 4.0"])
    }

    @Test("A beacon that is still heard causes no probe when an overtaken timer ends")
    func overtaken() {
        var live = Live(exitAfter: 3)
        live.hear(2.5)
        live.advance(to: 5)
        #expect(!live.engine.presence.needsProof)
        #expect(live.states == [])
    }

    @Test("Settling to outside waits for proof as well")
    func settling() {
        var outputs: [GatewayOutput] = []
        let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(2) }
        var engine = GatewayEngine(settings, radioSees: false, canProbe: true, at: .origin, outputs: &outputs)
        engine.liveness(.live, at: .origin, outputs: &outputs)
        engine.advance(through: .origin + .seconds(5), outputs: &outputs)
        #expect(engine.presence.needsProof)
        #expect(outputs.count == 1, "unknown, from the start")
        engine.radioProved(at: .origin + .seconds(6), outputs: &outputs)
        engine.advance(through: .origin + .seconds(6), outputs: &outputs)
        #expect(outputs.count == 2)
        #expect(!engine.presence.needsProof)
    }

    @Test("Without a controller to probe, as in a replay, the exit is on time")
    func replay() {
        var live = Live(exitAfter: 3, canProbe: false)
        live.advance(to: 10)
        #expect(live.states == ["outside 4.0"])
        #expect(!live.engine.presence.needsProof)
    }
}
