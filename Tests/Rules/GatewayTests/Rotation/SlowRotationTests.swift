import TestAir
import Testing

@testable import Core

@Suite("A slow beacon that rotates is one track too, later")
struct SlowRotationTests {
    @Test(
        "The newcomer waits until the slow predecessor's silence is out of the ordinary",
        arguments: [1.0, 2, 3, 4, 5, 7, 10])
    func slow(every_s: Double) throws {
        var air = Air()
        let rotation_s = 2 + 10 * every_s
        air.otherDevices(end_s: rotation_s + 100)
        air.beacon(.beacon(), from: .rotating(1), every_s: every_s, start_s: 2, end_s: rotation_s)
        air.beacon(
            .beacon(), from: .rotating(2), every_s: every_s, start_s: rotation_s + every_s, end_s: rotation_s + 100)
        let story = Story(.door(), air)
        #expect(story.figures.tracks == 1)
        #expect(story.ranging.holdForAll { $0.report.count == 1 || $0.t_s < 2 + 4 * every_s })
        #expect(story.events == ["enter door 2.0"])
        #expect(try #require(story.ranging.last).report.beacons.map(\.track) == [1])
    }

    @Test("A slow beacon that only pauses for 3 intervals beside a newcomer is no rotation")
    func pauses() throws {
        var air = Air(othersUntil_s: 150)
        air.beacon(.beacon(), from: .rotating(1), every_s: 5, start_s: 2, end_s: 52)
        air.beacon(.beacon(), from: .rotating(2), every_s: 5, start_s: 55, end_s: 150)
        air.beacon(.beacon(), from: .rotating(1), every_s: 5, start_s: 67, end_s: 150)
        let story = Story(.door(), air)
        #expect(story.figures.tracks == 2)
        #expect(try #require(story.known(at: 100)).count == 2)
        #expect(try #require(story.known(at: 66)).beacons.filter(\.isResolving).map(\.address) == [.rotating(2)])
    }

    @Test("A newcomer that leaves the list before its slow predecessor is silent can still succeed it")
    func leavesUndecided() throws {
        var air = Air(othersUntil_s: 200)
        air.beacon(.beacon(), from: .rotating(1), every_s: 11, start_s: 2, end_s: 60)
        air.beacon(.beacon(), from: .rotating(2), every_s: 2, start_s: 66, end_s: 70)
        air.beacon(.beacon(), from: .rotating(2), every_s: 2, start_s: 85, end_s: 200)
        let story = Story(.door(), air)
        #expect(story.figures.tracks == 1)
        #expect(story.ranging.holdForAll { $0.report.count == 1 || $0.t_s < 35 })
        #expect(try #require(story.ranging.last).report.beacons.map(\.track) == [1])
    }
}
