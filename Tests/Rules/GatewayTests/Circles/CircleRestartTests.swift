import Testing

@testable import Core

@Suite("The state of a circle outlives the process")
struct CircleRestartTests {
    /// The records of a process that entered at 30 s and was last inside at 60 s; the next one begins 100 s after it.
    private func records(_ region: CircularRegion = Drive.depot()) -> [RegionRecord] {
        var drive = Drive.outside(region)
        drive.stay(30...60, north_m: 0)
        drive.store()
        return drive.stored.values.map { record in
            var record = record
            guard case .inside(var stay) = record.occupancy else { return record }
            stay.enteredAt = stay.enteredAt - .seconds(160)
            stay.lastHeardAt = stay.lastHeardAt - .seconds(160)
            record.occupancy = .inside(stay)
            return record
        }
    }

    @Test("Still inside is no event")
    func stillInside() {
        var drive = Drive([Drive.depot()], restoring: records())
        #expect(drive.states == ["inside depot 0.0"])
        drive.stay(5...40, north_m: 0)
        #expect(drive.states == ["inside depot 0.0"])
        #expect(drive.transitions.last?.since == .origin - .seconds(130))
    }

    @Test("Gone meanwhile is an inferred exit, with the observed part of the stay")
    func gone() throws {
        var drive = Drive([Drive.depot()], restoring: records())
        drive.stay(5...40, north_m: 1_000)
        #expect(drive.events == ["exit depot 25.0"])
        let stay = try #require(drive.stay)
        #expect(stay.ending == .inferred && stay.dwell == .seconds(30))
        #expect(stay.lastHeardAt == .origin - .seconds(100))
    }

    @Test("Seen inside since the start, it has an observed exit")
    func seenAgain() {
        var drive = Drive([Drive.depot()], restoring: records())
        drive.stay(5...10, north_m: 0)
        drive.stay(11...40, north_m: 1_000)
        #expect(drive.events == ["exit depot 31.0"])
        #expect(drive.stay?.ending == .observed)
    }

    @Test("Come in meanwhile is an entry")
    func came() {
        let record = RegionRecord(
            instance: RegionInstanceID(region: "depot"), .circle(of: Drive.depot().circle),
            .outside(since: .origin - .seconds(100)))
        var drive = Drive([Drive.depot()], restoring: [record])
        drive.stay(5...40, north_m: 0)
        #expect(drive.events == ["enter depot 25.0"])
    }

    @Test("Without a fix a restored state becomes unknown like any other")
    func noFix() {
        var drive = Drive([Drive.depot()], restoring: records())
        drive.advance(to: 100)
        #expect(drive.states == ["inside depot 0.0", "unknown depot 60.0"])
    }

    @Test("With another centre or radius it is another region, without a stored state")
    func anotherCircle() {
        let larger = Drive([Drive.depot(radius_m: 101)], restoring: records())
        #expect(larger.states == ["unknown depot 0.0"])
        let elsewhere = Drive([Drive.depot(center: Drive.north(1))], restoring: records())
        #expect(elsewhere.states == ["unknown depot 0.0"])
    }

    @Test("A stay that is not watched any more ends without a place")
    func unmonitored() throws {
        let record = try #require(records().first)
        let exit = try #require(record.unmonitoredExit(at: .origin))
        #expect(exit.cause == .circle(CircleObservation(circle: Drive.depot().circle, distance_m: nil)))
        guard case .exit(let stay) = exit.kind else { return }
        #expect(stay.ending == .unmonitored && stay.dwell == .seconds(30))
    }

    @Test("Open stays are stored every minute while fixes come")
    func storedEveryMinute() throws {
        var drive = Drive([Drive.depot()])
        drive.stay(0...100, north_m: 0)
        let stays = drive.outputs.compactMap { output -> [RegionRecord]? in
            guard case .stays(let records) = output else { return nil }
            return records
        }
        #expect(stays.count == 1)
        #expect(try #require(stays.first?.first).lastHeardAt > .origin + .seconds(79))
    }
}
