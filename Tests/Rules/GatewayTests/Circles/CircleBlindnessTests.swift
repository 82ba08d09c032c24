import TestAir
import Testing

@testable import Core

@Suite("A receiver without a fix proves nothing")
struct CircleBlindnessTests {
    @Test("After unknown_state_after_s without a fix the state is unknown, without a crossing")
    func unknown() {
        var drive = Drive.inside()
        drive.advance(to: 79)
        #expect(drive.states.last == "inside depot 20.0")
        drive.advance(to: 200)
        #expect(drive.states.last == "unknown depot 80.0")
        #expect(drive.events.isEmpty)
    }

    @Test("A receiver that rests on purpose makes no state unknown; only the time of listening counts")
    func rests() {
        var drive = Drive.inside()
        drive.rest(at: 40)
        drive.advance(to: 1_000)
        #expect(drive.states.last == "inside depot 20.0")
        drive.listen(at: 1_000)
        drive.advance(to: 1_039)
        #expect(drive.states.last == "inside depot 20.0")
        drive.advance(to: 1_041)
        #expect(drive.states.last == "unknown depot 1040.0")
    }

    @Test("Still inside: the state is announced after crossing_after_s of fixes, and the stay continues")
    func stillInside() {
        var drive = Drive.inside()
        drive.stay(500...530, north_m: 0)
        #expect(drive.states.suffix(2) == ["unknown depot 80.0", "inside depot 520.0"])
        #expect(drive.transitions.last?.since == .origin)
        #expect(drive.events.isEmpty)
    }

    @Test("In the cushion the gateway counts as on its previous side")
    func inTheCushion() {
        var drive = Drive.inside()
        drive.stay(500...530, north_m: 110)
        #expect(drive.states.suffix(2) == ["unknown depot 80.0", "inside depot 520.0"])
        #expect(drive.events.isEmpty)
    }

    @Test("Still outside: the state is announced, since now")
    func stillOutside() {
        var drive = Drive.outside()
        drive.stay(500...530, north_m: 300)
        #expect(drive.states.suffix(2) == ["unknown depot 80.0", "outside depot 520.0"])
    }

    @Test("Out of the tunnel on the other side: the crossing is published, with the observed part of the stay")
    func tunnel() throws {
        var drive = Drive.inside()
        drive.stay(500...530, north_m: 2_000)
        #expect(drive.events == ["exit depot 520.0"])
        let stay = try #require(drive.stay)
        #expect(stay.lastHeardAt == .origin + .seconds(20) && stay.ending == .observed)
        drive.stay(1_000...1_030, north_m: 0)
        #expect(drive.events.last == "enter depot 1020.0")
        #expect(drive.states.last == "inside depot 1020.0")
    }

    @Test("In a tunnel within a run the time stands still")
    func tunnelWithinRun() {
        var drive = Drive.inside()
        drive.stay(21...31, north_m: 200)
        drive.stay(100...109, north_m: 200)
        #expect(drive.events.isEmpty)
        drive.fix(110, at: Drive.north(200))
        #expect(drive.events == ["exit depot 110.0"])
    }

    @Test("A crossing under way keeps the state unknown until it is decided")
    func undecided() {
        var drive = Drive.inside()
        drive.stay(500...510, north_m: 0)
        drive.stay(511...525, north_m: 200)
        #expect(drive.states.last == "unknown depot 80.0")
        drive.fix(526, at: Drive.gate)
        #expect(drive.states.last == "inside depot 526.0")
        #expect(drive.events.isEmpty)
    }

    @Test("Beacons and circles are blind by their own source only")
    func sources() {
        var drive = Drive([Drive.depot()]) { settings in
            settings.regions.configured.append(.beacon(BeaconRegion(id: "door", uuid: Air.uuid, rules: .defaults)))
        }
        drive.advance(to: 10)
        drive.stay(11...31, north_m: 0)
        drive.advance(to: 200)
        #expect(
            drive.states == [
                "unknown depot 0.0", "unknown door 0.0", "outside door 10.0", "inside depot 31.0", "unknown depot 91.0",
            ])
    }
}
