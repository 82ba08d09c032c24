import TestAir
import Testing

@testable import Core

struct CircleTests {
    private func read(_ text: String) throws -> CircularRegion? {
        guard case .circle(let region)? = try Settings.parse(text).gateway.regions.configured.last else { return nil }
        return region
    }

    @Test("A circle has a centre and a radius, and takes all other rules from [regions]")
    func plain() throws {
        let region = try #require(try read("[regions]\ncushion_m = 30\nunknown_state_after_s = 90\n" + circle()))
        let center = try #require(Coordinate(latitude: 52.5163, longitude: 13.3777))
        #expect(
            region
                == CircularRegion(
                    id: "depot", circle: Circle(center: center, radius_m: 150),
                    rules: CircleRules(
                        cushion_m: 30, crossingAfter: .seconds(20), unknownStateAfter: .seconds(90))))
    }

    @Test("A circle may have its own rules")
    func own() throws {
        let lines =
            "cushion_m = 5\ncrossing_after_s = 7.5\nunknown_state_after_s = 40\nnotify_on_entry = false\nnotify_on_exit = false"
        let region = try #require(try read(circle(lines)))
        #expect(!region.notifyOnEntry && !region.notifyOnExit)
        #expect(
            region.rules
                == CircleRules(cushion_m: 5, crossingAfter: .seconds(7.5), unknownStateAfter: .seconds(40)))
    }

    @Test("Regions of both kinds are in one list, in the order of the file")
    func order() throws {
        let settings = try Settings.parse(circle(id: "a") + region(id: "b") + circle(id: "c"))
        #expect(settings.gateway.regions.configured.map(\.id) == ["a", "b", "c"])
        #expect(complaints(circle(id: "a") + region(id: "a")).count == 1)
    }

    @Test(
        "Keys of beacons on a circle are errors",
        arguments: [
            "uuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\"", "major = 1", "minor = 1", "expand = \"none\"",
            "measured_power_dbm = -59",
            "ranging = true", "entry_rssi_dbm = -127", "entry_after_s = 0", "exit_rssi_dbm = -127", "exit_after_s = 20",
            "settle_s = 10",
        ])
    func beaconKeys(line: String) {
        #expect(
            complaints(circle(line)) == [
                "region[1].\(line): is a key of regions of beacons; this is a circle, which has latitude, longitude and radius_m"
            ])
    }

    @Test("Keys of circles on a region of beacons are errors", arguments: ["cushion_m = 20", "crossing_after_s = 20"])
    func circleKeys(line: String) {
        #expect(
            complaints(region(line)) == [
                "region[1].\(line): is a key of circles, which have latitude, longitude and radius_m; this is a region of beacons"
            ])
    }

    @Test("A circle needs all three of its keys", arguments: ["latitude", "longitude", "radius_m"])
    func required(key: String) {
        let text = circle().split(separator: "\n").filter { !$0.hasPrefix(key) }.joined(separator: "\n")
        let errors = complaints(text)
        #expect(errors.count == 1 && errors.holdForAll { $0.hasPrefix("region[1].\(key): is missing") })
    }

    @Test(
        "A place is on the Earth, and a radius at least a metre",
        arguments: ["latitude = 90.1", "latitude = -91", "longitude = 180.5", "radius_m = 0.5", "radius_m = nan"])
    func ranges(line: String) {
        #expect(complaints(circle(line)).count == 1)
    }

    @Test("A radius above 100 km is no error: the monitor clamps it")
    func largeRadius() throws {
        let text = circle().replacing("radius_m = 150", with: "radius_m = 500000")
        #expect(try read(text)?.circle.radius_m == 500_000)
    }

    @Test("The gateway's place is published unless privacy.location is omit")
    func privacy() throws {
        #expect(try Settings.parse("").privacy.location == .include)
        #expect(try Settings.parse("[privacy]\nlocation = \"omit\"").privacy.location == .omit)
        #expect(complaints("[privacy]\nlocation = \"no\"").count == 1)
    }

    @Test("A request defines a circle by these keys too")
    func requested() throws {
        let text = "{\"id\":\"depot\",\"latitude\":52.5163,\"longitude\":13.3777,\"radius_m\":150}"
        let region = try Settings.defaults.gateway.regions.region(try RegionDefinition(text: Array(text.utf8)))
        #expect(region == (try read(circle())).map { .circle($0) })
    }
}
