import Testing

@testable import Core

@Suite("Each event counts at its own time, and late events change no history")
struct LatenessTests {
    @Test("With a clock that is not synced, the arrival counts")
    func unsynced() throws {
        var store = try Store()
        store.enter("a", told_s: -5_000, isSynced: false, at: 14)
        #expect(store.events == ["enter carts 14.0 by a"])
        #expect(store.engine.figures.late == 0)
    }

    @Test("The length of a stay is right with a clock that is not synced")
    func unsyncedStay() throws {
        var store = try Store()
        store.enter("a", told_s: 5_010, isSynced: false, at: 10)
        store.exit("a", entered_s: 5_010, heard_s: 5_020, told_s: 5_030, isSynced: false, at: 30)
        store.advance(to: 100)
        #expect(store.stays.map { Store.tenths($0.lastHeardAt) } == ["20.0"])
    }

    @Test("No event is later than its message")
    func ahead() throws {
        var store = try Store()
        store.enter("a", told_s: 5_000, at: 14)
        #expect(store.events == ["enter carts 14.0 by a"])
    }

    @Test("An event older than late_after_s at its arrival is counted, and has no other effect")
    func late() throws {
        var store = try Store("[site]\nlate_after_s = 20")
        store.enter("a", told_s: 10, at: 31)
        #expect(store.events == [] && store.engine.figures.late == 1)
    }

