import Testing

@testable import Core

@Suite("Visits equal those of a store that had heard everything at once, in any order of arrival")
struct EventTimeTests {
    @Test("An exit and an entry 2 s later, published after leave_after_s, are one visit")
    func breakOfALine() throws {
        var store = try Store()
        store.enter("a", seq: 1, at: 10)
        store.status("a", at: 38)
        store.state("a", "inside", since_s: 32, told_s: 32, seq: 3, at: 38.005)
        store.exit("a", entered_s: 10, heard_s: 28, told_s: 30, seq: 2, at: 38.01)
        store.enter("a", told_s: 32, seq: 3, at: 38.02)
        store.exit("a", entered_s: 32, heard_s: 50, seq: 4, at: 55)
        store.advance(to: 100)
        #expect(store.published == ["enter carts 10.0 by a", "exit carts 60.0 by a", "10.0–50.0"])
    }

    @Test(
        "The late exit of one gateway and the late, earlier entry of another are one visit"
    )
    func exitBeforeTheEntryOfAnother() throws {
        var store = try Store()
        store.state("b", "outside", at: 1)
        store.enter("a", at: 10)
        store.exit("a", entered_s: 10, heard_s: 28, told_s: 30, at: 37)
        store.enter("b", told_s: 32, at: 37.05)
        store.exit("b", entered_s: 32, heard_s: 50, at: 55)
        store.advance(to: 100)
        #expect(store.published == ["enter carts 10.0 by a", "exit carts 60.0 by b", "10.0–50.0"])
    }

