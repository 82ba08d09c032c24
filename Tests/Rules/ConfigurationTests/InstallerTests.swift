import Testing

@testable import Core

/// `[advertise]` and `[capture]`, which exist only where they are enabled.
struct InstallerTests {
    let uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"

    @Test("An enabled advertisement has the defaults of an uncalibrated beacon")
    func advertise() throws {
        let settings = try #require(
            try Settings.parse("[advertise]\nenabled = true\nuuid = \"\(uuid)\"").advertise)
        let identity = BeaconIdentity(uuid: try #require(ProximityUUID(uuid)), major: 0, minor: 0)
        #expect(settings.frame == IBeaconFrame(identity: identity, measuredPower_dbm: -59))
        #expect(settings.interval_ms == 100)
    }

    @Test("An advertisement has the configured values")
    func advertised() throws {
        let lines = "major = 1\nminor = 7\nmeasured_power_dbm = -64\ninterval_ms = 152.5"
        let settings = try #require(
            try Settings.parse("[advertise]\nenabled = true\nuuid = \"\(uuid)\"\n\(lines)").advertise)
        #expect(settings.frame.identity.major == 1)
        #expect(settings.frame.identity.minor == 7)
        #expect(settings.frame.measuredPower_dbm == -64)
        #expect(settings.interval_ms == 152.5)
    }

    @Test("An advertisement needs a UUID, but only where it is enabled")
    func missing() throws {
        #expect(
            complaints("[advertise]\nenabled = true")
                == ["advertise.uuid: is missing; must be 32 hexadecimal digits, with dashes as in a UUID or without"])
        #expect(try Settings.parse("[advertise]\nmajor = 3").advertise == nil)
    }

    @Test("Keys of a disabled table are checked too")
    func checkedWhileOff() {
        #expect(complaints("[advertise]\nmajor = -1") == ["advertise.major = -1: must be from 0 to 65535"])
        #expect(complaints("[capture]\nmax_files = 0") == ["capture.max_files = 0: must be from 1 to 1000"])
    }

    @Test("Captures go to the state folder where no other is set")
    func capture() throws {
        let text = "[gateway]\nstate_dir = \"/var/b\"\n[capture]\nenabled = true\n"
        let capture = try #require(try Settings.parse(text).capture)
        #expect(capture.directory == "/var/b")
        #expect(capture.max_MiB == 4)
        #expect(capture.maxFiles == 4)
        #expect(try Settings.parse(text + "directory = \"/srv\"").capture?.directory == "/srv")
    }
}
