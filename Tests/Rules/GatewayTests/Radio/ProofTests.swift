import TestAir
import Testing

@testable import Core

@Suite("A live radio that died a moment ago makes no exit")
struct ProofTests {
    private func live(exitAfter: Double, canProbe: Bool = true) -> Conversation {
        .atTheDoor(.door { _, region in region.rules.exitAfter = .seconds(exitAfter) }, canProbe: canProbe)
    }

    @Test("An exit that is due in silence waits, and asks for proof", arguments: [1.0, 3, 5, 20])
    func waits(exitAfter: Double) {
        let live = live(exitAfter: exitAfter)
        live.hear(until_s: 0.9 + exitAfter)
        #expect(!live.engine.presence.needsProof, "Nothing is asked before it is due.")
        live.hear(until_s: 1 + exitAfter)
        #expect(live.engine.presence.needsProof)
        live.hear(until_s: 10 + exitAfter)
        #expect(live.laterStates == [])
    }

    @Test("The controller answers: the air is quiet, and the exit comes then")
    func answered() {
        let live = live(exitAfter: 3)
        live.hear(until_s: 4)
        live.proved(at: 4.2)
        #expect(live.laterStates == ["outside door 4.2"])
        #expect(!live.engine.presence.needsProof)
    }

    @Test("The controller does not answer: the radio is blind since the last report, and there is no exit")
    func notAnswered() {
        let live = live(exitAfter: 3)
        live.hear(until_s: 4)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 6)
        #expect(!live.engine.presence.needsProof)
        live.hear(until_s: 50)
        #expect(live.laterStates == [])
        live.liveness(.live, at: 50)
        live.hear(50.1)
        live.hear(until_s: 50.2)
        #expect(live.laterStates == [], "Heard again, and inside before.")
    }

    @Test("Blind in between and quiet afterwards, the exit waits for proof once more, and comes")
    func provedAfterBlindness() {
        let live = live(exitAfter: 3)
        live.hear(until_s: 4)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 6)
        live.liveness(.live, at: 20)
        live.hear(until_s: 22.9)
        #expect(!live.engine.presence.needsProof)
        live.hear(until_s: 23)
        #expect(live.engine.presence.needsProof)
        live.proved(at: 23.1)
        #expect(live.laterStates == ["outside door 23.1"])
    }

    @Test("Any report proves that the radio hears: the exit comes with it")
    func report() {
        let live = live(exitAfter: 3)
        live.hear(until_s: 4)
        live.hear(4.7, from: .fixed(2), beacon: false)
        live.hear(until_s: 4.7)
        #expect(live.laterStates == ["outside door 4.7"])
    }

    @Test("A beacon heard while its exit waits has never left")
    func heardWhileWaiting() {
        let live = live(exitAfter: 3)
        live.hear(until_s: 4)
        live.hear(4.3)
        live.hear(until_s: 4.3)
        #expect(live.laterStates == [])
        #expect(!live.engine.presence.needsProof)
        live.hear(until_s: 7.3)
        live.proved(at: 7.4)
        #expect(live.laterStates == ["outside door 7.4"])
    }

    @Test("With a report half a second before, the exit is on time without a probe")
    func livelyAir() {
        let live = live(exitAfter: 3)
        for step in 1...6 { live.hear(1 + Double(step) / 2, from: .fixed(2), beacon: false) }
        live.hear(until_s: 4.4)
        #expect(live.laterStates == ["outside door 4.0"])
    }

    @Test("A beacon that is still heard causes no probe when an overtaken timer ends")
    func overtaken() {
        let live = live(exitAfter: 3)
        live.hear(2.5)
        live.hear(until_s: 5)
        #expect(!live.engine.presence.needsProof)
        #expect(live.laterStates == [])
    }

    @Test("Settling to outside waits for proof as well")
    func settling() {
        let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(2) }
        let gateway = Conversation(settings, radioSees: false, canProbe: true)
        gateway.liveness(.live, at: 0)
        gateway.hear(until_s: 5)
        #expect(gateway.engine.presence.needsProof)
        #expect(gateway.outputs.count == 1, "unknown, from the start")
        gateway.proved(at: 6)
        #expect(gateway.outputs.count == 2)
        #expect(!gateway.engine.presence.needsProof)
    }

    @Test("Without a controller to probe, as in a replay, the exit is on time")
    func replay() {
        let live = live(exitAfter: 3, canProbe: false)
        live.hear(until_s: 10)
        #expect(live.laterStates == ["outside door 4.0"])
        #expect(!live.engine.presence.needsProof)
    }
}
