import Testing

@testable import Core

@Suite("A host and a port")
struct HostPortTests {
    @Test(
        "A host and port are read and written alike",
        arguments: [
            ("127.0.0.1:2947", "127.0.0.1", 2947), ("[::1]:1", "::1", 1), ("gps.local:65535", "gps.local", 65535),
        ]
    )
    func reads(_ text: String, host: String, port: UInt16) throws {
        let place = try HostPort(text, defaultPort: 2947)
        #expect(place == HostPort(host: host, port: port))
        #expect(place.description == text)
    }

    @Test(
        "The percent sign of a zone is written as itself, or as %25 as in RFC 6874",
        arguments: ["[fe80::1%eth0]:1", "[fe80::1%25eth0]:1"])
    func zone(_ text: String) throws {
        let place = try HostPort(text, defaultPort: 2947)
        #expect(place == HostPort(host: "fe80::1%eth0", port: 1))
        #expect(place.description == "[fe80::1%eth0]:1")
    }

    @Test("A zone that is the number 25 stays one")
    func numberedZone() throws {
        #expect(try HostPort("[fe80::1%25]", defaultPort: 1).host == "fe80::1%25")
    }

    @Test("Without a port the default holds", arguments: ["localhost", "[fd00::1]"])
    func defaultPort(_ text: String) throws {
        #expect(try HostPort(text, defaultPort: 2947).port == 2947)
    }

    @Test(
        "Any other text is refused",
        arguments: [
            "", ":2947", "a b", "a:", "a:1:2", "::1", "[::1", "[::1]x", "a/b", "a:-1", "a:1x", "[]", "[abc]:1",
            String(repeating: "a", count: 400),
        ])
    func refused(_ text: String) {
        #expect(throws: HostPort.Problem.notAllowed) { try HostPort(text, defaultPort: 2947) }
    }

    @Test("A port out of range is refused", arguments: ["a:0", "a:65536", "a:99999999999999999999"])
    func badPort(_ text: String) {
        #expect(throws: HostPort.Problem.badPort) { try HostPort(text, defaultPort: 2947) }
    }
}
