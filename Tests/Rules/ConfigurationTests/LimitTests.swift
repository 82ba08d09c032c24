import Testing

@testable import Core

/// A number and its limits, written out once more. Further lines satisfy other keys that bound the value too.
struct NumberRow: Sendable, CustomTestStringConvertible {
    let table: String
    let name: String
    let lower: Double
    let upper: Double
    let isInteger: Bool
    let besideLower: String
    let besideUpper: String

    init(
        _ table: String, _ name: String, _ limits: ClosedRange<Double>, isInteger: Bool = false,
        besideLower: String = "", besideUpper: String = ""
    ) {
        self.table = table
        self.name = name
        self.lower = limits.lowerBound
        self.upper = limits.upperBound
        self.isInteger = isInteger
        self.besideLower = besideLower
        self.besideUpper = besideUpper
    }

    var testDescription: String { "\(table).\(name)" }

    func text(_ value: Double) -> String { isInteger ? String(Int64(value)) : String(value) }

    func document(_ value: String, beside: String = "") -> String {
        ConfigurationTests.document(table: table, line: "\(name) = \(value)\n\(beside)")
    }

    private static let rules = [
        ("entry_rssi_dbm", -127.0...20.0, "exit_rssi_dbm = -127"), ("entry_after_s", 0...86400, ""),
        ("exit_rssi_dbm", -127...20, "entry_rssi_dbm = 20"), ("exit_after_s", 1...86400, ""),
        ("settle_s", 0...86400, ""), ("unknown_state_after_s", 0...86400, ""),
    ]

    static let all: [NumberRow] =
        [
            NumberRow("radio", "interval_ms", 2.5...10240, besideLower: "window_ms = 2.5"),
            NumberRow("radio", "window_ms", 2.5...10240, besideUpper: "interval_ms = 10240"),
            NumberRow("radio", "rssi_offset_db", -40...40),
            NumberRow("radio", "max_transmitters", 1...262144, isInteger: true),
            NumberRow("rotation", "unknown_after_s", 0.1...3600, besideUpper: "resolve_after_s = 3601"),
            NumberRow("rotation", "resolve_after_s", 0.1...86400, besideLower: "unknown_after_s = 0.05"),
            NumberRow("smoothing", "distance_time_constant_s", 0.1...120),
            NumberRow("smoothing", "region_time_constant_s", 0.1...120),
            NumberRow("distance", "immediate_m", 0.05...100, besideUpper: "near_m = 101"),
            NumberRow("distance", "near_m", 0.05...1000, besideLower: "immediate_m = 0.01"),
            NumberRow("distance", "hysteresis", 0...0.9),
            NumberRow("distance", "excess_loss_db", -30...30), NumberRow("distance", "room_m", 1...1000),
            NumberRow("regions", "max_regions", 1...262144, isInteger: true),
            NumberRow("regions", "max_watched", 1...16384, isInteger: true),
            NumberRow("regions", "cushion_m", 0...100_000), NumberRow("regions", "crossing_after_s", 0...86400),
            NumberRow("regions", "max_instances", 1...262144, isInteger: true),
            NumberRow("regions", "max_newcomers_per_minute", 0...262144, isInteger: true),
            NumberRow("regions", "forget_after_days", 0...3650, isInteger: true),
            NumberRow("regions", "count_minimum", 1...100, isInteger: true),
            NumberRow("region", "count_minimum", 1...100, isInteger: true),
            NumberRow("region", "latitude", -90...90), NumberRow("region", "longitude", -180...180),
            NumberRow("region", "radius_m", 1...1_000_000_000), NumberRow("region", "cushion_m", 0...100_000),
            NumberRow("region", "crossing_after_s", 0...86400),
            NumberRow("region", "major", 0...65535, isInteger: true),
            NumberRow(
                "region", "minor", 0...65535, isInteger: true, besideLower: "major = 1", besideUpper: "major = 1"),
            NumberRow("region", "measured_power_dbm", -100 ... -20, isInteger: true),
            NumberRow("ranging", "min_interval_s", 0.1...3600, besideUpper: "max_interval_s = 3600"),
            NumberRow("ranging", "max_interval_s", 0.1...86400, besideLower: "min_interval_s = 0.1"),
            NumberRow("ranging", "distance_filter_m", 0...1000),
            NumberRow("beacons", "report_interval_s", 1...86400),
            NumberRow("location", "latitude", -90...90), NumberRow("location", "longitude", -180...180),
            NumberRow("location", "horizontal_accuracy_m", 0.1...100_000),
            NumberRow("location", "desired_accuracy_m", 1...100_000),
            NumberRow("location", "distance_filter_m", 0...100_000),
            NumberRow("location", "min_interval_s", 0...86400, besideUpper: "max_interval_s = 86400"),
            NumberRow("location", "max_interval_s", 1...86400),
            NumberRow("location", "heading_filter_deg", 0...180),
            NumberRow("location", "defer_distance_m", 0...1_000_000),
            NumberRow("location", "defer_timeout_s", 0...86400), NumberRow("location", "max_age_s", 1...3600),
            NumberRow("mqtt", "keepalive_s", 5...65535, isInteger: true),
            NumberRow("mqtt", "max_inflight", 1...1000, isInteger: true),
            NumberRow("mqtt", "undelivered_hold_s", 0...2_592_000),
            NumberRow("outbox", "max_events", 1...10_000_000, isInteger: true),
            NumberRow("outbox", "max_mib", 1...16384, isInteger: true),
            NumberRow("site", "leave_after_s", 0...3600), NumberRow("site", "late_after_s", 1...86400),
            NumberRow("site", "heat_minimum", 1...1_000, isInteger: true),
            NumberRow("site.gateway", "floor", -100...200, isInteger: true),
            NumberRow("site.gateway", "rssi_offset_db", -40...40),
            NumberRow("homeassistant", "max_instances", 0...10_000, isInteger: true),
            NumberRow("advertise", "major", 0...65535, isInteger: true),
            NumberRow("advertise", "minor", 0...65535, isInteger: true),
            NumberRow("advertise", "measured_power_dbm", -127...20, isInteger: true),
            NumberRow("advertise", "interval_ms", 20...10240),
            NumberRow("capture", "max_mib", 1...64, isInteger: true),
            NumberRow("capture", "max_files", 1...1000, isInteger: true),
        ]
        + ["regions", "region"].flatMap { table in
            rules.map { NumberRow(table, $0.0, $0.1, besideLower: $0.2, besideUpper: $0.2) }
        }
}

