import TestAir
import Testing

@testable import Core

@Suite("One beacon keeps one track under any address")
struct RotationTests {
    /// A phone that changes its address at 30 s.
    private func rotatingPhone() -> Air {
        var air = Air(othersUntil_s: 80)
        air.beacon(.beacon(), from: .rotating(1), start_s: 2, end_s: 30)
        air.beacon(.beacon(), from: .rotating(2), start_s: 30.2, end_s: 80)
        return air
    }

    @Test("The newcomer is listed as resolving, and takes over once the old address is silent for unknown_after_s")
    func takesOver() throws {
        let story = Story(.door(), rotatingPhone())
        let before = try #require(story.known(at: 31.5))
        #expect(before.beacons.count == 2)
        #expect(before.beacons.filter(\.isResolving).map(\.address) == [.rotating(2)])
        let after = try #require(story.known(at: 33))
        #expect(after.beacons.map(\.track) == [1, 1])
        #expect(after.beacons.map(\.isDuplicate) == [false, false])
        let old = try #require(after.beacons.first { $0.address == .rotating(1) })
        #expect(old.observation.proximity == .unknown && old.observation.accuracy_m == -1)
    }

    @Test("The old address leaves the list at resolve_after_s")
    func resolves() throws {
        let story = Story(.door(), rotatingPhone())
        #expect(try #require(story.known(at: 41)).beacons.map(\.address) == [.rotating(2)])
    }

    @Test("A new static address is a new track at once")
    func staticAddress() throws {
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(), from: .fixed(1), start_s: 2, end_s: 30)
        air.beacon(.beacon(), from: .fixed(2), start_s: 30.2, end_s: 60)
        let story = Story(.door(), air)
        #expect(try #require(story.known(at: 32)).count == 2)
        #expect(try #require(story.known(at: 45)).count == 1)
        #expect(story.ranging.holdForAll { $0.report.beacons.holdForAll { !$0.isDuplicate } })
    }

    @Test("Clones that are both alive are two tracks, each flagged duplicate")
    func clones() throws {
        var air = Air(othersUntil_s: 30)
        air.beacon(.beacon(), from: .rotating(1), start_s: 2, end_s: 30)
        air.beacon(.beacon(), from: .rotating(2), start_s: 10.05, end_s: 30)
        let report = try #require(Story(.door(), air).known(at: 13))
        #expect(report.count == 2)
        #expect(report.beacons.map(\.isDuplicate) == [true, true])
    }

    @Test("Several rotations at once are paired one to one, the cheapest first")
    func crowd() throws {
        var air = Air(othersUntil_s: 60)
        // Two phones of one identity, one near and one far, change within half a second, the second one first.
        air.beacon(.beacon(), from: .rotating(1), rssi_dbm: -50, start_s: 2, end_s: 30.3)
        air.beacon(.beacon(), from: .rotating(2), rssi_dbm: -85, start_s: 3, end_s: 30)
        air.beacon(.beacon(), from: .rotating(4), rssi_dbm: -85, start_s: 30.2, end_s: 60)
        air.beacon(.beacon(), from: .rotating(3), rssi_dbm: -50, start_s: 30.5, end_s: 60)
        let story = Story(.door(), air)
        let before = try #require(story.known(at: 29))
        let after = try #require(story.known(at: 45))
        func track(_ report: RangingReport, _ address: DeviceAddress) -> TrackID? {
            report.beacons.first { $0.address == address }?.track
        }
        #expect(track(before, .rotating(1)) == track(after, .rotating(3)))
        #expect(track(before, .rotating(2)) == track(after, .rotating(4)))
        #expect(story.ranging.filter { $0.t_s > 4 }.holdForAll { $0.report.count == 2 })
    }
}
