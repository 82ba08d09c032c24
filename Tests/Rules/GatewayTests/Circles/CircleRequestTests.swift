import Testing

@testable import Core

@Suite("Requests register circles as they register regions of beacons")
struct CircleRequestTests {
    private func definition(_ id: String = "depot", radius_m: Int = 100) throws -> RegionDefinition {
        let text = "{\"id\":\"\(id)\",\"latitude\":52.5163,\"longitude\":13.3777,\"radius_m\":\(radius_m)}"
        return try RegionDefinition(text: Array(text.utf8))
    }

    @Test("A requested circle is monitored from then on, and its state is published")
    func monitor() throws {
        var drive = Drive([])
        #expect(drive.ask(.monitor(try definition()), at: 5) == .monitoring(region: "depot"))
        #expect(drive.ask(.monitor(try definition()), at: 5) == .monitoring(region: "depot"))
        #expect(drive.ask(.monitor(try definition(radius_m: 101)), at: 6)?.refusal == .regionExists)
        drive.stay(10...30, north_m: 0)
        #expect(drive.states == ["unknown depot 5.0", "inside depot 30.0"])
        guard case .states(let states, next: nil)? = drive.ask(.state(StateRequest(region: "depot")), at: 31) else {
            Issue.record("no states")
            return
        }
        #expect(states.map(\.state) == [.inside])
    }

    @Test("The end of its monitoring ends the stay, and fixes are not compared with it any more")
    func stop() throws {
        var drive = Drive([])
        _ = drive.ask(.monitor(try definition()), at: 0)
        drive.stay(1...21, north_m: 0)
        #expect(drive.ask(.stop(region: "depot"), at: 25) == .stopped(region: "depot", instances: 1))
        let ends = drive.outputs.compactMap { output -> RegionEvent? in
            guard case .exit(_, let event, at: _) = output else { return nil }
            return event
        }
        guard case .exit(let stay)? = ends.first?.kind else {
            Issue.record("no end")
            return
        }
        #expect(stay.ending == .unmonitored && stay.dwell == .seconds(20))
        #expect(ends.first?.location?.coordinate == Drive.gate)
        drive.stay(30...60, north_m: 500)
        #expect(drive.events.isEmpty && !drive.isCrossingUndecided)
        // Its slot may be reused.
        _ = drive.ask(.monitor(try definition("other", radius_m: 300)), at: 61)
        drive.stay(62...82, north_m: 200)
        #expect(drive.states.last == "inside other 82.0")
    }

    @Test("A circle has no beacons to range")
    func range() throws {
        var drive = Drive([Drive.depot()])
        #expect(drive.ask(.range(region: "depot", .whole), at: 5)?.refusal == .invalidRequest)
    }
}
