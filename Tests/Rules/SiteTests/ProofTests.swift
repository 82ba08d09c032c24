import Testing

@testable import Core

@Suite("A gateway that is offline or blind proves nothing")
struct ProofTests {
    @Test("A beacon that only it had heard becomes unknown after unknown_state_after_s, without an exit")
    func offline() throws {
        var store = try Store("[regions]\nunknown_state_after_s = 40\n[site]")
        store.enter("a", at: 10)
        store.status("a", online: false, at: 20)
        store.advance(to: 200)
        #expect(store.states == ["inside carts 10.0", "unknown carts 60.0"])
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("A radio that does not scan proves nothing either", arguments: ["off", "absent", "stalled", "unauthorized"])
    func blind(radio: String) throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.status("a", radio: radio, at: 20)
        store.advance(to: 200)
        #expect(store.states.last == "unknown carts 80.0")
    }

    @Test("The timer runs from the arrival of the will, whatever time it contains")
    func will() throws {
        var store = try Store()
        store.status("a", at: 1)
        store.enter("a", at: 10)
        store.say(
            "a", "status",
            #"{"schema":1,"at":"2026-11-18T10:00:00.000Z","clock":"synced","state":"offline","version":"1","epoch":"E","radio":"scanning","remedy":""}"#,
            at: 100)
        store.advance(to: 300)
        #expect(store.states.last == "unknown carts 160.0")
    }

    @Test("Another gateway that has it inside keeps it inside")
    func another() throws {
        var store = try Store.away(beside: "b")
        store.advance(to: 200)
        #expect(store.states == ["inside carts 10.0"])
    }

    @Test("The exit of another gateway does not end the stay at a gateway that is away: it may have it still")
    func exitOfAnother() throws {
        var store = try Store.away(beside: "b")
        store.exit("b", entered_s: 11, heard_s: 25, at: 30)
        store.advance(to: 200)
        #expect(store.events == ["enter carts 10.0 by a"])
        #expect(store.states.last == "unknown carts 80.0")
    }

