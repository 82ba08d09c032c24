import TestAir
import Testing

@testable import Core

@Suite("A region is a UUID, an optional major and an optional minor")
struct MatchingTests {
    private func settings(_ change: (BeaconRegion) -> [BeaconRegion]) -> GatewaySettings {
        var settings = GatewaySettings.door()
        settings.regions.beacons = settings.regions.beacons.flatMap(change)
        return settings
    }

    private func named(_ id: String, _ region: BeaconRegion, _ major: UInt16? = nil, _ minor: UInt16? = nil)
        -> BeaconRegion
    {
        var region = region
        (region.id, region.major, region.minor) = (id, major, minor)
        return region
    }

    @Test("UUID, UUID and major, and UUID, major and minor may overlap: each crosses by itself")
    func overlapping() {
        let settings = settings { [named("all", $0), named("seven", $0, 7), named("one", $0, 7, 1)] }
        var air = Air(othersUntil_s: 90)
        air.beacon(.beacon(7, 1), from: .fixed(1), start_s: 2, end_s: 10)
        air.beacon(.beacon(7, 2), from: .fixed(2), start_s: 3, end_s: 20)
        air.beacon(.beacon(8, 1), from: .fixed(3), start_s: 4, end_s: 30)
        #expect(
            Story(settings, air).events == [
                "enter all 2.0", "enter seven 2.0", "enter one 2.0", "exit one 30.0", "exit seven 40.0",
                "exit all 50.0",
            ])
    }

    @Test("Two regions of equal definition both cross")
    func sameDefinition() {
        var air = Air()
        air.beacon(.beacon(), from: .fixed(1), at: 2)
        #expect(
            Story(settings { [named("a", $0), named("b", $0)] }, air).events == ["enter a 2.0", "enter b 2.0"])
    }

    @Test("Another UUID, major or minor is no match")
    func noMatch() {
        var air = Air()
        air.beacon(BeaconIdentity(uuid: Air.otherUUID, major: 7, minor: 1), from: .fixed(1), at: 2)
        air.beacon(.beacon(8, 1), from: .fixed(2), at: 3)
        air.beacon(.beacon(7, 2), from: .fixed(3), at: 4)
        let story = Story(settings { [named("one", $0, 7, 1)] }, air)
        #expect(story.events == [] && story.ranging.isEmpty)
        #expect(story.figures.tracks == 3)
    }

    @Test("expand = major makes one instance for each major heard")
    func expandMajor() {
        let settings = settings { region in
            var region = region
            region.expansion = .major
            return [region]
        }
        var air = Air(othersUntil_s: 60)
        air.beacon(.beacon(7, 1), from: .fixed(1), start_s: 2, end_s: 10)
        air.beacon(.beacon(7, 2), from: .fixed(2), start_s: 3, end_s: 20)
        air.beacon(.beacon(8, 1), from: .fixed(3), start_s: 4, end_s: 10)
        #expect(
            Story(settings, air).events == [
                "enter door/7 2.0", "enter door/8 4.0", "exit door/8 30.0", "exit door/7 40.0",
            ])
    }

    @Test("expand = minor makes one instance for each pair of major and minor, and ranges each by itself")
    func expandMinor() throws {
        let settings = settings { region in
            var region = region
            region.expansion = .minor
            return [region]
        }
        var air = Air()
        air.beacon(.beacon(7, 1), from: .fixed(1), at: 2)
        air.beacon(.beacon(7, 2), from: .fixed(2), at: 3)
        air.beacon(.beacon(8, 1), from: .fixed(3), at: 4)
        let story = Story(settings, air)
        #expect(story.events == ["enter door/7/1 2.0", "enter door/7/2 3.0", "enter door/8/1 4.0"])
        let report = try #require(story.ranging.last?.report)
        #expect(report.instance == RegionInstanceID(region: "door", .minor(major: 8, minor: 1)))
        #expect(report.beacons.map(\.identity) == [.beacon(8, 1)])
    }

    @Test("expand = minor within one major stays within that major")
    func expandWithinMajor() {
        let settings = settings { region in
            var region = named("door", region, 7)
            region.expansion = .minor
            return [region]
        }
        var air = Air()
        air.beacon(.beacon(7, 1), from: .fixed(1), at: 2)
        air.beacon(.beacon(8, 1), from: .fixed(3), at: 4)
        #expect(Story(settings, air).events == ["enter door/7/1 2.0"])
    }
}
