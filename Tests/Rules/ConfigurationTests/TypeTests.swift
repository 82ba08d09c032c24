import TestAir
import Testing

@testable import Core

struct TypeTests {
    /// The TOML type of each default value is the required type.
    @Test(
        "A value of another type is refused, naming the type that is wanted", arguments: ConfigurationReference.tables)
    func wrongType(table: ReferenceTable) throws {
        for key in table.keys {
            let wanted = try #require(Self.type(of: "\(table.name).\(key.name)", allowed: key.allowed))
            for (value, type) in [
                ("[]", "a list"), ("{}", "a table"), ("1979-05-27", "a date or time"), ("07:32:00", ""),
            ]
            where !(wanted == "a list" && value == "[]") {
                let line = "\(key.name) = \(value)"
                let text = table.isRepeated ? "[[\(table.name)]]\n\(line)" : "[\(table.name)]\n\(line)"
                let errors = complaints(text)
                #expect(
                    errors.contains {
                        $0.contains("\(key.name)") && $0.contains("must be \(wanted) (\(key.allowed)), not \(type)")
                    }, "\(table.name).\(key.name) = \(value): \(errors)")
            }
        }
    }

    static func type(of path: String, allowed: String) -> String? {
        let integers: Set = [
            "radio.max_transmitters", "region.measured_power_dbm", "regions.max_regions", "regions.max_instances",
            "regions.max_newcomers_per_minute", "regions.forget_after_days", "regions.max_watched",
            "regions.count_minimum", "region.count_minimum",
            "region.major", "region.minor",
            "mqtt.keepalive_s", "mqtt.max_inflight", "mqtt.protocol", "outbox.max_events", "outbox.max_mib",
            "advertise.major", "advertise.minor", "advertise.measured_power_dbm", "capture.max_mib",
            "capture.max_files", "site.heat_minimum", "site.gateway.floor", "homeassistant.max_instances",
        ]
        if integers.contains(path) { return "an integer" }
        if ["radio.adapters", "site.regions", "site.gateway.position"].contains(path) { return "a list" }
        if allowed == "true or false" { return "a boolean" }
        let isNumber = ["from ", "0, or from "].contains { allowed.hasPrefix($0) }
        return isNumber || allowed == "a finite number above 0" ? "a number" : "text"
    }

    @Test("Text is not a number, a number is not text, and 1 is not true")
    func examples() {
        #expect(
            complaints("[radio]\nwindow_ms = \"20\"")
                == ["radio.window_ms = \"20\": must be a number (from 2.5 to 10240), not text"])
        #expect(
            complaints("[log]\nlevel = 3")[0...].holdForAll { $0.hasPrefix("log.level = 3: must be text (\"trace\", ") }
        )
        #expect(
            complaints("[commands]\nenabled = 1") == [
                "commands.enabled = 1: must be a boolean (true or false), not an integer"
            ])
        #expect(
            complaints("[commands]\nenabled = \"true\"")
                == ["commands.enabled = \"true\": must be a boolean (true or false), not text"])
    }

    @Test(
        "A table written as a value, or twice, is refused",
        arguments: ConfigurationReference.tables.filter { !$0.isRepeated })
    func tables(table: ReferenceTable) {
        #expect(
            complaints("\(table.name) = 5") == ["\(table.name) = 5: must be one table, [\(table.name)], not an integer"]
        )
        #expect(complaints("[[\(table.name)]]").count == 1)
        #expect(complaints("[\(table.name)]\n[\(table.name)]").holdForAll { $0.hasPrefix("line 2, column ") })
        #expect(complaints("[\(table.name)]\n[\(table.name)]").count == 1)
    }
}
