/// One thing that is wrong with `config.toml`.
///
/// Its `description` is one line without a line break: where it stands, key, value, what is allowed.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// The path of the key, such as `mqtt.url` or `region[2].uuid` (tables in double brackets are counted from 1);
    /// empty where it is the file as a whole.
    package var key: String
    /// The offending value as it would stand in the file, shortened; `nil` where there is none or it is a secret.
    package var value: String?
    /// What is allowed, and the remedy where it is not plain.
    var requirement: String
    /// Where it stands, counted from 1: of a key that is missing, its table; `nil` where the file has nothing of it.
    package var line: Int?
    /// Of a syntax error, in characters, counted from 1.
    var column: Int?

    package init(key: String, value: String?, requirement: String, line: Int? = nil, column: Int? = nil) {
        self.key = key
        self.value = value
        self.requirement = requirement
        self.line = line
        self.column = column
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// `line 8: radio.window_ms = 90: must be from 2.5 to interval_ms (60)` or `line 3, column 5: not valid TOML: …`.
    package var description: String {
        var parts: [String] = []
        if let line { parts.append(column.map { "line \(line), column \($0)" } ?? "line \(line)") }
        if !key.isEmpty { parts.append(value.map { "\(key) = \($0)" } ?? key) }
        return (parts + [requirement]).joined(separator: ": ")
    }
}
