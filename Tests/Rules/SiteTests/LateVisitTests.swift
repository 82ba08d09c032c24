import TestAir
import Testing

@testable import Core

@Suite("A visit that becomes known after a later one was published is published by a late exit")
struct LateVisitTests {
    /// A store that has published a visit from 50 to 65 s, by gateway a.
    private static func afterAVisit(_ toml: String = "late_after_s = 900") throws -> Store {
        var store = try Store("[site]\n" + toml)
        store.state("b", "outside", at: 1)
        store.enter("a", at: 50)
        store.exit("a", entered_s: 50, heard_s: 58, at: 60)
        store.advance(to: 90)
        return store
    }

    @Test("It has its own times and its gateway, there is no entry, and no state changes")
    func published() throws {
        var store = try Self.afterAVisit()
        let states = store.states
        store.enter("b", told_s: 10, seq: 1, at: 100)
        store.exit("b", entered_s: 10, heard_s: 18, told_s: 20, seq: 2, at: 100.1)
        store.advance(to: 300)
        #expect(store.lateVisits == ["carts 10.0–25.0 by b"])
        #expect(store.visits == ["carts 10.0–25.0, heard until 18.0", "carts 50.0–65.0, heard until 58.0"])
        #expect(store.events == ["enter carts 50.0 by a", "exit carts 65.0 by a"] && store.states == states)
        #expect(store.engine.figures.late == 0)
    }

