import TestAir
import Testing

@testable import Core

struct ErrorTests {
    @Test("All errors are reported at once, in the order of the file, one line each")
    func all() throws {
        let text = """
            [mqtt]
            protocol = 4
            [radio]
            window_ms = 90
            scna = "active"
            [gateway]
            site = "a/b"
            [logging]
            level = "info"
            """
        #expect(
            complaints(text) == [
                "mqtt.protocol = 4: must be 3 or 5",
                "radio.window_ms = 90: must be from 2.5 to interval_ms (60)",
                "radio.scna = \"active\": unknown key; did you mean scan?",
                "gateway.site = \"a/b\": must be one topic level: 1 to 128 bytes without + # / or control characters",
                "logging = {…}: unknown table; did you mean [log]?",
            ])
    }

    @Test("Each line can have the file's name in front")
    func lines() throws {
        let errors = try #require(throws: ConfigurationErrors.self) {
            try Settings.parse("[radio]\nwindow_ms = 90\nscan = 1")
        }
        #expect(errors.lines(file: "config.toml").count == 2)
        #expect(
            errors.lines(file: "config.toml").contains(
                "config.toml: line 2: radio.window_ms = 90: must be from 2.5 to interval_ms (60)"))
        #expect(errors.description == errors.errors.map(\.description).joined(separator: "\n"))
    }

    @Test("A syntax error has its place")
    func syntax() throws {
        let errors = try #require(throws: ConfigurationErrors.self) {
            try Settings.parse("[radio]\nscan = \"passive\nwindow_ms = 1")
        }
        let error = try #require(errors.errors.first)
        #expect(errors.errors.count == 1)
        #expect(error.line == 2)
        #expect(error.column != nil)
        #expect(error.description.hasPrefix("line 2, column "))
        #expect(error.description.contains("not valid TOML: "))
    }

    @Test(
        "The error of an unknown key suggests the nearest known one",
        arguments: [
            ("regions", "exit_after", "exit_after_s"), ("regions", "exit_afer_s", "exit_after_s"),
            ("region", "Major", "major"), ("region", "rangin", "ranging"), ("radio", "windows_ms", "window_ms"),
            ("outbox", "max_event", "max_events"), ("mqtt", "user", "username"), ("log", "levle", "level"),
            ("mqtt", "ulr", "url"), ("mqtt", "rul", "url"), ("region", "di", "id"),
        ])
    func suggestion(table: String, name: String, known: String) {
        let errors = complaints(document(table: table, line: "\(name) = 5"))
        #expect(errors.count == 1)
        #expect(errors.holdForAll { $0.hasSuffix(".\(name) = 5: unknown key; did you mean \(known)?") })
    }

    @Test("The error of an unknown key names the table that has it")
    func otherTable() {
        #expect(complaints("[gateway]\nwindow_ms = 5") == ["gateway.window_ms = 5: unknown key; it belongs to [radio]"])
        #expect(complaints("exit_after_s = 5") == ["exit_after_s = 5: unknown key; it belongs to [regions]"])
    }

    @Test("The error of an unknown key without a similar one lists the known keys")
    func noSuggestion() {
        #expect(
            complaints("[rotation]\nzzz = 5") == [
                "rotation.zzz = 5: unknown key; known are unknown_after_s, resolve_after_s"
            ])
        #expect(complaints("[zzz]").holdForAll { $0.contains("unknown table; known are [gateway], [radio], ") })
        #expect(complaints("[zzz]").count == 1)
    }

    @Test("An unknown key is refused in every table", arguments: ConfigurationReference.tables)
    func everywhere(table: ReferenceTable) {
        let index = table.isRepeated ? "[1]" : ""
        let errors = complaints("\(table.heading)\nqqqqqq = 1").filter { $0.contains("qqqqqq") }
        #expect(errors.count == 1)
        // A mistyped key of a device may be its secret, so its value is not shown.
        let value = table.name == "device" ? "" : " = 1"
        #expect(errors.holdForAll { $0.hasPrefix("\(table.name)\(index).qqqqqq\(value): unknown key; ") })
    }

    @Test("A table within a table is unknown")
    func nested() {
        #expect(complaints("[radio.scan.more]\nx = 1").count == 1)
        #expect(
            complaints("[radio.more]\nx = 1") == [
                "radio.more = {…}: unknown key; known are adapter, adapters, scan, interval_ms, window_ms, rssi_offset_db,"
                    + " max_transmitters"
            ])
    }

    @Test("An error is one short line, for any key and value")
    func oneLine() throws {
        let long = String(repeating: "x", count: 100_000)
        for text in [
            "[log]\nlevel = \"a\\nb\\r\\u001B[31m\\u2028\\u202E\"", "[log]\nlevel = \"\(long)\"",
            "[log]\n\"a\\nb\" = 1",
            "[log]\n\(long) = 1", "[\(long)]", "[log]\nlevel = [\(String(repeating: "1,", count: 10_000))]",
            "[\"a\\nb\"]", "[log]\nlevel = \(long)",
        ] {
            let error = try #require(complaints(text).first)
            #expect(!error.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 || $0.value == 0x202E })
            #expect(error.utf8.count < 500)
        }
    }

    @Test("At most 100 errors are reported, and the number of further ones")
    func cap() throws {
        let text = "[log]\n" + (0..<250).map { "unknown\($0) = 1\n" }.joined()
        let errors = try #require(throws: ConfigurationErrors.self) { try Settings.parse(text) }
        #expect(errors.errors.count == 100)
        #expect(errors.omitted == 150)
        #expect(errors.lines(file: "c").last == "c: and 150 more")
    }
}