    @Test("A gateway that is back with hours of events changes no history")
    func hours() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        for number in 0..<5 {
            let began_s = 100 + Double(number) * 600
            store.enter("a", told_s: began_s, at: 7_200)
            store.exit("a", entered_s: began_s, heard_s: began_s + 60, told_s: began_s + 90, at: 7_200)
        }
        store.state("a", "outside", since_s: 2_590, at: 7_200)
        store.advance(to: 7_300)
        #expect(store.events == [] && store.states == ["outside carts 1.0"])
        #expect(store.engine.figures.late == 10)
    }

    @Test("A state is never late: it settles the questions that late events left open, without an event")
    func stateSettles() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.enter("a", told_s: 100, at: 200)
        store.state("a", "inside", since_s: 100, told_s: 100, at: 200)
        #expect(store.events == [] && store.states.last == "inside carts 100.0")
    }

    @Test("A state dated before the exit that was published meanwhile settles them too")
    func stateBeforeTheExit() throws {
        var store = try Store("[site]\nlate_after_s = 30")
        store.enter("a", at: 10)
        store.exit("a", entered_s: 10, heard_s: 40, at: 45)
        store.advance(to: 60)
        store.enter("b", told_s: 12, seq: 1, at: 100)
        store.state("b", "inside", since_s: 12, told_s: 12, seq: 1, at: 100.01)
        store.advance(to: 110)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 50.0 by a"])
        #expect(store.states.last?.hasPrefix("inside carts") == true)
        #expect(store.engine.figures.late == 1)
    }

    @Test("A retained message tells nothing about a gateway's clock")
    func clockOfRetained() throws {
        var store = try Store("[site]\nlate_after_s = 7200")
        func ahead_s() -> Double? { store.engine.figures(at: .origin).store?.gateways.first?.clockAhead_s }
        store.state("a", "outside", told_s: 10, isRetained: true, at: 3_610)
        #expect(ahead_s() == nil)
        store.state("a", "outside", told_s: 3_618, at: 3_620)
        #expect(ahead_s() == -2)
        store.state("a", "outside", told_s: 3_618, isRetained: true, at: 3_700)
        #expect(ahead_s() == -2)
    }

    @Test("What a gateway repeats or publishes late after a connection tells nothing about its clock")
    func clockAfterConnection() throws {
        var store = try Store("[site]\nlate_after_s = 7200")
        func ahead_s() -> Double? { store.engine.figures(at: .origin).store?.gateways.first?.clockAhead_s }
        store.status("a", at: 10)
        store.enter("a", told_s: 20, seq: 1, at: 20)
        #expect(ahead_s() == 0)
        store.status("a", online: false, at: 100)
        store.status("a", at: 300)
        store.state("a", "inside", since_s: 20, told_s: 20, seq: 1, at: 300.1)
        store.exit("a", entered_s: 20, heard_s: 110, told_s: 120, seq: 2, at: 301)
        #expect(ahead_s() == 0)
        // A list is never repeated and never late, and no message comes from the future.
        store.list("a", [1: -60], told_s: 296, at: 301)
        #expect(ahead_s() == -5)
        store.state("a", "outside", told_s: 304, seq: 2, at: 302)
        #expect(ahead_s() == 2)
        store.state("a", "outside", told_s: 393, seq: 2, at: 400)
        #expect(ahead_s() == -7)
    }

    @Test("A repeated event counts once")
    func duplicate() throws {
        var store = try Store()
        store.enter("a", seq: 1, at: 10)
        store.exit("a", entered_s: 10, heard_s: 20, seq: 2, at: 30)
        store.advance(to: 50)
        store.enter("a", told_s: 10, seq: 1, at: 35)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 35.0 by a"])
    }

    @Test("Another epoch of a gateway begins its numbers again")
    func epoch() throws {
        var store = try Store()
        store.enter("a", seq: 9, at: 10)
        store.exit("a", entered_s: 10, heard_s: 20, seq: 10, at: 30)
        store.advance(to: 50)
        store.enter("a", seq: 1, epoch: "F", at: 60)
        #expect(store.events.last == "enter carts 60.0 by a")
    }

    @Test("A waiting state is obsolete once a later event comes")
    func overtaken() throws {
        var store = try Store()
        store.state("a", "outside", seq: 5, at: 1)
        store.enter("a", seq: 6, at: 1.5)
        store.advance(to: 20)
        #expect(store.states == ["inside carts 1.5"])
    }

    @Test("If the event does not come, the state counts by itself")
    func eventLost() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.state("a", "inside", since_s: 10, told_s: 10, seq: 1, at: 10.1)
        store.advance(to: 12)
        #expect(store.states == ["outside carts 1.0"])
        store.advance(to: 13)
        #expect(store.states.last == "inside carts 10.0" && store.events == [])
    }

    // MARK: - After a line was down: states first, then the events in between

    @Test("A state that is older than its event's arrival, and not late, waits for it too")
    func shortLineDown() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.state("a", "inside", since_s: 10, told_s: 10, seq: 1, at: 19)
        store.enter("a", told_s: 10, seq: 1, at: 19.2)
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("A state goes on waiting while the list of its gateway is due: its line may be down again")
    func secondBreakOfALine() throws {
        for listsAgain in [true, false] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.status("a", at: 1)
            store.state("a", "outside", at: 1)
            for second in [2.0, 5, 8] { store.list("a", [2: -60], "others", at: second) }
            store.status("a", at: 100)
            store.state("a", "outside", since_s: 60, told_s: 60, seq: 4, at: 100.1)
            store.enter("a", told_s: 20, seq: 1, at: 100.2)
            if listsAgain { store.list("a", [2: -60], "others", at: 100.3) }
            store.status("a", at: 140)
            store.state("a", "outside", since_s: 60, told_s: 60, seq: 4, at: 140.1)
            store.exit("a", entered_s: 20, heard_s: 28, told_s: 30, seq: 2, at: 140.2)
            store.enter("a", told_s: 50, seq: 3, at: 140.3)
            store.exit("a", entered_s: 50, heard_s: 58, told_s: 60, seq: 4, at: 140.4)
            store.advance(to: 300)
            #expect(store.published.suffix(2) == ["20.0–28.0", "50.0–58.0"], "lists again: \(listsAgain)")
            #expect(store.stays.count == 2 && store.engine.figures.late == 0)
        }
    }

    @Test("If its event does not come, a state inside counts after 2 s: it keeps the region inside")
    func eventLostOnAConnection() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.status("a", at: 1)
        store.state("a", "outside", at: 1)
        store.status("a", at: 100)
        store.state("a", "inside", since_s: 90, told_s: 90, seq: 1, at: 100.1)
        store.advance(to: 101)
        #expect(!store.states.contains("inside carts 90.0"))
        store.advance(to: 106)
        #expect(store.states.last == "inside carts 90.0" && store.events == [])
    }

    @Test("A whole visit that comes after its last state is published")
    func visitAfterItsState() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.state("a", "outside", since_s: 30, told_s: 30, seq: 2, at: 33)
        store.enter("a", told_s: 10, seq: 1, at: 33.1)
        store.exit("a", entered_s: 10, heard_s: 25, told_s: 30, seq: 2, at: 33.2)
        store.advance(to: 60)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 35.0 by a"])
        #expect(store.stays.map { Store.tenths($0.lastHeardAt) } == ["25.0"])
    }

    @Test("Late events behind their state are counted as late")
    func lateBehindState() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.state("a", "outside", since_s: 30, told_s: 30, seq: 2, at: 100)
        store.enter("a", told_s: 10, seq: 1, at: 100.1)
        store.exit("a", entered_s: 10, heard_s: 25, told_s: 30, seq: 2, at: 100.2)
        #expect(store.events == [] && store.engine.figures.late == 2)
    }

    @Test("An entry whose state could not wait any longer is counted, and changes nothing")
    func overtakenByItsState() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.state("a", "inside", since_s: 10, told_s: 10, seq: 1, at: 10)
        store.advance(to: 15)
        store.enter("a", told_s: 10, seq: 1, at: 15)
        #expect(store.events == [] && store.states.last == "inside carts 10.0")
        #expect(store.engine.figures.late == 1)
    }

    @Test(
        "An exit whose state could not wait any longer has the beacon's last report, unless its visit is published")
    func exitBehindItsState() throws {
        for (isAway, heard_s, late) in [(true, 35, 0), (false, 10, 1)] as [(Bool, Double, UInt64)] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.state("b", "outside", at: 1)
            store.enter("a", seq: 1, at: 10)
            if isAway { store.status("b", online: false, at: 20) }
            store.state("a", "outside", since_s: 40, told_s: 40, seq: 2, at: 50)
            store.advance(to: 60)
            store.exit("a", entered_s: 10, heard_s: 35, told_s: 40, seq: 2, at: 60)
            store.status("b", at: 70)
            store.advance(to: 90)
            #expect(store.visits == ["carts 10.0–45.0, heard until \(Store.tenths(.origin + .seconds(heard_s)))"])
            #expect(store.engine.figures.late == late)
        }
    }

    @Test("A state that is older than the known one undoes nothing")
    func staleState() throws {
        var store = try Store()
        store.enter("a", seq: 1, at: 10)
        store.exit("a", entered_s: 10, heard_s: 20, seq: 2, at: 30)
        store.state("a", "inside", since_s: 10, told_s: 10, seq: 1, at: 30.5)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 35.0 by a"])
        #expect(store.states.last == "outside carts 35.0")
    }

    @Test(
        "A gateway that restarts, and is unknown before it is outside, ends the visit by an inferred exit"
    )
    func restartUnknownThenOutside() throws {
        var store = try Store()
        store.enter("a", seq: 1, at: 10)
        store.state("a", "unknown", seq: 0, epoch: "F", at: 25)
        store.state("a", "outside", seq: 0, epoch: "F", at: 35)
        store.advance(to: 100)
        #expect(store.events.last == "exit carts 40.0 by a")
        #expect(store.stays.map(\.ending) == [.inferred])
    }

    @Test("Each of thousands of states that wait together is published")
    func manyStatesWait() throws {
        var store = try Store("[regions]\nmax_newcomers_per_minute = 0\n[site]")
        for number in 0..<3_000 {
            store.state("a", "inside", "carts/\(number)", told_s: 9.9, seq: 1, at: 10 + Double(number) / 3_000)
        }
        store.advance(to: 20)
        #expect(store.states.count { $0.hasPrefix("inside") } == 3_000)
    }
}
