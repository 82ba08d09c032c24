import TestAir
import Testing

@testable import Core

struct RegionTests {
    @Test("A region needs an id and a UUID")
    func required() {
        #expect(
            complaints("[[region]]\n") == [
                "region[1].id: is missing; must be one topic level: 1 to 128 bytes without + # / or control characters",
                "region[1].uuid: is missing; must be 32 hexadecimal digits, with dashes as in a UUID or without",
            ])
    }

    @Test(
        "A UUID is read in any case, with dashes or without",
        arguments: [
            "39ED98FF-2900-441A-802F-9C398FC199D2", "39ed98ff-2900-441a-802f-9c398fc199d2",
            "39ed98ff2900441A802F9C398FC199D2",
        ])
    func uuid(text: String) throws {
        let settings = try Settings.parse("[[region]]\nid = \"a\"\nuuid = \"\(text)\"")
        #expect(settings.gateway.regions.beacons.map(\.uuid.description) == ["39ED98FF-2900-441A-802F-9C398FC199D2"])
    }

    @Test("A text that is no UUID is refused", arguments: ["", "39ED98FF", "39ED98FF-2900-441A-802F-9C398FC199DX"])
    func noUUID(text: String) {
        let errors = complaints("[[region]]\nid = \"a\"\nuuid = \"\(text)\"")
        #expect(
            errors == [
                "region[1].uuid = \"\(text)\": must be 32 hexadecimal digits, with dashes as in a UUID or without"
            ])
    }

    @Test("Regions are counted from 1 in an error")
    func counted() {
        #expect(
            complaints(region() + "[[region]]\nid = \"b\"\nuuid = \"no\"").holdForAll { $0.hasPrefix("region[2].uuid") }
        )
        #expect(!complaints(region() + "[[region]]\nid = \"b\"\nuuid = \"no\"").isEmpty)
    }

    @Test("Two regions do not share an id")
    func unique() {
        #expect(
            complaints(region() + region()) == [
                "region[2].id = \"carts\": must be unique: another [[region]] has this id"
            ])
    }

    @Test("A minor needs a major")
    func minorNeedsMajor() {
        #expect(complaints(region("minor = 7")) == ["region[1].minor = 7: needs a major beside it"])
        #expect(complaints(region("major = 1\nminor = 7")).isEmpty)
    }

    @Test("An implausible measured power is refused with its key and the remedy")
    func measuredPower() throws {
        #expect(
            complaints(region("measured_power_dbm = -3")) == [
                "region[1].measured_power_dbm = -3: must be from -100 to -20, the RSSI at one metre: 'beacond calibrate' "
                    + "measures it; most beacons have -65 to -55"
            ])
        #expect(
            try Settings.parse(region("measured_power_dbm = -63")).gateway.regions.beacons.first?.measuredPower_dbm
                == -63)
    }

    @Test("A region cannot expand by a number that it fixes")
    func expandFixed() throws {
        #expect(complaints(region("major = 1\nexpand = \"major\"")).count == 1)
        #expect(complaints(region("major = 1\nminor = 7\nexpand = \"minor\"")).count == 1)
        #expect(complaints(region("major = 1\nminor = 7\nexpand = \"none\"")).isEmpty)
        let settings = try Settings.parse(region("major = 1\nexpand = \"minor\""))
        #expect(settings.gateway.regions.beacons.map(\.expansion) == [.minor])
        #expect(settings.gateway.regions.beacons.map(\.major) == [1])
    }

    @Test("A region has its own switches")
    func switches() throws {
        let text = region("notify_on_entry = false\nnotify_on_exit = false\nranging = false")
        let region = try #require(try Settings.parse(text).gateway.regions.beacons.first)
        #expect(!region.notifyOnEntry)
        #expect(!region.notifyOnExit)
        #expect(!region.isRanged)
    }

    @Test("A region overrides the rules of [regions], and takes missing ones from there")
    func overrides() throws {
        let regions = "[regions]\nentry_rssi_dbm = -70\nexit_rssi_dbm = -80\nexit_after_s = 30\nsettle_s = 0\n"
        let own = region("exit_after_s = 5\nentry_after_s = 3\nunknown_state_after_s = 90")
        let rules = try #require(try Settings.parse(regions + own).gateway.regions.beacons.first).rules
        #expect(
            rules
                == BeaconRules(
                    entryRSSI_dbm: -70, entryAfter: .seconds(3), exitRSSI_dbm: -80, exitAfter: .seconds(5),
                    settle: .zero,
                    unknownStateAfter: .seconds(90)))
    }

    @Test("[regions] applies to regions above it in the file, too")
    func order() throws {
        let settings = try Settings.parse(region() + "[regions]\nexit_after_s = 33\n")
        #expect(settings.gateway.regions.beacons.map(\.rules.exitAfter) == [.seconds(33)])
    }

    @Test("The monitor refuses regions beyond max_regions, not the parser")
    func surplus() throws {
        let text = "[regions]\nmax_regions = 1\n" + region(id: "a") + region(id: "b")
        #expect(try Settings.parse(text).gateway.regions.beacons.count == 2)
    }

    @Test("Single brackets and other shapes of a region are refused")
    func shapes() {
        #expect(
            complaints("[region]\nid = \"a\"").holdForAll {
                $0.contains("must be written with double brackets, [[region]]")
            })
        #expect(complaints("[region]\nid = \"a\"").count == 1)
        #expect(complaints("region = 5").count == 1)
        #expect(complaints("region = [5]") == ["region[1] = 5: must be a table, [[region]], not an integer"])
        #expect(complaints("region = []").isEmpty)
    }
}
