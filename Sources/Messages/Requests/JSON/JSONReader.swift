/// Reads one JSON text (RFC 8259), strictly: UTF-8, no key twice in an object, nothing behind the value.
///
/// It is a reader of our own because the pure targets do without Foundation, and because a request is input from outside:
/// whatever the octets are, the answer is a value or an error. Depth is bounded here, the length by who calls.
struct JSONReader {
    /// Lists and objects within each other. No request needs more than one.
    static let maxDepth = 8

    private let octets: [UInt8]
    private(set) var index = 0
    private var depth = 0

    static func read(_ octets: [UInt8]) throws(JSONError) -> JSONValue {
        guard String(validating: octets, as: UTF8.self) != nil else {
            throw JSONError(offset: 0, problem: "the text is not UTF-8")
        }
        var reader = JSONReader(octets: octets)
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.peek() == nil else { throw reader.failure("nothing may follow the value") }
        return value
    }

    private init(octets: [UInt8]) {
        self.octets = octets
    }

    /// The octet here; `nil` beyond the end.
    func peek() -> UInt8? { index < octets.count ? octets[index] : nil }

    mutating func advance() { index = min(index + 1, octets.count) }

    /// Steps over `octet` if it stands here.
    mutating func take(_ octet: Unicode.Scalar) -> Bool {
        guard let here = peek(), UInt32(here) == octet.value else { return false }
        advance()
        return true
    }

    /// Steps over the longest run for which `isPart` holds.
    mutating func take(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let run = octets.suffix(from: index).prefix(while: isPart)
        index += run.count
        return run
    }

    func failure(_ problem: String) -> JSONError { JSONError(offset: index, problem: problem) }

    private mutating func skipSpace() {
        _ = take { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        guard let first = peek() else { throw failure("the text ends where a value is expected") }
        switch first {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return try nested { reader throws(JSONError) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(JSONError) in try reader.array() }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: return try word()
        }
    }

    /// A list or an object, from its bracket on.
    private mutating func nested(
        _ read: (inout JSONReader) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        if depth == Self.maxDepth { throw failure("lists and objects are nested more than \(Self.maxDepth) deep") }
        depth += 1
        advance()
        skipSpace()
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var entries: [String: JSONValue] = [:]
        if take("}") { return .object(entries) }
        repeat {
            skipSpace()
            let start = index
            guard peek() == UInt8(ascii: "\"") else { throw failure("expected a key in quotation marks") }
            let key = try string()
            skipSpace()
            guard take(":") else { throw failure("expected : after the key") }
            skipSpace()
            guard entries.updateValue(try value(), forKey: key) == nil else {
                throw JSONError(offset: start, problem: "the key stands there twice")
            }
            skipSpace()
        } while take(",")
        guard take("}") else { throw failure("expected , or }") }
        return .object(entries)
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var values: [JSONValue] = []
        if take("]") { return .array(values) }
        repeat {
            skipSpace()
            values.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw failure("expected , or ]") }
        return .array(values)
    }

    private mutating func word() throws(JSONError) -> JSONValue {
        let before = self
        let letters = take { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        if letters.elementsEqual("true".utf8) { return .boolean(true) }
        if letters.elementsEqual("false".utf8) { return .boolean(false) }
        if letters.elementsEqual("null".utf8) { return .null }
        throw before.failure("expected a value")
    }
}
