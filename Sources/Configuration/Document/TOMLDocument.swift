import TOMLKit

/// The way from text to `TOMLNode`, and the only place that knows TOMLKit.
///
/// Of TOMLKit only plain look-ups are used: its iterators unwrap optionals. It never frees what it parsed, some tens of
/// kilobytes a file, so a configuration is read at the start and when an operator asks for it, not in a loop.
enum TOMLDocument {
    /// The root table of `text`, or the first error in it.
    static func parse(_ text: String) throws(ConfigurationError) -> [String: TOMLNode] {
        if let violation = DocumentLimits.firstViolation(in: text) { throw violation }
        do {
            return entries(of: try TOMLTable(string: text))
        } catch let error as TOMLParseError {
            throw ConfigurationError(
                key: "", value: nil, requirement: "not valid TOML: \(sentence(error.description))",
                line: error.source.begin.line, column: error.source.begin.column)
        } catch {
            throw ConfigurationError(key: "", value: nil, requirement: "not valid TOML: \(sentence("\(error)"))")
        }
    }

    private static func entries(of table: TOMLTable) -> [String: TOMLNode] {
        var entries: [String: TOMLNode] = [:]
        for key in table.keys {
            guard let value = table[key] else { continue }
            entries[key] = node(value.tomlValue)
        }
        return entries
    }

    /// Recursion goes no deeper than `DocumentLimits.maxDepth` dotted keys within as many brackets.
    private static func node(_ value: TOMLValue) -> TOMLNode {
        switch value.type {
        case .bool: value.bool.map(TOMLNode.boolean) ?? .time
        case .int: value.int.map { .integer(Int64($0)) } ?? .time
        case .double: value.double.map(TOMLNode.float) ?? .time
        case .string: value.string.map(TOMLNode.string) ?? .time
        case .date, .time, .dateTime: .time
        case .array: .array(value.array.map { array in array.indices.map { node(array[$0].tomlValue) } } ?? [])
        case .table: .table(value.table.map(entries) ?? [:])
        }
    }

    /// One line without the parser's own opening.
    private static func sentence(_ description: String) -> String {
        var line = ""
        for scalar in description.unicodeScalars.prefix(200) { line.unicodeScalars.append(scalar.isControl ? " " : scalar) }
        return line
    }
}
