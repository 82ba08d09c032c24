import TestAir
import Testing

@testable import Core

/// Names, paths and other text.
struct TextTests {
    static let levels = [("gateway", "site"), ("gateway", "id"), ("region", "id")]

    func set(_ table: String, _ name: String, _ value: String) -> String {
        let uuid = "uuid = \"39ED98FF-2900-441A-802F-9C398FC199D2\""
        return table == "region" ? "[[region]]\n\(uuid)\n\(name) = \(value)" : "[\(table)]\n\(name) = \(value)"
    }

    @Test("A topic level has no + # / and no control character", arguments: levels)
    func topicLevel(table: String, name: String) {
        for bad in ["a+", "#", "a/b", "/", "a\\u0001", "a\\nb", "\\u007F", String(repeating: "x", count: 129)] {
            #expect(complaints(set(table, name, "\"\(bad)\"")).contains { $0.contains("\(name) = ") })
        }
        let longest = table == "region" ? 106 : 92
        for good in ["a", "Filiale 12", "café", "a.b-c_d", String(repeating: "x", count: longest)] {
            #expect(complaints(set(table, name, "\"\(good)\"")).isEmpty)
        }
    }

    @Test(
        "Noncharacters are refused in text for the broker, and named",
        arguments: ["FDD0", "FDEF", "FFFE", "FFFF", "1FFFE", "10FFFF"])
    func nonCharacters(digits: String) {
        let escape = "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        let requirement = "must not have U+\(digits) in it, which is no character and which brokers refuse"
        let keys = Self.levels + [("mqtt", "prefix"), ("mqtt", "username")]
        for (table, name) in keys {
            let errors = complaints(set(table, name, "\"a\(escape)\""))
            let shown = digits.count > 4 ? escape : "\\u" + digits
            let path = table == "region" ? "region[1]" : table
            #expect(errors == ["\(path).\(name) = \"a\(shown)\": \(requirement)"])
        }
    }

