import TestAir
import Testing

@testable import Core

@Suite("A live radio is probed before its silence means anything")
struct SuspectTests {
    @Test("While it is suspect the exit timer pauses from the last report on")
    func suspect() {
        let live = Conversation.atTheDoor(every_s: 0.5)
        live.liveness(.suspect(since: .origin + .seconds(1)), at: 6)
        live.hear(until_s: 50)
        #expect(live.laterStates == [])
    }

    @Test("If the controller answers, the air is only quiet: the exit comes a few seconds late")
    func quietAir() {
        let live = Conversation.atTheDoor(every_s: 0.5)
        live.liveness(.suspect(since: .origin + .seconds(1)), at: 6)
        live.liveness(.live, at: 6.5)
        live.hear(until_s: 60)
        #expect(live.laterStates == ["outside door 26.5"])
    }

    @Test("If it does not, the radio is blind from the last report on: unknown after unknown_state_after_s")
    func blind() {
        let live = Conversation.atTheDoor(every_s: 0.5)
        live.liveness(.suspect(since: .origin + .seconds(1)), at: 6)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 16)
        live.hear(until_s: 100)
        #expect(live.laterStates == ["unknown door 61.0"])
    }

    @Test("Blindness detected late is published late, never in the past")
    func foundOutLate() {
        let live = Conversation.atTheDoor(every_s: 0.5)
        live.hear(until_s: 10)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 15)
        let patient = GatewaySettings.door { _, region in region.rules.exitAfter = .seconds(500) }
        let longAgo = Conversation.atTheDoor(patient, every_s: 0.5)
        longAgo.hear(until_s: 200)
        longAgo.liveness(.blind(since: .origin + .seconds(1)), at: 200)
        longAgo.hear(until_s: 200)
        live.hear(until_s: 100)
        #expect(live.laterStates == ["unknown door 61.0"])
        #expect(longAgo.laterStates == ["unknown door 200.0"])
    }

    @Test("Blind twice, the times add up")
    func blindTwice() {
        let live = Conversation.atTheDoor(every_s: 0.5)
        live.liveness(.blind(since: .origin + .seconds(5)), at: 5)
        live.liveness(.live, at: 10)
        live.liveness(.blind(since: .origin + .seconds(15)), at: 15)
        live.liveness(.live, at: 25)
        live.hear(until_s: 100)
        #expect(live.laterStates == ["outside door 36.0"])
    }

    @Test("A region that was inside and is not heard after a long blindness leaves from unknown")
    func leavesFromUnknown() {
        let live = Conversation.atTheDoor(every_s: 0.5)
        live.liveness(.blind(since: .origin + .seconds(1)), at: 5)
        live.hear(until_s: 100)
        live.liveness(.live, at: 100)
        live.hear(until_s: 200)
        #expect(live.laterStates == ["unknown door 61.0", "outside door 120.0"])
    }

    @Test("A radio blind from the start leaves every state unknown, and settles once it sees")
    func blindFromTheStart() {
        let settings = GatewaySettings.door { _, region in region.rules.settle = .seconds(10) }
        let gateway = Conversation(settings, radioSees: false)
        gateway.hear(until_s: 500)
        gateway.liveness(.live, at: 500)
        gateway.hear(until_s: 600)
        #expect(gateway.states == ["unknown door 0.0", "outside door 510.0"])
    }
}
