import TestAir
import Testing

@testable import Core

/// Any file gives settings or errors. A trap would end the test run.
struct RobustnessTests {
    @Test("The default file cut off at any byte parses or is an error")
    func truncation() throws {
        let octets = Array(try DefaultFile.text().utf8)
        for count in octets.indices {
            Self.judge(Array(octets[..<count]))
        }
    }

    @Test("Ten thousand mutations of the default file parse or are errors")
    func mutation() throws {
        let original = Array(try DefaultFile.withoutComments().utf8)
        var random = SeededGenerator(seed: 7)
        let tokens = [
            "\"", "'", "\"\"\"", "[", "]", "[[", "]]", "{", "}", ".", "=", ",", "\n", "#", "\\u0000", "-", "1e400",
            "nan",
        ]
        for _ in 0..<10_000 {
            var octets = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<octets.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: octets[place] = UInt8.random(in: 0...255, using: &random)
                case 1: octets.remove(at: place)
                case 2: octets.insert(contentsOf: tokens.randomElement(using: &random)?.utf8 ?? "".utf8, at: place)
                case 3: octets.removeSubrange(place..<min(octets.count, place + 20))
                default:
                    let piece = octets[place..<min(octets.count, place + 40)]
                    octets.insert(contentsOf: piece, at: Int.random(in: 0..<octets.count, using: &random))
                }
            }
            Self.judge(octets)
        }
    }

    @Test("Twenty thousand random sequences of TOML's tokens parse or are errors")
    func soup() {
        let tokens = [
            "\"", "'", "\"\"\"", "'''", "[", "]", "[[", "]]", "{", "}", ".", "=", ",", "\n", "#", "\\u0041", "-", "+",
            "1e400",
            "nan", "inf", "a", "radio", "scan", "1979-05-27", "T07:32:00", "Z", "+07:00", "-00:99", ".5", "0x", "0b",
            "0o7", "_",
            "1_0", "99999999999999999999", " ", "\t", "\r\n", "\r", "é", "\u{A0}", "\u{2028}", "\u{FEFF}", "\\", "\\\n",
            "true",
            "fals", ":", "0", "9", "e", "E5", "/", "*", "!", "\u{10FFFF}", "\\uD800", "\\U00110000", "a=1\n", "[a]\n",
            "[[a]]\n",
            "a.b=1\n", "a={b=1}\n", "\"\"=1\n", "x=", "x=[", "x={",
        ]
        var random = SeededGenerator(seed: 99)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...14, using: &random)
            Self.judge((0..<count).flatMap { _ in Array(tokens.randomElement(using: &random)?.utf8 ?? "".utf8) })
        }
    }

    /// Checks an outcome: errors have one line each, and settings satisfy other components.
    static func judge(_ octets: [UInt8]) {
        let isSound: Bool
        do throws(ConfigurationErrors) {
            let radio = try Settings.read(utf8: octets).settings.radio
            isSound = radio.window_ms <= radio.interval_ms && !radio.adapters.isEmpty
        } catch {
            let descriptions = error.errors.map(\.description)
            isSound = !descriptions.isEmpty && !descriptions.contains { $0.isEmpty || $0.utf8.contains(0x0A) }
        }
        // One expectation for each would take longer than the checks.
        if !isSound { Issue.record("\(String(decoding: octets, as: UTF8.self))") }
    }

    @Test("A file of more than 16 MiB is refused unread")
    func size() {
        #expect(complaints(String(repeating: "#", count: 1 << 20)).isEmpty)
        #expect(
            complaints(String(repeating: "#", count: 1 + 16 << 20))
                == ["the file has more than the 16777216 bytes that are allowed"])
        #expect(complaints(String(repeating: "[", count: 10 << 20)).count == 1)
    }

    @Test("A file that is not UTF-8 is refused")
    func encoding() throws {
        for octets: [UInt8] in [[0xFF], [0x23, 0xC3, 0x28], [0x23, 0xED, 0xA0, 0x80]] {
            let errors = try #require(throws: ConfigurationErrors.self) { try Settings.read(utf8: octets) }
            #expect(errors.description == "the file is not UTF-8 text")
        }
        #expect(try Settings.read(utf8: Array("# café\n".utf8)).settings == Settings.defaults)
        #expect(try Settings.read(utf8: [0xEF, 0xBB, 0xBF]).settings == Settings.defaults)
    }

    @Test("Endless nesting is refused before it exhausts the stack")
    func nesting() throws {
        let dots = String(repeating: "a.", count: 400_000) + "a"
        for text in [
            "[\(dots)]", "\(dots) = 1", "\(dots) = 1 x", String(repeating: "a . ", count: 200_000) + "a = 1",
            String(repeating: "\"a\".", count: 200_000) + "a = 1", "a = " + String(repeating: "[", count: 500_000),
            "a = " + String(repeating: "{a=", count: 300_000), "a = " + String(repeating: "[\n", count: 400_000),
            "a = " + String(repeating: "{a.a.a.a.a=[\n", count: 70_000), "b = '''\n'''''\n\(dots) = 1",
            "b = \"\"\"\\\"\"\"\"\n\(dots) = 1", "b = ''\nc = \"\"\n\(dots) = 1", "b = 1 # \"\n\(dots) = 1",
        ] {
            let error = try #require(complaints(text).first)
            #expect(error.hasSuffix("tables are nested more than 16 deep"), "\(text.prefix(20))")
        }
    }

    @Test("Dots and brackets in strings, comments and numbers are not nesting")
    func notNesting() throws {
        let dots = String(repeating: ".[{", count: 50)
        #expect(try Settings.parse("# \(dots)\n[gateway]\nsite = \"\(dots.prefix(60))\"").identity.site.count == 60)
        #expect(try Settings.parse("[gateway]\nsite = '\(dots.prefix(60))'").identity.site.count == 60)
        #expect(
            complaints("[log]\nlevel = [\(String(repeating: "1.5, ", count: 100))]").holdForAll {
                !$0.contains("nested")
            })
        #expect(complaints("a = [\(String(repeating: "[], ", count: 100))]").holdForAll { !$0.contains("nested") })
    }

    @Test(
        "A table's heading without a name is an error with its place",
        arguments: [
            "[[[region]]]", "[=]", "[ !]", "[[.a]]", "\t[#", "[\n", "[[\n", "[]", "[", "[[", "[é]", "\u{A0}[!]",
            "[ [region]]",
        ])
    func heading(text: String) throws {
        let errors = complaints("[radio]\n\(text)")
        #expect(errors.count == 1)
        #expect(try #require(errors.first).hasPrefix("line "))
        #expect(try #require(errors.first).contains("not valid TOML: "))
    }

    @Test("A file of nothing but keys is read in time")
    func manyKeys() {
        let text = (0..<70_000).map { "k\($0) = 1\n" }.joined()
        #expect(complaints(text).count == 100)
    }

    @Test("Strange but valid values are errors of their keys")
    func values() {
        for value in [
            "1979-05-27T07:32:00Z", "1979-05-27T07:32:00.999999-07:00", "1979-05-27", "07:32:00", "0xFFFFFFFF", "0b1",
            "1e308",
            "-0.0", "\"\\U0010FFFF\"", "'''x'''", "{ a = { b = [1, 2] } }", "[[[[]]]]",
        ] {
            #expect(complaints("[log]\nlevel = \(value)").count == 1)
        }
    }
}