    @Test("Neighbours of noncharacters are allowed", arguments: ["FDCF", "FDF0", "FFFD", "1FFFD", "20000"])
    func besideNonCharacters(digits: String) {
        let escape = "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        for (table, name) in Self.levels { #expect(complaints(set(table, name, "\"a\(escape)\"")).isEmpty) }
    }

    @Test("NUL is refused in every form")
    func nul() {
        for text in ["\\u0000", "\\U00000000", "\\\\\\u0000"] {
            #expect(complaints("[gateway]\nsite = \"a\(text)b\"\n").count == 1)
            #expect(complaints("[gateway]\nstate_dir = \"a\(text)b\"\n").count == 1)
            #expect(complaints("[mqtt]\nca_file = \"a\(text)b\"\nurl = \"mqtts://x\"").count == 1)
            #expect(complaints("[gateway]\n\"site\(text)x\" = \"a\"\n").count == 1)
        }
        let place = "line 2, column 10: not valid TOML: control characters are not allowed (NUL, escape and the like)"
        #expect(complaints("[gateway]\nsite = \"a\u{0}b\"\n") == [place])
        #expect(complaints("[gateway]\n# site \"\u{0}b\"\n").count == 1)
    }

    @Test("The letters of an escaped NUL are allowed after an escaped backslash")
    func literalBackslash() throws {
        #expect(try Settings.parse("[gateway]\nsite = 'a\\u0000b'").identity.site == "a\\u0000b")
        #expect(try Settings.parse("[gateway]\nsite = \"a\\\\u0000b\"").identity.site == "a\\u0000b")
        #expect(try Settings.parse("# \\u0000\n") == Settings.defaults)
    }

    @Test("An empty gateway id means the host name")
    func gatewayID() throws {
        #expect(try Settings.parse("[gateway]\nid = \"\"").identity.id == nil)
        #expect(try Settings.parse("[gateway]\nid = \"g1\"").identity.id == "g1")
    }

    @Test("A site is not empty")
    func emptySite() {
        #expect(
            complaints("[gateway]\nsite = \"\"") == [
                "gateway.site = \"\": must be one topic level: 1 to 128 bytes without + # / or control characters"
            ])
    }

    @Test("A prefix may have several levels, and no dollar at its begin, which is the broker's")
    func prefix() throws {
        #expect(try Settings.parse("[mqtt]\nprefix = \"chain/$beacons\"").identity.prefix == "chain/$beacons")
        for bad in ["", "/", "/a", "a/", "a//b", "a/+/b", "#", "a/b#", "$SYS/beacons"] {
            #expect(complaints("[mqtt]\nprefix = \"\(bad)\"").count == 1)
        }
    }

    @Test(
        "A prefix leaves room for the longest topic below it: a longer site or id leaves less, a left-out id the least"
    )
    func prefixBytes() {
        func complaint(_ bytes: Int, site: Int, id: Int) -> [String] {
            let prefix = String((0..<bytes).map { $0 % 100 == 99 ? "/" : "p" })
            let names = [site, id].map { String(repeating: "n", count: $0) }
            return complaints("[gateway]\nsite = \"\(names[0])\"\nid = \"\(names[1])\"\n[mqtt]\nprefix = \"\(prefix)\"")
        }
        // 18 of /response/location, and two slashes. A host name has 64 at most.
        #expect(complaint(200 - 18 - 2 - 10 - 20, site: 10, id: 20).isEmpty)
        #expect(complaint(200 - 18 - 2 - 10 - 20 + 1, site: 10, id: 20).first?.hasSuffix("by 1 bytes") == true)
        #expect(complaint(200 - 18 - 2 - 60 - 64, site: 60, id: 0).isEmpty)
        #expect(complaint(200 - 18 - 2 - 60 - 64 + 3, site: 60, id: 0).first?.hasSuffix("by 3 bytes") == true)
    }

    @Test("A region's topics have at most 200 bytes, with its numbers where it is expanded")
    func regionBytes() {
        let site = String(repeating: "s", count: 60)
        func complaint(_ bytes: Int, _ more: String = "") -> [String] {
            let id = String(repeating: "r", count: bytes)
            return complaints(
                """
                [gateway]
                site = "\(site)"
                id = "gate"
                [[region]]
                id = "short"
                uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
                [[region]]
                id = "\(id)"
                uuid = "39ED98FF-2900-441A-802F-9C398FC199D2"
                \(more)
                """)
        }
        // 89 of beacons/…/gate/region//ranging, and 12 of the numbers.
        #expect(complaint(111).isEmpty && complaint(99, "expand = \"minor\"").isEmpty)
        let tooLong = complaint(100, "expand = \"minor\"")
        #expect(tooLong.count == 1)
        #expect(tooLong.first?.contains("region[2].id = \"rrr") == true)
        #expect(tooLong.first?.hasSuffix("shorten it, gateway.site, gateway.id or mqtt.prefix by 1 bytes") == true)
    }

    @Test("A region that a request defines has room for its topics, or is refused")
    func requestedRegionBytes() throws {
        let site = String(repeating: "s", count: 60)
        let regions = try Settings.parse("[gateway]\nsite = \"\(site)\"\nid = \"gate\"").gateway.regions
        #expect(regions.maxRequestedID_bytes == 99)
        func definition(_ bytes: Int) throws -> RegionDefinition {
            let text =
                #"{"id":"\#(String(repeating: "r", count: bytes))","uuid":"39ED98FF-2900-441A-802F-9C398FC199D2"}"#
            return try #require(StoredDefinition.read(Array(text.utf8), key: StoredDefinition.key("r")))
        }
        #expect(throws: Never.self) { try regions.region(definition(99)) }
        #expect(throws: ConfigurationErrors.self) { try regions.region(definition(100)) }
    }

    @Test("A zone's topics have at most 200 bytes")
    func zoneBytes() {
        let zone = String(repeating: "z", count: 120)
        let prefix = String(repeating: "p", count: 40)
        let reported = complaints(
            "[mqtt]\nprefix = \"\(prefix)\"\n[site]\n[[site.gateway]]\nid = \"a\"\nzone = \"\(zone)\"")
        #expect(reported.count == 1 && reported.first?.contains("site.gateway[1].zone") == true)
    }

    @Test("An id from the host name obeys the rule of a written one: no gateway is called site")
    func derivedID() {
        var identity = Settings.defaults.identity
        #expect(
            identity.name(byHost: "site")?.description.contains(
                "gateway.id: is empty, so it is the host name, \"site\"") == true)
        identity.id = nil
        #expect(identity.name(byHost: "till/3") == nil && identity.id == "till3")
        identity.id = nil
        #expect(identity.name(byHost: "") == nil && identity.id == "gateway")
        #expect(identity.name(byHost: "site") == nil && identity.id == "gateway")
    }

    @Test("The state folder has a path")
    func stateDirectory() throws {
        #expect(try Settings.parse("[gateway]\nstate_dir = \"./state\"").outbox.directory == "./state")
        #expect(complaints("[gateway]\nstate_dir = \"\"").count == 1)
        #expect(complaints("[gateway]\nstate_dir = \"\(String(repeating: "x", count: 1025))\"").count == 1)
    }

    @Test("Every word of a key that takes words is read; any other is refused with the list of words")
    func words() {
        let words = [
            ("radio", "scan", ["passive", "active"]), ("distance", "model", ["indoor", "log", "curve"]),
            ("smoothing", "distance_filter", ["none", "ewma", "kalman"]),
            ("smoothing", "region_filter", ["none", "ewma", "kalman"]),
            ("region", "expand", ["none", "major", "minor"]), ("ranging", "mode", ["change", "interval"]),
            ("privacy", "device", ["pseudonym", "omit", "raw"]),
            ("log", "level", ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        ]
        for (table, name, allowed) in words {
            for word in allowed {
                #expect(complaints(document(table: table, line: "\(name) = \"\(word)\"")).isEmpty)
            }
            let quoted = allowed.map { "\"\($0)\"" }
            let list = quoted.dropLast().joined(separator: ", ") + " or " + (quoted.last ?? "")
            for bad in ["", "Passive", "x"] {
                let errors = complaints(document(table: table, line: "\(name) = \"\(bad)\""))
                #expect(errors.count == 1)
                #expect(errors.holdForAll { $0.hasSuffix("\(name) = \"\(bad)\": must be \(list)") })
            }
        }
    }

    @Test("A path to the health file is kept")
    func textfile() throws {
        #expect(try Settings.parse("[health]\ntextfile = \"/var/b.prom\"").health.textfile == "/var/b.prom")
    }

    @Test("Commands can be switched on")
    func commands() throws {
        #expect(try Settings.parse("[commands]\nenabled = true").commands.isEnabled)
    }
}
