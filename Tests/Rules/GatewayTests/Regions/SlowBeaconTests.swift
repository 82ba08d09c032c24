import TestAir
import Testing

@testable import Core

@Suite("Slow beacons stretch the exit: never less than 4 learned intervals")
struct SlowBeaconTests {
    private func story(every_s: Double, end_s: Double, until_s: Double, _ settings: GatewaySettings = .door()) -> Story
    {
        var air = Air(othersUntil_s: until_s)
        air.beacon(.beacon(), from: .fixed(1), every_s: every_s, start_s: 2, end_s: end_s)
        return Story(settings, air)
    }

    @Test("A beacon with an interval of 5 s or less leaves after exit_after_s", arguments: [0.1, 1, 2, 5])
    func fastEnough(every_s: Double) {
        #expect(
            story(every_s: every_s, end_s: 102, until_s: 200).events == ["enter door 2.0", "exit door 122.0"])
    }

    @Test("A slower one leaves after 4 intervals", arguments: [6.0, 8, 10])
    func stretched(every_s: Double) {
        let last_s = 2 + every_s * 10
        let events = story(every_s: every_s, end_s: last_s, until_s: 300).events
        #expect(events == ["enter door 2.0", "exit door \(Story.tenths(last_s + 4 * every_s))"])
    }

    @Test("Three lost packets in a row are no exit")
    func lostPackets() {
        var air = Air(othersUntil_s: 300)
        air.beacon(.beacon(), from: .fixed(1), every_s: 10, start_s: 2, end_s: 92)
        air.beacon(.beacon(), from: .fixed(1), every_s: 10, start_s: 132, end_s: 232)
        #expect(Story(.door(), air).events == ["enter door 2.0", "exit door 272.0"])
    }

    @Test("Loss never shortens the learned interval, nor does it stretch the exit of a fast beacon")
    func lossyFastBeacon() {
        var air = Air(othersUntil_s: 100)
        for second in 0..<40 where second % 3 != 0 { air.beacon(.beacon(), from: .fixed(1), at: 2 + Double(second)) }
        #expect(Story(.door(), air).events == ["enter door 3.0", "exit door 60.0"])
    }

    @Test("Of two beacons the one that may be silent longer decides")
    func slowBesideFast() {
        var air = Air(othersUntil_s: 200)
        air.beacon(.beacon(1, 1), from: .fixed(1), every_s: 10, start_s: 2, end_s: 62)
        air.beacon(.beacon(1, 2), from: .fixed(2), start_s: 2, end_s: 70)
        #expect(Story(.door(), air).events == ["enter door 2.0", "exit door 102.0"])
    }

    @Test("A slow beacon has a proximity for 4 intervals and stays listed for that time")
    func listed() throws {
        let settings = GatewaySettings.door { _, region in region.rules.exitAfter = .seconds(60) }
        let story = story(every_s: 5, end_s: 62, until_s: 100, settings)
        let late = try #require(story.known(at: 81).map(\.beacons))
        #expect(late.map(\.observation.proximity) == [.near])
        #expect(try #require(story.ranging.first { $0.t_s >= 82 }).report.beacons == [])
    }

    @Test("A fast beacon is unknown after unknown_after_s and off the list at resolve_after_s")
    func fast() throws {
        let story = story(every_s: 0.1, end_s: 30, until_s: 60)
        #expect(try #require(story.known(at: 31.9)).beacons.map(\.observation.proximity) == [.near])
        let unknown = try #require(story.known(at: 32).map(\.beacons))
        #expect(unknown.map(\.observation.proximity) == [.unknown])
        #expect(unknown.map(\.observation.accuracy_m) == [-1])
        #expect(try #require(story.known(at: 39.9)).beacons.count == 1)
        #expect(try #require(story.known(at: 40)).beacons.isEmpty)
    }
}
