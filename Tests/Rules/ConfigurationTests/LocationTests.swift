import Testing

@testable import Core

/// `[location]` as settings of the services.
struct LocationTests {
    private func location(_ lines: String) throws -> LocationSettings {
        try #require(try Settings.parse("[location]\n\(lines)").gateway.location)
    }

    @Test("Without the table there is no location; with it, it is off until a source is named")
    func off() throws {
        #expect(try Settings.parse("").gateway.location == nil)
        #expect(try location("").source == .none)
    }

    @Test("A fixed place needs both degrees: the defaults lie in the sea")
    func fixed() throws {
        #expect(
            complaints("[location]\nsource = \"fixed\"\nlatitude = 52.5") == [
                "location.longitude = 0 (default): is missing: source = \"fixed\" needs both degrees"
            ])
        let place = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        #expect(
            try location("source = \"fixed\"\nlatitude = 52.5\nlongitude = 13.4\nhorizontal_accuracy_m = 3").source
                == .fixed(place, horizontalAccuracy_m: 3))
    }

    @Test(
        "gpsd is a host, with a port or on its own",
        arguments: [
            ("127.0.0.1:2948", "127.0.0.1", 2948), ("gps.local", "gps.local", 2947), ("[::1]:2947", "::1", 2947),
        ] as [(String, String, UInt16)])
    func gpsd(text: String, host: String, port: UInt16) throws {
        #expect(try location("source = \"gpsd\"\ngpsd = \"\(text)\"").source == .gpsd(host: host, port: port))
    }

    @Test("A text that is no host is refused", arguments: ["", "a b", "host:0", "host:99999", "[::1", "tcp://host"])
    func noHost(text: String) {
        #expect(complaints("[location]\ngpsd = \"\(text)\"").count == 1)
    }

    @Test("The longest time between updates is not below the shortest")
    func intervals() {
        #expect(
            complaints("[location]\nmin_interval_s = 400") == [
                "location.max_interval_s = 300 (default): must not be below min_interval_s (400)"
            ])
    }

    @Test("Updates are deferred with a distance or a time above 0, and pauses can be turned off")
    func choices() throws {
        #expect(try location("").deferral == nil)
        #expect(try location("defer_distance_m = 500").deferral == .init(distance_m: 500, timeout: .zero))
        #expect(try location("defer_timeout_s = 60").deferral == .init(distance_m: 0, timeout: .seconds(60)))
        #expect(try location("activity = \"automotive\"").pausing == .automotive)
        #expect(try location("pauses_automatically = false").pausing == nil)
        #expect(try location("service = \"significant\"").service == .significant)
    }
}
