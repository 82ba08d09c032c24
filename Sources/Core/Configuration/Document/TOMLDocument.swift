/// A parser of TOML 1.0.0: headings, and keys with their values.
///
/// The project has its own parser, because a configuration is input from outside and must not stop the process. The C++
/// parser that Swift packages wrap asserts in release builds too, and aborts at `[[[region]]]`. It also ends a text at
/// NUL.
struct TOMLDocument {
    /// The most parts of a dotted key, and brackets within brackets. The deepest key needs 2.
    static let maxDepth = 16

    private var cursor: TOMLCursor
    private var depth = 0
    private var places: TOMLPlaces?

    /// Returns the root table of `text`.
    ///
    /// - Throws: the first error in it.
    static func parse(_ text: String) throws(ConfigurationError) -> [String: DocumentValue] {
        var document = TOMLDocument(cursor: try TOMLCursor(text))
        guard case .object(let entries) = try document.root() else { return [:] }
        return entries
    }

    /// Returns the lines of keys, counted from 1; see `TOMLPlaces.offset(of:)`.
    static func lines(of keys: [String], in text: String) -> [Int?] {
        guard let cursor = try? TOMLCursor(text) else { return keys.map { _ in nil } }
        var document = TOMLDocument(cursor: cursor)
        document.places = TOMLPlaces()
        _ = try? document.root()
        return keys.map { document.places?.offset(of: $0).map(cursor.line) }
    }

    private init(cursor: TOMLCursor) { self.cursor = cursor }

    private mutating func root() throws(ConfigurationError) -> DocumentValue {
        let root = TOMLTable(.heading)
        var current = root
        cursor.skipLines()
        while !cursor.isAtEnd {
            if cursor.take("[") {
                current = try heading(in: root)
            } else {
                let start = cursor.index
                let path = try pair(in: current)
                places?.set(path, at: start)
            }
            try cursor.finishLine()
            cursor.skipLines()
        }
        return root.node
    }

