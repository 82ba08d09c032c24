import Testing

@testable import Core

/// A number of the reference and its limits; `ReferenceTests` holds both to the default file.
struct NumberRow: Sendable, CustomTestStringConvertible {
    let table: String
    let name: String
    let lower: Double
    let upper: Double
    var isInteger: Bool { TypeTests.type(of: testDescription, allowed: "from ") == "an integer" }
    var besideLower: String { Self.beside[testDescription]?.lower ?? "" }
    var besideUpper: String { Self.beside[testDescription]?.upper ?? "" }

    init?(_ table: String, _ key: KeyDescription) {
        let limits = key.allowed.split { " ,".contains($0) }.compactMap { Double($0) }
        guard key.allowed.hasPrefix("from "), limits.count >= 2 else { return nil }
        (self.table, name, lower, upper) = (table, key.name, limits[0], limits[1])
    }

    var testDescription: String { "\(table).\(name)" }

    func text(_ value: Double) -> String { isInteger ? String(Int64(value)) : String(value) }

    func document(_ value: String, beside: String = "") -> String {
        ConfigurationTests.document(table: table, line: "\(name) = \(value)\n\(beside)")
    }

    /// Further lines that satisfy other keys, which bound the value too.
    private static let beside: [String: (lower: String, upper: String)] = [
        "radio.interval_ms": ("window_ms = 2.5", ""),
        "radio.window_ms": ("", "interval_ms = 10240"),
        "rotation.unknown_after_s": ("", "resolve_after_s = 3601"),
        "rotation.resolve_after_s": ("unknown_after_s = 0.05", ""),
        "distance.immediate_m": ("", "near_m = 101"),
        "distance.near_m": ("immediate_m = 0.01", ""),
        "region.minor": ("major = 1", "major = 1"),
        "ranging.min_interval_s": ("", "max_interval_s = 3600"),
        "ranging.max_interval_s": ("min_interval_s = 0.1", ""),
        "location.min_interval_s": ("", "max_interval_s = 86400"),
        "regions.entry_rssi_dbm": ("exit_rssi_dbm = -127", "exit_rssi_dbm = -127"),
        "regions.exit_rssi_dbm": ("entry_rssi_dbm = 20", "entry_rssi_dbm = 20"),
        "region.entry_rssi_dbm": ("exit_rssi_dbm = -127", "exit_rssi_dbm = -127"),
        "region.exit_rssi_dbm": ("entry_rssi_dbm = 20", "entry_rssi_dbm = 20"),
    ]

    static let all = ConfigurationReference.tables.flatMap { table in
        table.keys.compactMap { NumberRow(table.name, $0) }
    }
}

struct LimitTests {
    @Test("Each number of the reference is a row")
    func complete() {
        let numbers = ConfigurationReference.tables.flatMap(\.keys).filter { $0.allowed.hasPrefix("from ") }
        #expect(NumberRow.all.map(\.name) == numbers.map(\.name))
        #expect(numbers.count > 70)
    }

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
