/// A JSON text (RFC 8259) that was read. Its values lie one behind another in one list, and nothing is copied out of the text
/// before somebody asks for it: a site reads thousands of messages a second and looks at every field once.
struct JSONDocument: Sendable {
    /// A value. What is in a list or an object stands directly behind it.
    enum Node: Sendable {
        case null
        case boolean(Bool)
        /// Written without fraction and exponent, and within 64 bits.
        case integer(Int64)
        /// Any other number; always finite.
        case number(Double)
        /// A string without escapes: where its octets stand in the text.
        case string(Range<Int>)
        /// A string with escapes: its index in `texts`.
        case escaped(Int)
        /// A list; the index behind its last value.
        case array(end: Int)
        /// An object, its keys and values by turns; the index behind its last value.
        case object(end: Int)
    }

    let octets: [UInt8]
    /// The value of the text is the first of them.
    var nodes: [Node] = []
    var texts: [String] = []

    /// The index behind a value and everything in it.
    func end(of index: Int) -> Int {
        switch nodes[index] {
        case .array(let end), .object(let end): end
        default: index + 1
        }
    }

    /// The text of a string; `nil` for any other value.
    func text(at index: Int) -> String? {
        switch nodes[index] {
        case .string(let range): String(decoding: octets[range], as: UTF8.self)
        case .escaped(let number): texts[number]
        default: nil
        }
    }

    /// Whether a value is the string `word`.
    func isText(_ word: StaticString, at index: Int) -> Bool {
        switch nodes[index] {
        case .string(let range):
            guard range.count == word.utf8CodeUnitCount else { return false }
            return word.withUTF8Buffer { word in octets[range].elementsEqual(word) }
        case .escaped(let number): return texts[number] == "\(word)"
        default: return false
        }
    }

    /// Whether two values are the same string, however they are written.
    func isSameText(_ first: Int, _ second: Int) -> Bool {
        if case .string(let left) = nodes[first], case .string(let right) = nodes[second] {
            return left.count == right.count && octets[left].elementsEqual(octets[right])
        }
        guard let left = text(at: first), let right = text(at: second) else { return false }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// What a value is, with an article, for the end of "must be text, not …".
    func kind(at index: Int) -> String { value(at: index).kind }

    /// A value with everything in it.
    package func value(at index: Int = 0) -> JSONValue {
        switch nodes[index] {
        case .null: return .null
        case .boolean(let boolean): return .boolean(boolean)
        case .integer(let integer): return .integer(integer)
        case .number(let number): return .number(number)
        case .string, .escaped: return .string(text(at: index) ?? "")
        case .array(let end):
            var values: [JSONValue] = []
            var next = index + 1
            while next < end {
                values.append(value(at: next))
                next = self.end(of: next)
            }
            return .array(values)
        case .object(let end):
            var entries: [String: JSONValue] = [:]
            var next = index + 1
            while next + 1 < end {
                entries[text(at: next) ?? ""] = value(at: next + 1)
                next = self.end(of: next + 1)
            }
            return .object(entries)
        }
    }
}

/// Why octets are no JSON that is taken.
struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, in octets from the start.
    var offset: Int
    /// What is wrong there, or what is missing.
    var problem: String

    var description: String { "at byte \(offset): \(problem)" }
}

/// A value of a JSON text (RFC 8259).
enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// Written without fraction and exponent, and within 64 bits.
    case integer(Int64)
    /// Any other number; always finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Whether it is a number without a fraction, however it is written: to JSON Schema `1.0` and `1e0` are integers as `1` is.
    var isInteger: Bool {
        switch self {
        case .integer: true
        case .number(let number): number.rounded() == number
        default: false
        }
    }

    /// The integer that it is; `nil` also for one beyond 64 bits.
    var integer: Int64? {
        switch self {
        case .integer(let integer): integer
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// What it is, with an article, for the end of "must be text, not …".
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: isInteger ? "an integer" : "a number with a fraction"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