    @Test(
        "The exit of another gateway, which had it inside later, ends the stay at a blind one: its line is up")
    func exitOfAnotherThanBlind() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", at: 11)
        store.status("a", radio: "off", at: 20)
        store.exit("b", entered_s: 11, heard_s: 25, at: 30)
        store.advance(to: 200)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 35.0 by b"])
    }

    @Test("A gateway that had left before does not end the stay at a deaf one")
    func exitBefore() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.enter("b", at: 11)
        store.exit("b", entered_s: 11, heard_s: 14, at: 19)
        store.status("a", online: false, at: 20)
        store.advance(to: 200)
        #expect(store.events == ["enter carts 10.0 by a"])
        #expect(store.states.last == "unknown carts 80.0")
    }

    @Test("A gateway that comes later and never had it inside does not end it either")
    func outsideOfANewcomer() throws {
        var store = try Store.away()
        store.state("b", "outside", at: 30)
        store.advance(to: 200)
        #expect(store.events == ["enter carts 10.0 by a"])
        #expect(store.states.last == "unknown carts 80.0")
    }

    @Test("A state that becomes unknown after the timer has run out is so from then on, and not from a time before")
    func unknownInThePast() throws {
        var store = try Store.away()
        store.state("b", "inside", told_s: 30, at: 30)
        store.status("b", radio: "off", at: 170)
        store.advance(to: 400)
        #expect(store.states == ["inside carts 10.0", "unknown carts 230.0"])
    }

    @Test("With a new report it continues: a state without an event")
    func heardAgain() throws {
        var store = try Store.away(until: 100)
        store.state("a", "inside", since_s: 10, at: 100.1)
        #expect(store.states == ["inside carts 10.0", "unknown carts 80.0", "inside carts 10.0"])
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("The return of a gateway proves nothing: its news of the region does")
    func backWithoutAWord() throws {
        var store = try Store.away(until: 100)
        store.advance(to: 150)
        #expect(store.states == ["inside carts 10.0", "unknown carts 80.0"])
    }

    @Test("The return of a gateway proves nothing for an outside region either")
    func outsideWithoutAWord() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.status("a", online: false, at: 20)
        store.status("a", at: 100)
        #expect(store.states.last == "unknown carts 80.0")
        store.state("a", "outside", since_s: 1, at: 100.1)
        #expect(store.states.last == "outside carts 100.1")
    }

    @Test("A new epoch that says nothing of an outside region for 30 s has it outside still")
    func outsideInANewEpoch() throws {
        var store = try Store()
        store.status("a", at: 0)
        store.state("a", "outside", at: 1)
        store.status("a", online: false, at: 20)
        store.status("a", epoch: "F", at: 100)
        store.advance(to: 129)
        #expect(store.states.last == "unknown carts 80.0")
        store.advance(to: 131)
        #expect(store.states.last == "outside carts 130.0")
        store.status("a", online: false, epoch: "F", at: 140)
        store.status("a", epoch: "G", at: 300)
        store.state("a", "unknown", seq: 0, epoch: "G", at: 301)
        store.advance(to: 400)
        #expect(store.states.last == "unknown carts 200.0")
    }

    @Test("A list of a returned gateway proves that it hears the beacon")
    func backWithAList() throws {
        var store = try Store.away(until: 100)
        store.list("a", [:], at: 101)
        #expect(store.states.last == "unknown carts 80.0")
        store.list("a", [1: -60], at: 102)
        #expect(store.states.last == "inside carts 10.0")
    }

    @Test("A late event settles nothing when a gateway is back")
    func backWithALateEvent() throws {
        var store = try Store.away(until: 100)
        store.exit("a", entered_s: 10, heard_s: 40, told_s: 50, at: 101)
        store.state("b", "outside", at: 102)
        store.advance(to: 150)
        #expect(store.states.last == "unknown carts 80.0" && store.events == ["enter carts 10.0 by a"])
    }

    @Test("Its statements before its status count too: a broker sends retained messages in any order")
    func statusLast() throws {
        var store = try Store.away()
        store.state("a", "inside", since_s: 10, at: 100)
        #expect(store.states.last == "unknown carts 80.0")
        store.status("a", at: 100.1)
        #expect(store.states.last == "inside carts 10.0")
    }

    @Test("A radio that hears again keeps its stays: the gateway was there all the time")
    func noLongerBlind() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.status("a", radio: "off", at: 20)
        store.status("a", at: 100)
        #expect(store.states == ["inside carts 10.0", "unknown carts 80.0", "inside carts 10.0"])
    }

    @Test("A gateway that is back with a blind radio also has to speak again, before it hears and after")
    func backAndBlind() throws {
        var store = try Store.away()
        store.status("a", radio: "off", at: 100)
        store.status("a", at: 110)
        #expect(store.states.last == "unknown carts 80.0")
        store.state("a", "inside", since_s: 10, at: 111)
        #expect(store.states.last == "inside carts 10.0")
    }

    @Test("Another gateway that hears the beacon settles it as well")
    func heardByAnother() throws {
        var store = try Store.away()
        store.advance(to: 90)
        store.enter("b", at: 95)
        #expect(store.states.last == "inside carts 10.0")
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("A gateway that is back and has it outside has seen it leave")
    func back() throws {
        var store = try Store.away(until: 200)
        store.state("a", "outside", since_s: 120, seq: 2, at: 200.1)
        store.advance(to: 300)
        #expect(store.states.last == "outside carts 205.1")
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 205.1 by a"])
    }

    @Test("A retained stay of a gateway offline from the start is unknown, and published as unknown")
    func offlineFromTheStart() throws {
        var store = try Store()
        store.status("a", online: false, at: 0)
        store.state("a", "inside", since_s: -500, told_s: -500, at: 0)
        store.advance(to: 200)
        #expect(store.states == ["unknown carts 0.0"])
        store.status("a", at: 200)
        store.state("a", "inside", since_s: -500, at: 200)
        #expect(store.states.last == "inside carts -500.0" && store.events == [])
    }

    @Test("A gateway whose own state is unknown proves nothing")
    func unknown() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.state("a", "unknown", at: 20)
        store.advance(to: 200)
        #expect(store.states.last == "unknown carts 80.0")
    }
}
