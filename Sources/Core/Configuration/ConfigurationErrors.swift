/// One error in `config.toml`.
///
/// The `description` is one line: place, key, value and the allowed values.
package struct ConfigurationError: Error, Hashable, Sendable {
    /// The path of the key, such as `mqtt.url` or `region[2].uuid`, where tables in double brackets are counted from 1.
    /// Empty for the whole file.
    package var key: String
    /// The value as in the file, shortened; `nil` where there is none or it is a secret.
    package var value: String?
    /// The allowed values, and the remedy where it is not obvious.
    var requirement: String
    /// The line, counted from 1; of a missing key, that of its table. `nil` where the file has neither.
    package var line: Int?
    /// The column of a syntax error in characters, counted from 1.
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
    /// The error in one line: `line 8: radio.window_ms = 90: must be from 2.5 to interval_ms (60)` or `line 3, column
    /// 5: not valid TOML: …`.
    package var description: String {
        var parts: [String] = []
        if let line { parts.append(column.map { "line \(line), column \($0)" } ?? "line \(line)") }
        if !key.isEmpty { parts.append(value.map { "\(key) = \($0)" } ?? key) }
        return (parts + [requirement]).joined(separator: ": ")
    }
}

/// All errors in `config.toml` at once, so that a person can repair them in one pass.
package struct ConfigurationErrors: Error, Hashable, Sendable {
    /// At least one error, at most `maxReported`: in the order of their lines, then those without a line.
    let errors: [ConfigurationError]
    /// The number of further errors.
    let omitted: Int

    /// The most errors reported. A broken file can have as many as it has bytes.
    static let maxReported = 100

    init(_ list: ErrorList) {
        self.errors = list.errors
        self.omitted = list.omitted
    }

    package init(_ error: ConfigurationError) {
        self.errors = [error]
        self.omitted = 0
    }

    /// Returns one line for each error, with the file's name: `config.toml: line 7: mqtt.protocol = 4: must be 3 or 5`.
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

/// The errors found, up to the limit. Further errors are only counted.
struct ErrorList: Hashable, Sendable {
    private(set) var errors: [ConfigurationError] = []
    private(set) var omitted = 0

    var isEmpty: Bool { errors.isEmpty }

    /// Adds an error. Beyond the limit the error is not built, because building costs more than finding.
    mutating func record(_ error: @autoclosure () -> ConfigurationError) {
        if errors.count < ConfigurationErrors.maxReported { errors.append(error()) } else { omitted += 1 }
    }

    /// Adds the line of the file to each error, except to those in tables that come from elsewhere, and orders the errors
    /// by their lines.
    mutating func place(in text: String, besides tables: Set<String> = []) {
        let lines = TOMLDocument.lines(of: errors.map(\.key), in: text)
        for (index, line) in zip(errors.indices, lines) {
            let table = errors[index].key.prefix { $0 != "." && $0 != "[" }
            if !tables.contains(String(table)) { errors[index].line = line }
        }
        let inOrder = errors.enumerated().sorted {
            ($0.element.line ?? .max, $0.offset) < ($1.element.line ?? .max, $1.offset)
        }
        errors = inOrder.map(\.element)
    }

    static func += (left: inout ErrorList, right: ErrorList) {
        for error in right.errors { left.record(error) }
        left.omitted += right.omitted
    }
}
