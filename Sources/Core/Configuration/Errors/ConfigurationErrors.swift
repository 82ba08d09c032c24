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

/// Everything that is wrong with `config.toml`, at once, so that one look repairs it.
package struct ConfigurationErrors: Error, Hashable, Sendable {
    /// At least one, at most `maxReported`: in the order of the sections of the default file, then unknown tables.
    let errors: [ConfigurationError]
    /// How many more there were.
    let omitted: Int

    /// No one reads more, and a broken file can have as many as it has bytes.
    static let maxReported = 100

    init(_ list: ErrorList) {
        self.errors = list.errors
        self.omitted = list.omitted
    }

    init(_ error: ConfigurationError) {
        self.errors = [error]
        self.omitted = 0
    }

    /// One line for each error, the file's name in front: `config.toml: line 7: mqtt.protocol = 4: must be 3 or 5`.
    package func lines(file: String) -> [String] {
        let lines = errors.map { "\(file): \($0)" }
        return omitted > 0 ? lines + ["\(file): and \(omitted) more"] : lines
    }
}

extension ConfigurationErrors: CustomStringConvertible {
    /// One line for each error, without a file's name.
    package var description: String {
        let lines = errors.map(\.description)
        return (omitted > 0 ? lines + ["and \(omitted) more"] : lines).joined(separator: "\n")
    }
}

/// Errors as they are found, up to the limit of what is reported; the rest is only counted.
struct ErrorList: Hashable, Sendable {
    private(set) var errors: [ConfigurationError] = []
    private(set) var omitted = 0

    var isEmpty: Bool { errors.isEmpty }

    /// An error beyond the limit is not even made, because that costs more than to find it.
    mutating func note(_ error: @autoclosure () -> ConfigurationError) {
        if errors.count < ConfigurationErrors.maxReported { errors.append(error()) } else { omitted += 1 }
    }

    /// Says in which line of the file each stands.
    mutating func place(in text: String) {
        let lines = TOMLDocument.lines(of: errors.map(\.key), in: text)
        for (index, line) in zip(errors.indices, lines) { errors[index].line = line }
    }

    static func += (left: inout ErrorList, right: ErrorList) {
        for error in right.errors { left.note(error) }
        left.omitted += right.omitted
    }
}
