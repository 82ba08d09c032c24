/// One thing that is wrong with `config.toml`.
///
/// Its `description` is one line without a line break: key, value, what is allowed.
public struct ConfigurationError: Error, Hashable, Sendable {
    /// The path of the key, such as `mqtt.url` or `region[2].uuid` (tables in double brackets are counted from 1);
    /// empty where it is the file as a whole.
    public var key: String
    /// The offending value as it would stand in the file, shortened; `nil` where there is none or it is a secret.
    public var value: String?
    /// What is allowed, and the remedy where it is not plain.
    public var requirement: String
    /// Where a syntax error stands, counted from 1.
    public var line: Int?
    /// In characters, counted from 1.
    public var column: Int?

    public init(key: String, value: String?, requirement: String, line: Int? = nil, column: Int? = nil) {
        self.key = key
        self.value = value
        self.requirement = requirement
        self.line = line
        self.column = column
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// `radio.window_ms = 90: must be from 2.5 to interval_ms (60)` or `line 3, column 5: not valid TOML: …`.
    public var description: String {
        var place: [String] = []
        if !key.isEmpty { place.append(value.map { "\(key) = \($0)" } ?? key) }
        if let line { place.append(column.map { "line \(line), column \($0)" } ?? "line \(line)") }
        return (place + [requirement]).joined(separator: ": ")
    }
}
