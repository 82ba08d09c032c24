import Testing

@testable import Core

@Suite("The first state of a circle is decided by the first fixes: a state, no event")
struct CircleFirstStateTests {
    @Test("Inside once crossing_after_s has passed with fixes, and the stay is partial")
    func inside() throws {
        var drive = Drive([Drive.depot()])
        drive.stay(5...30, north_m: 90)
        #expect(drive.states == ["unknown depot 0.0", "inside depot 25.0"])
        #expect(drive.events.isEmpty)
        #expect(drive.transitions.last?.since == .origin + .seconds(5))
        drive.stay(31...60, north_m: 150)
        #expect(drive.stay?.beginning == .partial)
    }

    @Test("The boundary itself decides, without a cushion")
    func noCushion() {
        var drive = Drive([Drive.depot()])
        drive.stay(0...20, north_m: 105)
        #expect(drive.states.last == "outside depot 20.0")
        drive = Drive([Drive.depot()])
        drive.stay(0...20, north_m: 99)
        #expect(drive.states.last == "inside depot 20.0")
    }

    @Test("The majority of the fixes decides, even with a wild one at the end")
    func majority() {
        var drive = Drive([Drive.depot()])
        drive.stay(0...19, north_m: 10)
        drive.fix(20, at: Drive.north(400), accuracy_m: 1.7)
        #expect(drive.states.last == "inside depot 20.0")
    }

    @Test("A gap up to unknown_state_after_s counts fully, a longer one not at all")
    func gaps() {
        var drive = Drive([Drive.depot()])
        drive.fix(0, at: Drive.gate)
        drive.fix(50, at: Drive.gate)
        #expect(drive.states.last == "inside depot 50.0")
        drive = Drive([Drive.depot()])
        drive.fix(0, at: Drive.gate)
        drive.fix(61, at: Drive.gate)
        #expect(drive.states == ["unknown depot 0.0"])
        drive.stay(62...81, north_m: 0)
        #expect(drive.states.last == "inside depot 81.0")
    }

    @Test("With crossing_after_s = 0 the first fix decides")
    func atOnce() {
        var drive = Drive([Drive.depot(crossingAfter_s: 0)])
        drive.fix(3, at: Drive.north(500))
        #expect(drive.states == ["unknown depot 0.0", "outside depot 3.0"])
    }

    @Test("Without fixes it stays unknown, and nothing is published again")
    func noFix() {
        var drive = Drive([Drive.depot()])
        drive.advance(to: 1_000)
        #expect(drive.states == ["unknown depot 0.0"])
    }

    @Test("Until it is decided a receiver should not rest")
    func undecided() {
        var drive = Drive([Drive.depot()])
        #expect(drive.isCrossingUndecided)
        drive.stay(0...19, north_m: 0)
        #expect(drive.isCrossingUndecided)
        drive.fix(20, at: Drive.gate)
        #expect(!drive.isCrossingUndecided)
        drive.fix(21, at: Drive.north(150))
        #expect(drive.isCrossingUndecided)
    }
}
