import TestAir
import Testing

@testable import Core

@Suite("Beyond a limit a newcomer is refused and reported, and tracked ones stay")
struct LimitTests {
    @Test("max_regions: later registrations are refused, earlier ones monitored")
    func maxRegions() {
        var settings = GatewaySettings.door()
        settings.regions.limits.maxRegions = 2
        let region = settings.regions.beacons[0]
        settings.regions.beacons = ["a", "b", "c", "d"].map { id in
            var region = region
            region.id = id
            return region
        }
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), at: 2)
        let story = Story(settings, air)
        #expect(story.failures.map(\.region) == ["c", "d"])
        #expect(story.failures.holdForAll { $0.cause == .tooManyRegions(limit: 2) })
        #expect(story.events == ["enter a 2.0", "enter b 2.0"])
    }

    @Test("max_instances holds for plain regions as well, each reported once")
    func maxInstancesOfPlainRegions() {
        var settings = GatewaySettings.door { settings, _ in settings.regions.limits.maxInstances = 1 }
        var second = settings.regions.beacons[0]
        second.id = "second"
        settings.regions.beacons.append(second)
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), at: 2)
        let story = Story(settings, air)
        #expect(story.failures.map(\.region) == ["second"])
        #expect(story.events == ["enter door 2.0"])
    }

    @Test("max_transmitters: a newcomer is refused while all are listed, and those tracked stay")
    func maxTransmitters() throws {
        let settings = GatewaySettings.door { settings, _ in settings.tracker.maxTransmitters = 3 }
        var air = Air()
        for number in 1...5 {
            let identity = BeaconIdentity.beacon(1, UInt16(number))
            air.beacon(identity, from: .fixed(UInt64(number)), start_s: Double(number), end_s: 20)
        }
        let story = Story(settings, air)
        #expect(try #require(story.known(at: 20)).beacons.map(\.identity.minor).sorted() == [1, 2, 3])
        #expect(story.figures.tracks == 3)
        #expect(story.figures.refusedTransmitters > 0)
        #expect(
            story.failures == [RegionMonitoringFailure(region: "door", cause: .tooManyTransmitters(limit: 3))])
    }

    @Test("max_transmitters: once one has left the list, a newcomer replaces it")
    func roomAgain() throws {
        let settings = GatewaySettings.door { settings, _ in settings.tracker.maxTransmitters = 1 }
        var air = Air(othersUntil_s: 40)
        air.beacon(.beacon(1, 1), from: .fixed(1), start_s: 1, end_s: 10)
        air.beacon(.beacon(1, 2), from: .fixed(2), start_s: 5, end_s: 40)
        let story = Story(settings, air)
        #expect(try #require(story.known(at: 19)).beacons.map(\.identity.minor) == [1])
        #expect(try #require(story.known(at: 22)).beacons.map(\.identity.minor) == [2])
    }

    @Test("max_transmitters: beacons of no region give way to those of a region, not the reverse")
    func strangersGiveWay() {
        let settings = GatewaySettings.door { settings, _ in settings.tracker.maxTransmitters = 4 }
        var air = Air()
        for number in 1...100 {
            let stranger = BeaconIdentity(uuid: Air.otherUUID, major: 1, minor: UInt16(number))
            air.beacon(stranger, from: .fixed(UInt64(number)), start_s: 1, end_s: 10)
        }
        air.beacon(.beacon(), from: .fixed(999), start_s: 5, end_s: 10)
        let story = Story(settings, air)
        #expect(story.events == ["enter door 5.0"])
        #expect(story.failures == [])
    }
}