    @Test("A visit before the open one is published while that one lasts")
    func beforeTheOpenOne() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.state("g0", "outside", at: 1)
        store.status("g0", online: false, at: 190)
        store.enter("g2", at: 271)
        store.status("g0", at: 600)
        store.enter("g0", told_s: 213, seq: 1, at: 600.1)
        store.exit("g0", entered_s: 213, heard_s: 225, told_s: 230, seq: 2, at: 600.2)
        store.advance(to: 610)
        #expect(store.lateVisits == ["carts 213.0–235.0 by g0"])
        store.exit("g2", entered_s: 271, heard_s: 615, at: 620)
        store.advance(to: 700)
        #expect(store.visits.last == "carts 271.0–625.0, heard until 615.0")
        #expect(store.engine.figures.late == 0)
    }

    @Test("It waits until gateways that are away have reported what they heard, and joins their stays")
    func joined() throws {
        var store = try Self.afterAVisit()
        store.state("c", "outside", at: 90)
        store.status("c", online: false, at: 91)
        store.exit("b", entered_s: 10, heard_s: 18, told_s: 20, seq: 2, at: 100)
        store.advance(to: 200)
        #expect(store.lateVisits == [])
        store.status("c", at: 200)
        store.exit("c", entered_s: 19, heard_s: 25, told_s: 28, seq: 2, at: 200.1)
        store.advance(to: 300)
        #expect(store.lateVisits == ["carts 10.0–33.0 by c"] && store.engine.figures.late == 0)
    }

    @Test("A stay that touches the open visit begins it, also by another late stay between the two")
    func touchesTheOpenOne() throws {
        var store = try Store("[site]\nlate_after_s = 900")
        store.state("b", "outside", at: 1)
        store.state("c", "outside", at: 1)
        store.status("c", online: false, at: 5)
        store.enter("a", at: 50)
        store.exit("b", entered_s: 20, heard_s: 28, told_s: 30, seq: 2, at: 60)
        store.status("c", at: 70)
        store.exit("c", entered_s: 33, heard_s: 45, told_s: 47, seq: 2, at: 70.1)
        store.exit("a", entered_s: 50, heard_s: 80, at: 85)
        store.advance(to: 200)
        #expect(store.visits == ["carts 20.0–90.0, heard until 80.0"] && store.lateVisits == [])
        #expect(store.engine.figures.late == 0)
    }

    @Test("A stay that touches a visit that was published is given up and counted")
    func touchesAPublished() throws {
        for (from_s, to_s) in [(61.0, 64.0), (40.0, 45.5), (40.0, 70.0), (52.0, 55.0)] {
            var store = try Self.afterAVisit()
            store.enter("a", at: 95)
            store.exit("b", entered_s: from_s, heard_s: to_s, told_s: to_s, seq: 2, at: 100)
            store.advance(to: 300)
            #expect(store.lateVisits == [] && store.engine.figures.late == 1, "\(from_s) to \(to_s)")
        }
        var store = try Self.afterAVisit()
        store.enter("a", at: 95)
        store.exit("b", entered_s: 65, heard_s: 66, told_s: 67, seq: 2, at: 100)
        store.exit("b", entered_s: 40, heard_s: 43, told_s: 45, seq: 4, at: 100)
        store.advance(to: 300)
        #expect(store.lateVisits == ["carts 40.0–50.0 by b", "carts 65.0–72.0 by b"])
    }

    @Test("A stay that began within the last published visit and ended after it is given up and counted")
    func endsAfterTheLast() throws {
        for (from_s, to_s) in [(52.0, 66.0), (61.0, 65.1), (40.0, 70.0)] {
            var store = try Self.afterAVisit()
            store.exit("b", entered_s: from_s, heard_s: to_s - 1, told_s: to_s, seq: 2, at: 100)
            store.advance(to: 300)
            #expect(store.visits == ["carts 50.0–65.0, heard until 58.0"], "\(from_s) to \(to_s)")
            #expect(store.engine.figures.late == 1, "\(from_s) to \(to_s)")
        }
    }

    @Test("A stay around the first state `outside` is published: no visit ended then. No later visit overlaps it")
    func aroundAState() throws {
        for (entry_s, visits) in [
            (104.0, ["carts 45.0–65.0, heard until 58.0", "carts 65.0–125.0, heard until 110.0"]),
            // The late visit still waits for the end of b's old events, and goes on.
            (101.0, ["carts 45.0–125.0, heard until 110.0"]),
        ] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.state("a", "outside", at: 50)
            store.exit("b", entered_s: 45, heard_s: 58, told_s: 60, seq: 2, at: 100)
            store.enter("a", told_s: 62, seq: 1, at: entry_s)
            store.exit("a", entered_s: 62, heard_s: 110, seq: 2, at: 120)
            store.advance(to: 300)
            #expect(store.visits == visits && store.engine.figures.late == UInt64(visits.count - 1))
        }
    }

    @Test("A stay that lasts and began within the last published visit begins at its end, and is partial")
    func goesOn() throws {
        var store = try Self.afterAVisit()
        store.state("b", "inside", since_s: 55, told_s: 55, seq: 1, at: 100)
        store.enter("b", told_s: 55, seq: 1, at: 100.1)
        store.exit("b", entered_s: 55, heard_s: 150, seq: 2, at: 160)
        store.advance(to: 300)
        #expect(store.visits.last == "carts 65.0–165.0, heard until 150.0")
        #expect(store.stays.map(\.beginning) == [.observed, .partial])
    }

    @Test("A stay that was over for longer than late_after_s is given up and counted")
    func tooLate() throws {
        var store = try Self.afterAVisit("late_after_s = 60")
        store.exit("b", entered_s: 10, heard_s: 18, told_s: 20, seq: 2, at: 81)
        store.advance(to: 300)
        #expect(store.lateVisits == [] && store.engine.figures.late == 1)
    }

    @Test("A late visit before the oldest one that a store remembers is given up and counted")
    func limit() throws {
        for (count, late) in [(60, 0), (70, 1)] {
            var store = try Store("[site]\nlate_after_s = 7200")
            store.state("b", "outside", at: 1)
            for number in 0..<count {
                let entered_s = 50 + Double(number) * 20
                store.enter("a", at: entered_s)
                store.exit("a", entered_s: entered_s, heard_s: entered_s + 3, at: entered_s + 5)
            }
            store.exit("b", entered_s: 10, heard_s: 18, told_s: 20, seq: 2, at: 2_000)
            store.advance(to: 3_000)
            #expect(store.lateVisits.count == 1 - late && store.engine.figures.late == UInt64(late))
        }
    }

    @Test("After a restart, a stay before the stored visit is given up and counted: the visits before are not stored")
    func restart() throws {
        let record = RegionRecord.outside(RegionInstanceID(region: "carts"), since: .origin - .seconds(35))
        var store = try Store("[site]\nlate_after_s = 900", restoring: [record])
        store.exit("b", entered_s: -90, heard_s: -82, told_s: -80, seq: 2, at: 100)
        store.advance(to: 300)
        #expect(store.lateVisits == [] && store.engine.figures.late == 1)
    }

    @Test("After the monitoring of an open visit ended, no visit begins before that end")
    func unmonitored() throws {
        var store = try Self.afterAVisit()
        store.enter("a", at: 100)
        for gateway in ["a", "b"] { store.say(gateway, "region/carts/state", "", at: 130) }
        store.enter("a", told_s: 120, at: 131)
        store.exit("b", entered_s: 105, heard_s: 110, told_s: 112, seq: 9, at: 132)
        store.exit("a", entered_s: 120, heard_s: 150, told_s: 155, at: 155)
        store.advance(to: 300)
        let last = try #require(store.stays.last)
        #expect((last.enteredAt - .origin).seconds >= 130 && store.lateVisits == [])
    }

    @Test("An exit waits for the list that a gateway owes: its line may be down since the last one")
    func owedList() throws {
        for interval_s in [1.0, 5] {
            var store = try Store("[site]\nlate_after_s = 900")
            store.enter("a", at: 10)
            for number in 0..<Int(30 / interval_s) {
                store.list("b", [2: -60], "others", at: Double(number) * interval_s + 2.5)
            }
            store.exit("a", entered_s: 10, heard_s: 28, told_s: 30, at: 34)
            store.advance(to: 36.4)
            #expect(store.events == ["enter carts 10.0 by a"])
            store.enter("b", told_s: 32, at: 36.5)
            store.exit("b", entered_s: 32, heard_s: 50, at: 52)
            store.list("b", [2: -60], "others", at: 57.5)
            store.advance(to: 60)
            #expect(store.visits == ["carts 10.0–57.0, heard until 50.0"], "a list each \(interval_s) s")
        }
    }

    @Test("With lists each second, an exit waits for at most a second")
    func atMostASecond() throws {
        var store = try Store()
        for second in 0..<60 {
            if second == 10 { store.enter("a", at: 10) }
            if second == 30 { store.exit("a", entered_s: 10, heard_s: 28, at: 30) }
            store.list("b", [2: -60], "others", at: Double(second) + 0.9)
            if second < 35 { #expect(!store.events.contains("exit carts 35.0 by a")) }
        }
        store.advance(to: 35.9)
        #expect(store.events.last == "exit carts 35.0 by a")
    }
}