    @Test("Two visits that arrive at once, long after, are two, each at its own time")
    func twoVisitsAtOnce() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.enter("a", seq: 1, at: 10)
        store.status("a", online: false, at: 20)
        store.status("a", at: 300)
        store.state("a", "outside", since_s: 100, told_s: 100, seq: 4, at: 300)
        store.exit("a", entered_s: 10, heard_s: 28, told_s: 30, seq: 2, at: 300.1)
        store.enter("a", told_s: 62, seq: 3, at: 300.2)
        store.exit("a", entered_s: 62, heard_s: 90, told_s: 100, seq: 4, at: 300.3)
        store.advance(to: 400)
        #expect(
            store.published == [
                "enter carts 10.0 by a", "exit carts 35.0 by a", "enter carts 62.0 by a", "exit carts 105.0 by a",
                "10.0–28.0", "62.0–90.0",
            ])
    }

    @Test("Events of one gateway count at their own times, in any order of arrival")
    func anyOrder() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.enter("a", seq: 1, at: 10)
        store.enter("a", told_s: 62, seq: 3, at: 100)
        store.exit("a", entered_s: 62, heard_s: 90, told_s: 95, seq: 4, at: 100.1)
        store.exit("a", entered_s: 10, heard_s: 28, told_s: 30, seq: 2, at: 100.2)
        store.advance(to: 400)
        #expect(
            store.published == [
                "enter carts 10.0 by a", "exit carts 35.0 by a", "enter carts 62.0 by a", "exit carts 100.0 by a",
                "10.0–28.0", "62.0–90.0",
            ])
    }

    @Test("While a gateway is away, an exit waits for its possible reports, at most for late_after_s")
    func awayGateway() throws {
        var store = try Store()
        store.state("b", "outside", at: 1)
        store.enter("a", at: 10)
        store.status("b", online: false, at: 20)
        store.exit("a", entered_s: 10, heard_s: 28, at: 30)
        store.advance(to: 65)
        #expect(store.events == ["enter carts 10.0 by a"])
        store.advance(to: 66)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 35.0 by a"])
    }

    @Test("A late stay of a gateway that was away joins two visits published by others")
    func awayGatewayJoins() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.state("b", "outside", seq: 0, at: 1)
        store.enter("a", at: 10)
        store.status("b", online: false, at: 20)
        store.exit("a", entered_s: 10, heard_s: 38, at: 40)
        store.enter("a", at: 62)
        store.status("b", at: 100)
        store.state("b", "outside", since_s: 60, told_s: 60, seq: 2, at: 100)
        store.enter("b", told_s: 38, seq: 1, at: 100.1)
        store.exit("b", entered_s: 38, heard_s: 58, told_s: 60, seq: 2, at: 100.2)
        store.exit("a", entered_s: 62, heard_s: 118, at: 120)
        store.advance(to: 300)
        #expect(store.published == ["enter carts 10.0 by a", "exit carts 125.0 by a", "10.0–118.0"])
    }

    @Test("While a gateway is away, others report at most 256 visits of one cart: all are published once it is back")
    func manyVisits() throws {
        for (count, late) in [(256, 0), (257, 1)] {
            var store = try Store("[site]\nlate_after_s = 72000")
            store.status("a", online: false, at: 1)
            for visit in 1...count {
                let entered_s = Double(visit) * 60
                store.enter("b", at: entered_s)
                store.exit("b", entered_s: entered_s, heard_s: entered_s + 35, at: entered_s + 40)
            }
            store.status("a", at: 16_000)
            store.advance(to: 17_000)
            #expect(store.events.count { $0.hasPrefix("exit") } == 256)
            #expect(store.engine.figures.late == late)
        }
    }

    @Test("When more than max_instances stays wait, those of a cart that has 16 are joined, and counted")
    func manyVisitsOfMany() throws {
        var store = try Store("[regions]\nmax_instances = 20\n[site]\nlate_after_s = 72000")
        store.status("a", online: false, at: 0.5)
        for visit in 0..<20 {
            for minor in 1...4 {
                let entered_s = Double(visit) * 10 + 1 + Double(minor) / 100
                store.enter("b", "carts/1/\(minor)", minor: minor, at: entered_s)
                store.exit(
                    "b", "carts/1/\(minor)", minor: minor, entered_s: entered_s, heard_s: entered_s,
                    at: entered_s + 0.001)
            }
        }
        store.status("a", at: 210)
        store.advance(to: 220)
        #expect(store.events.count { $0.hasPrefix("exit") } == 4 * 16)
        #expect(store.engine.figures.late == 4 * 4)
    }

    @Test("If it heard nothing meanwhile, they are two")
    func awayGatewayJoinsNothing() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.state("b", "outside", at: 1)
        store.enter("a", at: 10)
        store.status("b", online: false, at: 20)
        store.exit("a", entered_s: 10, heard_s: 38, at: 40)
        store.enter("a", at: 62)
        store.list("a", [1: -60], at: 63)
        store.status("b", at: 100)
        store.state("b", "outside", since_s: 1, told_s: 1, seq: 0, at: 100)
        store.exit("a", entered_s: 62, heard_s: 118, at: 120)
        store.advance(to: 300)
        #expect(
            store.published == [
                "enter carts 10.0 by a", "exit carts 45.0 by a", "enter carts 62.0 by a", "exit carts 125.0 by a",
                "10.0–38.0", "62.0–118.0",
            ])
    }

    @Test("No visit begins before the end of the visit published before, whatever a state says")
    func noOverlap() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.enter("b", at: 6)
        store.say("b", "region/carts/state", "", at: 12)
        store.state("a", "inside", since_s: 5, told_s: 5, at: 13)
        store.exit("a", entered_s: 5, heard_s: 38, at: 40)
        store.advance(to: 100)
        #expect(store.published == ["enter carts 6.0 by b", "exit carts 45.0 by a", "12.0–38.0"])
    }

    @Test("A visit at gateways that are away is not ended by the last one that is left")
    func threeOfFourAway() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        for gateway in ["a", "b", "c", "d"] { store.enter(gateway, at: 10) }
        for gateway in ["a", "b", "c"] { store.status(gateway, online: false, at: 20) }
        store.exit("d", entered_s: 10, heard_s: 28, at: 30)
        store.enter("d", at: 200)
        for gateway in ["a", "b", "c"] {
            store.status(gateway, at: 300)
            store.state(gateway, "inside", since_s: 10, told_s: 10, at: 300.1)
        }
        store.advance(to: 400)
        #expect(store.events == ["enter carts 10.0 by a"])
    }

    @Test("A gateway away for a day is given up: an exit that others saw is published, as late as possible")
    func awayForADay() throws {
        var store = try Store.away(beside: "b")
        store.exit("b", entered_s: 11, heard_s: 25, at: 30)
        store.advance(to: 86_420)
        #expect(store.events == ["enter carts 10.0 by a"])
        store.advance(to: 86_500)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 86390.0 by b"])
    }

    @Test("A repeated entry of an earlier epoch undoes no exit, and makes no visit, whether the clock is synced or not")
    func earlierEpoch() throws {
        for (before, isSynced) in [(true, true), (false, true), (false, false)] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.enter("a", isSynced: isSynced, seq: 1, epoch: "E", at: 10)
            store.state("a", "outside", since_s: 20, told_s: 20, seq: 0, epoch: "F", at: 20)
            if before { store.enter("a", told_s: 10, isSynced: isSynced, seq: 1, epoch: "E", at: 22) }
            store.advance(to: 40)
            if !before { store.enter("a", told_s: 10, isSynced: isSynced, seq: 1, epoch: "E", at: 41) }
            store.advance(to: 400)
            #expect(store.events == ["enter carts 10.0 by a", "exit carts 25.0 by a"])
        }
    }

    @Test("A state of a new epoch waits for the events of the epoch before, which come after it")
    func stateBeforeTheEarlierEpoch() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.status("a", at: 1)
        store.enter("a", seq: 1, epoch: "E", at: 10)
        store.status("a", online: false, at: 15)
        store.status("a", epoch: "F", at: 100)
        store.state("a", "outside", since_s: 60, told_s: 70, seq: 0, epoch: "F", at: 100.1)
        store.exit("a", entered_s: 10, heard_s: 18, told_s: 20, seq: 2, epoch: "E", at: 100.2)
        store.enter("a", told_s: 50, seq: 3, epoch: "E", at: 100.3)
        store.exit("a", entered_s: 50, heard_s: 58, told_s: 60, seq: 4, epoch: "E", at: 100.4)
        store.advance(to: 300)
        #expect(store.visits == ["carts 10.0–25.0, heard until 18.0", "carts 50.0–65.0, heard until 58.0"])
        #expect(store.engine.figures.late == 0)
    }

    @Test("A gateway back with a new epoch that tells nothing of a beacon for 30 s has lost it: the visit ends")
    func newEpochWithoutAWord() throws {
        for gateway in ["a", "b"] {
            var store = try Store()
            store.status("a", at: 1)
            store.enter("a", epoch: "E", at: 10)
            store.status("a", online: false, at: 100)
            store.status("a", epoch: "F", at: 200)
            store.advance(to: 229)
            #expect(store.events == ["enter carts 10.0 by a"])
            store.enter(gateway, seq: 1, epoch: "F", at: 300)
            store.advance(to: 310)
            #expect(
                store.events == [
                    "enter carts 10.0 by a", "exit carts 200.0 by a", "enter carts 300.0 by \(gateway)",
                ])
            #expect(store.stays.map(\.ending) == [.inferred])
        }
    }

    @Test("A new epoch's news of a beacon within 30 s continues the visit of the epoch before")
    func newEpochWithAWord() throws {
        for state in ["inside", "unknown"] {
            var store = try Store()
            store.status("a", at: 1)
            store.enter("a", epoch: "E", at: 10)
            store.status("a", online: false, at: 100)
            store.status("a", epoch: "F", at: 200)
            store.state("a", state, since_s: 205, seq: 0, epoch: "F", at: 205)
            store.advance(to: 400)
            #expect(store.events == ["enter carts 10.0 by a"])
        }
    }

    @Test("A new epoch's entry within 30 s continues the visit too, until the exit of that epoch")
    func newEpochWithAnEntry() throws {
        var store = try Store()
        store.status("a", at: 1)
        store.enter("a", seq: 1, epoch: "E", at: 10)
        store.enter("b", at: 12)
        store.exit("b", entered_s: 12, heard_s: 45, at: 50)
        store.status("a", online: false, at: 55)
        store.status("a", epoch: "F", at: 60)
        store.enter("a", seq: 1, epoch: "F", at: 80)
        store.exit("a", entered_s: 80, heard_s: 100, seq: 2, epoch: "F", at: 110)
        store.advance(to: 200)
        #expect(store.visits == ["carts 10.0–115.0, heard until 100.0"])
    }

    @Test("A visit that a restart of its gateway divides has the beginning of its entry, whatever came before it")
    func dividedByARestart() throws {
        for isAway in [false, true] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.enter("b", at: 300)
            if isAway { store.status("b", online: false, at: 305) }
            if !isAway { store.exit("b", entered_s: 300, heard_s: 310, seq: 2, at: 330) }
            store.status("a", at: 400)
            store.enter("a", seq: 1, epoch: "E", at: 443)
            store.status("a", online: false, at: 452)
            store.status("a", epoch: "F", at: 452.1)
            store.state("a", "inside", since_s: 453, seq: 0, epoch: "F", at: 453)
            store.exit(
                "a", entered_s: 453, heard_s: 461, extra: #","partial":true"#, seq: 1, epoch: "F", at: 481)
            store.status("b", at: 823)
            if isAway { store.exit("b", entered_s: 300, heard_s: 310, told_s: 330, seq: 2, at: 823.1) }
            store.advance(to: 900)
            #expect(
                store.visits == ["carts 300.0–335.0, heard until 310.0", "carts 443.0–486.0, heard until 461.0"])
            #expect(store.stays.map(\.beginning) == [.observed, .observed])
        }
    }

    @Test(
        "A new epoch's first entry more than 30 s after the epoch began ends the earlier stay then, also after an outage",
        arguments: [true, false])
    func entryLongAfterTheNewEpoch(isNamed: Bool) throws {
        // The beginning of the epoch is in its name, or another event of the epoch shows it.
        let epoch = isNamed ? Store.epoch(beganAt_s: 200) : "F"
        var store = try Store("[site]\nlate_after_s = 900")
        store.status("a", at: 1)
        store.status("b", at: 1)
        store.status("a", online: false, at: 50)
        store.enter("b", at: 90)
        store.exit("b", entered_s: 90, heard_s: 245, at: 250)
        store.status("a", epoch: epoch, at: 600)
        store.enter("a", told_s: 100, seq: 1, epoch: "E", at: 600.1)
        if !isNamed { store.enter("a", "trolleys", told_s: 200, seq: 1, epoch: epoch, at: 600.2) }
        store.enter("a", told_s: 300, seq: 2, epoch: epoch, at: 600.3)
        store.exit("a", entered_s: 300, heard_s: 345, told_s: 350, seq: 3, epoch: epoch, at: 600.4)
        store.advance(to: 700)
        let visits = store.visits.filter { $0.hasPrefix("carts") }
        #expect(visits == ["carts 90.0–255.0, heard until 245.0", "carts 300.0–355.0, heard until 345.0"])
    }

    @Test("An epoch's name that contradicts the epoch before gives no time")
    func implausibleName() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        let epochs = [Store.epoch(beganAt_s: 0), Store.epoch(beganAt_s: 0).replacing("ZZ", with: "YY")]
        store.status("a", epoch: epochs[0], at: 1)
        store.enter("a", seq: 1, epoch: epochs[0], at: 100)
        store.status("a", online: false, epoch: epochs[0], at: 150)
        store.status("a", epoch: epochs[1], at: 160)
        store.enter("a", seq: 1, epoch: epochs[1], at: 170)
        store.exit("a", entered_s: 170, heard_s: 180, seq: 2, epoch: epochs[1], at: 185)
        store.advance(to: 300)
        #expect(store.visits == ["carts 100.0–190.0, heard until 180.0"])
    }

    @Test("A visit ends with its own last report, also where the gateway of the next one has not repeated it yet")
    func nextVisitIsUnproved() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        for gateway in ["a", "b", "c"] { store.status(gateway, at: 1) }
        store.enter("a", at: 181)
        store.enter("b", at: 190)
        store.status("b", online: false, at: 205)
        store.exit("a", entered_s: 181, heard_s: 216, at: 236)
        store.enter("c", at: 380)
        store.status("c", online: false, at: 394)
        store.status("c", epoch: "F", at: 394.1)
        store.status("b", at: 415)
        store.exit("b", entered_s: 190, heard_s: 191, told_s: 211, seq: 2, at: 415.1)
        store.advance(to: 500)
        #expect(store.visits == ["carts 181.0–241.0, heard until 216.0", "carts 380.0–394.1, heard until 380.0"])
    }

    @Test("A stay that a new epoch ends lasts until the new epoch, whatever the store had published meanwhile")
    func endsWithTheEpoch() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        for gateway in ["a", "b", "c"] { store.status(gateway, at: 1) }
        store.enter("a", at: 111)
        store.status("c", online: false, at: 115)
        store.exit("a", entered_s: 111, heard_s: 130, at: 150)
        store.enter("a", at: 276)
        store.enter("b", at: 300)
        store.status("c", epoch: "F", at: 303)
        store.state("c", "inside", since_s: 263, told_s: 263, seq: 8, at: 303.1)
        store.enter("c", told_s: 132, seq: 2, at: 303.2)
        store.exit("c", entered_s: 132, heard_s: 193, told_s: 213, seq: 5, at: 303.3)
        store.enter("c", told_s: 263, seq: 8, at: 303.4)
        store.exit("a", entered_s: 276, heard_s: 300, at: 320)
        store.exit("b", entered_s: 300, heard_s: 306, at: 326)
        store.advance(to: 400)
        #expect(
            store.visits == ["carts 111.0–218.0, heard until 193.0", "carts 263.0–331.0, heard until 306.0"])
    }

    @Test("No visit ends before it began, also where its beginning is cut and its last report lies before")
    func cutBehindItsLastReport() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.enter("a", at: 10)
        store.exit("a", entered_s: 10, heard_s: 20, at: 30)
        store.state("c", "outside", at: 1)
        store.status("c", online: false, at: 60)
        store.state("b", "inside", since_s: 5, told_s: 5, seq: 0, at: 300)
        store.exit("b", entered_s: 5, heard_s: 16, told_s: 36, seq: 1, at: 340)
        store.status("c", at: 600)
        store.enter("c", told_s: 150, at: 600.1)
        store.exit("c", entered_s: 150, heard_s: 160, told_s: 165, at: 600.2)
        store.advance(to: 700)
        #expect(
            store.visits == [
                "carts 10.0–35.0, heard until 20.0", "carts 35.0–41.0, heard until 35.0",
                "carts 150.0–170.0, heard until 160.0",
            ])
    }

    @Test("An entry of an earlier epoch that comes while a new one is silent makes a visit that ends")
    func entryOfAnEarlierEpoch() throws {
        var store = try Store()
        store.status("a", epoch: "F", at: 1)
        store.enter("a", epoch: "E", at: 100)
        store.advance(to: 200)
        #expect(store.events == ["enter carts 100.0 by a", "exit carts 105.0 by a"])
    }

    @Test("An entry dated before the end of a visit that a gateway stopped monitoring begins after it")
    func afterUnmonitored() throws {
        var store = try Store()
        store.enter("a", seq: 1, at: 2)
        store.exit("a", entered_s: 2, heard_s: 11, extra: #","unmonitored":true"#, seq: 2, at: 12)
        store.enter("b", told_s: 5, at: 13)
        store.advance(to: 14)
        #expect(store.events.last == "enter carts 12.0 by b")
    }

    @Test("An exit with a report after it counts as heard until the exit")
    func heardAfterTheExit() throws {
        var store = try Store()
        store.enter("a", at: 10)
        store.exit("a", entered_s: 10, heard_s: 90, told_s: 30, at: 30)
        store.advance(to: 60)
        #expect(store.published == ["enter carts 10.0 by a", "exit carts 35.0 by a", "10.0–30.0"])
    }

    @Test("A list that comes before the entry of the next visit does not lengthen the visit before")
    func listBeforeItsEntry() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.status("b", at: 1)
        store.enter("a", at: 10)
        store.exit("a", entered_s: 10, heard_s: 20, at: 25)
        store.list("b", [2: -60], "others", at: 29)
        store.list("b", [1: -60], at: 50)
        store.enter("b", told_s: 50, at: 50.1)
        store.exit("b", entered_s: 50, heard_s: 60, at: 65)
        store.advance(to: 300)
        #expect(store.visits == ["carts 10.0–30.0, heard until 20.0", "carts 50.0–70.0, heard until 60.0"])
    }

    @Test("The next visit is published by the gateway that saw it begin, even if that gateway tells it last")
    func causeOfTheNextVisit() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.enter("a", at: 10)
        for gateway in ["b", "c"] { store.state(gateway, "outside", at: 1) }
        store.status("c", online: false, at: 15)
        store.exit("a", entered_s: 10, heard_s: 20, at: 25)
        store.enter("b", at: 45)
        store.exit("b", entered_s: 45, heard_s: 55, at: 60)
        store.enter("a", at: 58)
        store.status("c", at: 70)
        store.enter("c", told_s: 40, at: 70.1)
        store.exit("c", entered_s: 40, heard_s: 45, told_s: 50, at: 70.2)
        store.advance(to: 100)
        #expect(store.events == ["enter carts 10.0 by a", "exit carts 30.0 by a", "enter carts 40.0 by c"])
    }

    @Test("A stay found to have begun earlier is partial where no gateway saw that beginning")
    func earlierPartialBeginning() throws {
        for (extra, beginning) in [("", RegionStay.Beginning.observed), (#","partial":true"#, .partial)] {
            var store = try Store()
            store.enter("a", at: 20)
            store.exit("b", entered_s: 10, heard_s: 25, extra: extra, at: 30)
            store.exit("a", entered_s: 20, heard_s: 30, at: 35)
            store.advance(to: 60)
            #expect(store.published == ["enter carts 20.0 by a", "exit carts 40.0 by a", "10.0–30.0"])
            #expect(store.stays.map(\.beginning) == [beginning])
        }
    }

    @Test("The next visit is partial where no gateway saw its beginning, also where the exit before it waits")
    func partialNextVisit() throws {
        for back_s in [55.0, 70] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.state("c", "outside", at: 1)
            store.enter("a", at: 10)
            store.status("c", online: false, at: 15)
            store.exit("a", entered_s: 10, heard_s: 20, at: 25)
            store.state("b", "inside", at: 50)
            if back_s < 60 { store.status("c", at: back_s) }
            store.exit("b", entered_s: 50, heard_s: 60, extra: #","partial":true"#, at: 65)
            if back_s > 60 { store.status("c", at: back_s) }
            store.advance(to: 100)
            #expect(store.events == ["enter carts 10.0 by a", "exit carts 30.0 by a", "exit carts 70.0 by b"])
            #expect(store.stays.map(\.beginning) == [.observed, .partial], "c is back at \(back_s) s")
        }
    }

    @Test(
        "A visit is inferred where its last exit is, in any order of arrival",
        arguments: [(20.0, [RegionStay.Ending.observed]), (40, [.inferred])])
    func lastExitInferred(inferred_s: Double, endings: [RegionStay.Ending]) throws {
        for isFirst in [true, false] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.enter("a", at: 10)
            store.enter("b", at: 12)
            func inferredExit() {
                store.exit(
                    "a", entered_s: 10, heard_s: 15, told_s: inferred_s, extra: #","inferred":true"#, at: 41)
            }
            if isFirst { inferredExit() }
            store.exit("b", entered_s: 12, heard_s: 25, told_s: 30, at: 41)
            if !isFirst { inferredExit() }
            store.advance(to: 100)
            #expect(store.stays.map(\.ending) == endings)
        }
    }

    @Test("An exit that is not late does not tell the entry that is")
    func exitOfALateEntry() throws {
        var store = try Store()
        store.state("a", "outside", at: 1)
        store.enter("a", told_s: 54, seq: 1, at: 188)
        store.exit("a", entered_s: 54, heard_s: 158, told_s: 161, seq: 2, at: 188)
        store.enter("a", told_s: 163, seq: 3, at: 188)
        store.advance(to: 300)
        #expect(store.events == ["enter carts 163.0 by a"] && store.engine.figures.late == 1)
    }
}