struct LimitTests {
    @Test("A number may be its lower limit", arguments: NumberRow.all)
    func lowerLimit(row: NumberRow) {
        // The lowest values of resolve_after_s and near_m are above another key's lowest.
        let own = complaints(row.document(row.text(row.lower), beside: row.besideLower)).filter {
            $0.contains(".\(row.name) = ")
        }
        #expect(own.isEmpty)
    }

    @Test("A number may be its upper limit", arguments: NumberRow.all)
    func upperLimit(row: NumberRow) {
        #expect(complaints(row.document(row.text(row.upper), beside: row.besideUpper)).isEmpty)
    }

    @Test("A number beyond a limit is refused, with key, value and both limits", arguments: NumberRow.all)
    func beyond(row: NumberRow) throws {
        let step = row.isInteger ? 1 : 0.001
        for value in [row.lower - step, row.upper + step] {
            let own = try #require(complaints(row.document(row.text(value))).first { $0.contains(".\(row.name) = ") })
            let limits = [row.lower, row.upper].map { $0 == $0.rounded() ? String(Int64($0)) : String($0) }
            let expected = ".\(row.name) = \(row.text(value)): must be from \(limits[0]) to \(limits[1])"
            // A key may add its remedy.
            #expect(own.hasSuffix(expected) || own.contains(expected + ", "))
        }
    }

    @Test("Every number of the reference is in the rows above")
    func complete() {
        let rows = Set(NumberRow.all.map(\.testDescription))
        for table in ConfigurationReference.tables {
            for key in table.keys where key.allowed.hasPrefix("from ") {
                #expect(rows.contains("\(table.name).\(key.name)"))
            }
        }
    }

    @Test("nan and inf are in no range", arguments: NumberRow.all.filter { !$0.isInteger })
    func notFinite(row: NumberRow) {
        for value in ["nan", "inf", "-inf", "+nan"] {
            #expect(
                complaints(row.document(value)).contains {
                    $0.contains(".\(row.name) = ") && $0.contains("must be from")
                })
        }
    }

    @Test("A number that may have a fraction may be written as an integer")
    func integerForNumber() throws {
        #expect(try Settings.parse("[radio]\nwindow_ms = 20").radio.window_ms == 20)
        #expect(try Settings.parse("[rotation]\nunknown_after_s = 3").gateway.tracker.unknownAfter == .seconds(3))
    }

    @Test("An integer is written without a fraction", arguments: NumberRow.all.filter(\.isInteger))
    func fractionForInteger(row: NumberRow) {
        let errors = complaints(row.document("20.0", beside: row.besideLower))
        #expect(errors.contains { $0.contains(".\(row.name) = 20.0: must be an integer (") })
    }

    @Test("An integer too large for its type is refused, not wrapped", arguments: NumberRow.all.filter(\.isInteger))
    func hugeInteger(row: NumberRow) {
        for value in ["9223372036854775807", "-9223372036854775808", "65536000001"] {
            #expect(complaints(row.document(value)).contains { $0.contains(".\(row.name) = \(value): must be from ") })
        }
    }

    @Test("An integer beyond 64 bits is a syntax error with its place")
    func integerBeyond64Bits() throws {
        let errors = complaints("[mqtt]\nkeepalive_s = 9223372036854775808")
        #expect(errors.count == 1)
        #expect(try #require(errors.first).hasPrefix("line 2, column "))
    }

    @Test(
        "A path-loss exponent is clamped to 1.6 … 4",
        arguments: [("1", 1.6), ("1.6", 1.6), ("3", 3), ("4.5", 4), ("1e300", 4)])
    func exponentClamped(text: String, exponent: Double) throws {
        #expect(
            try Settings.parse("[distance]\npath_loss_exponent = \(text)").gateway.distance.pathLossExponent == exponent
        )
    }

    @Test("A path-loss exponent that is no positive number is refused", arguments: ["0", "-2", "nan", "inf"])
    func exponentRefused(text: String) {
        #expect(
            complaints("[distance]\npath_loss_exponent = \(text)")
                == ["distance.path_loss_exponent = \(text): must be a finite number above 0"])
    }
}
