import TestAir
import Testing

@testable import Core

@Suite("A circle is crossed by lasting fixes beyond its boundary by the cushion")
struct CircleCrossingTests {
    @Test("An entry is published crossing_after_s after its first fix, where the stay begins")
    func entry() throws {
        var drive = Drive.outside()
        drive.stay(30...60, north_m: 10)
        #expect(drive.events == ["enter depot 50.0"])
        #expect(drive.transitions.last?.since == .origin + .seconds(30))
        let cause = try #require(drive.transitions.last?.event?.cause)
        guard case .circle(let observation) = cause else { throw Unexpected() }
        #expect(observation.circle == Drive.depot().circle)
        #expect(abs((observation.distance_m ?? 0) - 10) < 0.1)
    }

    @Test("An exit tells the stay: from the first fix of the run in to the last fix within the radius")
    func exit() throws {
        var drive = Drive.outside()
        drive.stay(30...60, north_m: 10)
        drive.stay(61...70, north_m: 99)
        drive.stay(71...80, north_m: 105)
        drive.stay(81...110, north_m: 150)
        #expect(drive.events == ["enter depot 50.0", "exit depot 101.0"])
        let stay = try #require(drive.stay)
        #expect(stay.enteredAt == .origin + .seconds(30) && stay.lastHeardAt == .origin + .seconds(70))
        #expect(stay.dwell == .seconds(40) && stay.beginning == .observed && stay.ending == .observed)
    }

    @Test("One over-confident fix 200 m away makes no event")
    func wildFix() {
        var drive = Drive.inside()
        drive.fix(21, at: Drive.north(200), accuracy_m: 1.7)
        drive.stay(22...60, north_m: 0)
        drive.fix(61, at: Drive.north(200), accuracy_m: 1.7)
        drive.stay(62...100, north_m: 0)
        #expect(drive.events.isEmpty)
    }

    @Test("One wild fix makes no event even without another fix for crossing_after_s")
    func wildFixAlone() {
        var drive = Drive.inside()
        drive.fix(21, at: Drive.north(200), accuracy_m: 1.7)
        drive.advance(to: 60)
        drive.fix(61, at: Drive.gate)
        #expect(drive.events.isEmpty)
        // Two are enough, if they are as far apart.
        drive.fix(62, at: Drive.north(200))
        drive.fix(82, at: Drive.north(200))
        #expect(drive.events == ["exit depot 82.0"])
    }

    @Test("With crossing_after_s = 0 two fixes are still needed")
    func twoFixes() {
        var drive = Drive([Drive.depot(crossingAfter_s: 0)])
        drive.fix(0, at: Drive.gate)
        drive.fix(1, at: Drive.north(200))
        #expect(drive.events.isEmpty)
        drive.fix(2, at: Drive.north(200))
        #expect(drive.events == ["exit depot 2.0"])
    }

    @Test("A walk along the boundary crosses nothing")
    func alongTheBoundary() {
        var drive = Drive.inside()
        for second in 21...600 { drive.fix(Double(second), at: Drive.north(second % 40 < 20 ? 85 : 115)) }
        #expect(drive.events.isEmpty)
        drive = Drive.outside()
        for second in 21...600 { drive.fix(Double(second), at: Drive.north(second % 60 < 30 ? 85 : 115)) }
        #expect(drive.events.isEmpty)
    }

    @Test("A fix that is not beyond by the cushion ends the run")
    func runEnds() {
        var drive = Drive.inside()
        drive.stay(21...35, north_m: 150)
        drive.fix(36, at: Drive.north(115))
        drive.stay(37...56, north_m: 150)
        #expect(drive.events.isEmpty)
        drive.fix(57, at: Drive.north(150))
        #expect(drive.events == ["exit depot 57.0"])
    }

    @Test("The cushion is the accuracy of the fix where that is more than cushion_m")
    func accuracy() {
        var drive = Drive.inside()
        drive.stay(21...100, north_m: 150, accuracy_m: 60)
        #expect(drive.events.isEmpty)
        drive.stay(101...130, north_m: 150, accuracy_m: 40)
        #expect(drive.events == ["exit depot 121.0"])
    }

    @Test("A fix beyond cushion_m, but not by its own accuracy, neither continues a run nor ends it")
    func doubtful() {
        var drive = Drive.inside()
        drive.stay(21...30, north_m: 150)
        drive.stay(31...45, north_m: 150, accuracy_m: 60)
        #expect(drive.events.isEmpty)
        drive.fix(46, at: Drive.north(150))
        #expect(drive.events == ["exit depot 46.0"])
    }

    @Test("Inward the cushion is at most half of the radius, so that a small circle can be entered")
    func inwardCushion() {
        var drive = Drive.outside(Drive.depot(radius_m: 30))
        drive.stay(30...60, north_m: 14)
        #expect(drive.events == ["enter depot 50.0"])
        drive = Drive.outside(Drive.depot(radius_m: 30))
        drive.stay(30...60, north_m: 16)
        #expect(drive.events.isEmpty)
        drive = Drive.outside(Drive.depot(radius_m: 100))
        drive.stay(30...60, north_m: 49, accuracy_m: 80)
        #expect(drive.events == ["enter depot 50.0"])
    }

    @Test("Crossings whose events are switched off change the state alone")
    func notices() {
        var drive = Drive.outside(Drive.depot(onEntry: false, onExit: false))
        drive.stay(21...60, north_m: 0)
        drive.stay(61...100, north_m: 300)
        #expect(drive.events.isEmpty)
        #expect(
            drive.states == [
                "unknown depot 0.0", "outside depot 20.0", "inside depot 41.0", "outside depot 81.0",
            ])
    }

    @Test("Each state has the gateway's distance from the centre, where it is known")
    func distance() {
        let drive = Drive.outside()
        #expect(drive.transitions.map { $0.circle?.distance_m?.rounded() } == [nil, 300])
        #expect(drive.transitions.holdForAll { $0.circle?.circle == Drive.depot().circle })
    }

    struct Unexpected: Error {}
}
