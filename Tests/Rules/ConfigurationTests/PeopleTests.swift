import TestAir
import Testing

@testable import Core

@Suite("The keys of regions of people")
struct PeopleTests {
    @Test("Each pair of major and minor is one person, and [regions] gives the minimum")
    func keys() throws {
        let settings = try Settings.parse(
            "[regions]\ncount_minimum = 9\n" + region("people = true")
                + region("people = true\nmajor = 3\ncount_minimum = 2", id: "b")
                .replacing("39ED98FF", with: "49ED98FF"))
        let regions = settings.gateway.regions.beacons
        #expect(regions.map(\.expansion) == [.minor, .minor])
        #expect(regions.map(\.rules.countMinimum) == [9, 2])
        #expect(regions.holdForAll { $0.isOfPeople && !$0.isRanged })
    }

    @Test(
        "No other region may contain a beacon of people",
        arguments: ["", "major = 3", "major = 3\nminor = 1", "people = true"])
    func overlaps(other: String) {
        let wanted =
            "region[2].uuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\": must not match beacons of region \"carts\", "
            + "which are people: no other region may contain them"
        #expect(complaints(region("people = true") + region(other, id: "b")).contains(wanted))
        #expect(complaints(region("people = true\nmajor = 3") + region(other, id: "b")).contains(wanted))
    }

    @Test("Regions of other majors may stand beside it")
    func apart() {
        #expect(complaints(region("people = true\nmajor = 3") + region("major = 4", id: "b")).isEmpty)
        #expect(complaints(region("people = true\nmajor = 3") + region("people = true\nmajor = 4", id: "b")).isEmpty)
    }

    @Test(
        "What would name a person is refused with one sentence",
        arguments: [
            (
                "minor = 1\nmajor = 1",
                "region[1].minor = 1: must not stand beside people = true: one beacon is one person"
            ),
            (
                "expand = \"none\"",
                "region[1].expand = \"none\": must be \"minor\" or \"major\" beside people = true: "
                    + "each value is one person"
            ),
            ("ranging = true", "region[1].ranging = true: must be false beside people = true, which names no beacon"),
            (
                "notify_on_exit = true",
                "region[1].notify_on_exit = true: has no effect beside people = true, which publishes no events"
            ),
        ])
    func refuses(line: String, wanted: String) {
        #expect(complaints(region("people = true\n" + line)) == [wanted])
    }

    @Test("A receiver publishes who is there, and a store may join the counts")
    func elsewhere() {
        #expect(
            complaints(region("people = true") + "[receiver]\ntopic = \"a/#\"\nformat = \"minew\"").contains {
                $0.hasPrefix("region[1].people = true: must not stand beside [receiver]")
            })
        #expect(complaints(region("people = true") + "[site]\nregions = [\"carts\"]").isEmpty)
    }

    @Test(
        "A receiver's topics may have empty levels, as where a maker's begin with a slash",
        arguments: [
            "/gw/ac233fc0a1b2/status", "gw//status/", "/#",
        ])
    func emptyLevels(topic: String) {
        #expect(complaints("[receiver]\ntopic = \"\(topic)\"\nformat = \"minew\"").isEmpty)
        #expect(!complaints("[receiver]\ntopic = \"\"\nformat = \"minew\"").isEmpty)
    }
}