    /// Reads `[a.b]` or `[[a.b]]`, after its first bracket.
    private mutating func heading(in root: TOMLTable) throws(ConfigurationError) -> TOMLTable {
        let start = cursor.index - 1
        let isRepeated = cursor.take("[")
        let path = try key()
        guard cursor.take("]"), !isRepeated || cursor.take("]") else {
            throw cursor.failure("expected \(isRepeated ? "]]" : "]"), not \(cursor.here)")
        }
        var table: TOMLTable? = root
        for name in path.dropLast() { table = table?.child(onPath: name) }
        if let name = path.last, let found = isRepeated ? table?.append(name) : table?.open(name) {
            places?.open(path, isRepeated: isRepeated, at: start)
            return found
        }
        throw cursor.failure("\(path.joined(separator: ".").quoted) is in the file already", at: start)
    }

    /// Reads `a.b = value`. Returns the key's parts.
    @discardableResult
    private mutating func pair(in table: TOMLTable) throws(ConfigurationError) -> [String] {
        let start = cursor.index
        let path = try key()
        guard cursor.take("=") else { throw cursor.failure("expected =, not \(cursor.here)") }
        cursor.skipBlanks()
        let value = try value()
        if !table.set(path[...], value) {
            throw cursor.failure("\(path.joined(separator: ".").quoted) is in the file already", at: start)
        }
        return path
    }

    /// Reads a key with the blanks around it: bare or quoted, dotted or not.
    private mutating func key() throws(ConfigurationError) -> [String] {
        var path: [String] = []
        repeat {
            cursor.skipBlanks()
            if path.count == Self.maxDepth { throw tooDeep }
            switch cursor.peek() {
            case UInt8(ascii: "\""): path.append(try cursor.string(UInt8(ascii: "\""), mayBeLong: false))
            case UInt8(ascii: "'"): path.append(try cursor.string(UInt8(ascii: "'"), mayBeLong: false))
            default:
                let name = cursor.take(while: ConfigurationReference.isBareKeyOctet)
                if name.isEmpty { throw cursor.failure("expected a key, not \(cursor.here)") }
                path.append(String(decoding: name, as: UTF8.self))
            }
            cursor.skipBlanks()
        } while cursor.take(".")
        return path
    }

    private mutating func value() throws(ConfigurationError) -> DocumentValue {
        switch cursor.peek() {
        case UInt8(ascii: "\""): return .string(try cursor.string(UInt8(ascii: "\""), mayBeLong: true))
        case UInt8(ascii: "'"): return .string(try cursor.string(UInt8(ascii: "'"), mayBeLong: true))
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            if depth == Self.maxDepth { throw tooDeep }
            depth += 1
            let node = cursor.take("[") ? try array() : try inlineTable()
            depth -= 1
            return node
        default: return try cursor.scalar()
        }
    }

    /// Reads `[1, 2]`, after its bracket: on one or several lines, with or without a comma at the end.
    private mutating func array() throws(ConfigurationError) -> DocumentValue {
        var nodes: [DocumentValue] = []
        cursor.skipLines()
        while !cursor.take("]") {
            nodes.append(try value())
            cursor.skipLines()
            let goesOn = cursor.take(",")
            cursor.skipLines()
            if !goesOn, cursor.peek() != UInt8(ascii: "]") {
                throw cursor.failure("expected , or ], not \(cursor.here)")
            }
        }
        return .array(nodes)
    }

    /// Reads `{ a = 1, b = 2 }`, at its brace: on one line, without a comma at the end.
    private mutating func inlineTable() throws(ConfigurationError) -> DocumentValue {
        cursor.advance()
        let table = TOMLTable(.heading)
        cursor.skipBlanks()
        if cursor.take("}") { return table.node }
        repeat {
            try pair(in: table)
            cursor.skipBlanks()
        } while cursor.take(",")
        guard cursor.take("}") else { throw cursor.failure("expected , or }, not \(cursor.here)") }
        return table.node
    }

    private var tooDeep: ConfigurationError { cursor.failure("tables are nested more than \(Self.maxDepth) deep") }
}

/// The places of a document's keys, by their paths in errors: `mqtt.url`, `region[2].uuid`.
///
/// Only errors need them. So a document with errors is read once more, and others cost nothing.
struct TOMLPlaces {
    /// Octets from the start of the text. For a repeated key, those of the first.
    private var offsets: [String: Int] = [:]
    /// The number of tables that each heading in double brackets has opened.
    private var counts: [String: Int] = [:]
    private var table: String?

    /// Takes a heading, which opens a table.
    mutating func open(_ path: [String], isRepeated: Bool, at offset: Int) {
        let name = Self.joined(path)
        record(name, at: offset)
        table = name
        guard isRepeated else { return }
        let number = (counts[name] ?? 0) + 1
        counts[name] = number
        table = "\(name)[\(number)]"
        record("\(name)[\(number)]", at: offset)
    }

    /// Takes a key of the table that was opened last.
    mutating func set(_ path: [String], at offset: Int) {
        let name = Self.joined(path)
        record(table.map { "\($0).\(name)" } ?? name, at: offset)
    }

    /// Returns the place of a key. A missing key, or one within another's value, has the place of its table or key.
    /// Returns `nil` where the text has none of these.
    func offset(of key: String) -> Int? {
        var path = Substring(key)
        while !path.isEmpty {
            if let offset = offsets[String(path)] { return offset }
            path = path.lastIndex { $0 == "." || $0 == "[" }.map { path[..<$0] } ?? ""
        }
        return nil
    }

    private mutating func record(_ path: String, at offset: Int) {
        if offsets[path] == nil { offsets[path] = offset }
    }

    private static func joined(_ path: [String]) -> String {
        path.map(ConfigurationReference.path).joined(separator: ".")
    }
}
