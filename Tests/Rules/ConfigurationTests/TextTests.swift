import Configuration
import HCI
import Testing

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
        for good in ["a", "Filiale 12", "café", "a.b-c_d", String(repeating: "x", count: 128)] {
            #expect(complaints(set(table, name, "\"\(good)\"")).isEmpty)
        }
    }

    @Test(
        "What Unicode has set aside as no character is refused where it would go to the broker, and named",
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

    @Test("The characters beside them are names like any other", arguments: ["FDCF", "FDF0", "FFFD", "1FFFD", "20000"])
    func besideNonCharacters(digits: String) {
        let escape = "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        for (table, name) in Self.levels { #expect(complaints(set(table, name, "\"a\(escape)\"")).isEmpty) }
    }

    @Test("NUL is refused wherever it is hidden")
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

    @Test("The letters of an escaped NUL are no NUL where a backslash is just that")
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

    @Test("A prefix may have several levels")
    func prefix() throws {
        #expect(try Settings.parse("[mqtt]\nprefix = \"chain/beacons\"").identity.prefix == "chain/beacons")
        for bad in ["", "/", "/a", "a/", "a//b", "a/+/b", "#", "a/b#"] {
            #expect(complaints("[mqtt]\nprefix = \"\(bad)\"").count == 1)
        }
    }

    @Test("A prefix is as long as leaves room for the longest topic below it, in levels")
    func prefixLevels() {
        func complaint(_ levels: Int, _ more: String = "") -> [String] {
            complaints("[mqtt]\nprefix = \"\(Array(repeating: "p", count: levels).joined(separator: "/"))\"\n\(more)")
        }
        // Site, id, "region", its id, major, minor and the last word.
        #expect(complaint(193).isEmpty)
        let errors = complaint(210)
        #expect(errors.count == 1)
        #expect(errors.allSatisfy { $0.hasPrefix("mqtt.prefix = \"p/p/") && $0.hasSuffix("shorten it by 17 levels") })
    }

    @Test("And in bytes: a longer site or id leaves less, an id that is left out the least")
    func prefixBytes() {
        func complaint(_ bytes: Int, site: Int, id: Int) -> [String] {
            let prefix = String((0..<bytes).map { $0 % 100 == 99 ? "/" : "p" })
            let names = [site, id].map { String(repeating: "n", count: $0) }
            return complaints("[gateway]\nsite = \"\(names[0])\"\nid = \"\(names[1])\"\n[mqtt]\nprefix = \"\(prefix)\"")
        }
        // 156 of the longest region's ranging, and two slashes.
        #expect(complaint(1_024 - 156 - 2 - 10 - 20, site: 10, id: 20).isEmpty)
        #expect(complaint(1_024 - 156 - 2 - 10 - 20 + 1, site: 10, id: 20).first?.hasSuffix("by 1 bytes") == true)
        #expect(complaint(1_024 - 156 - 2 - 128 - 128, site: 128, id: 0).isEmpty)
        #expect(complaint(1_024 - 156 - 2 - 128 - 128 + 3, site: 128, id: 0).first?.hasSuffix("by 3 bytes") == true)
    }

    @Test("The state folder has a path")
    func stateDirectory() throws {
        #expect(try Settings.parse("[gateway]\nstate_dir = \"./state\"").outbox.directory == "./state")
        #expect(complaints("[gateway]\nstate_dir = \"\"").count == 1)
        #expect(complaints("[gateway]\nstate_dir = \"\(String(repeating: "x", count: 1025))\"").count == 1)
    }

    @Test("Every word of a key that takes words is read, any other refused with all of them")
    func words() {
        let words = [
            ("radio", "scan", ["passive", "active"]), ("distance", "model", ["indoor", "log", "curve"]),
            ("smoothing", "distance_filter", ["none", "ewma", "trimmed_mean", "iqr_mean", "median", "kalman"]),
            ("smoothing", "region_filter", ["none", "ewma", "trimmed_mean", "iqr_mean", "median", "kalman"]),
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
                #expect(errors.allSatisfy { $0.hasSuffix("\(name) = \"\(bad)\": must be \(list)") })
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
