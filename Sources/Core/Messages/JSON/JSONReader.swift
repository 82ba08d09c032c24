/// A strict reader of one JSON text (RFC 8259): UTF-8, no key twice in an object, nothing behind the value.
///
/// The project has its own reader, because `Core` does not use Foundation. Also, requests and messages of other
/// gateways are input from outside: any octets give a value or an error. The reader limits the depth; the caller limits
/// the length.
struct JSONReader {
    /// The most lists and objects within each other. No request and no message needs more than four.
    static let maxDepth = 8

    private let octets: [UInt8]
    private(set) var index = 0
    private var depth = 0
    private var document: JSONDocument

    static func read(_ octets: [UInt8]) throws(JSONError) -> JSONDocument {
        guard (try? UTF8Span(validating: octets.span)) != nil else {
            throw JSONError(offset: 0, problem: "the text is not UTF-8")
        }
        var reader = JSONReader(octets: octets)
        reader.skipSpace()
        try reader.value()
        reader.skipSpace()
        guard reader.peek() == nil else { throw reader.failure("nothing may follow the value") }
        return reader.document
    }

    private init(octets: [UInt8]) {
        self.octets = octets
        document = JSONDocument(octets: octets)
        // A field of a message takes about 16 octets and is two nodes.
        document.nodes.reserveCapacity(octets.count / 8 + 1)
    }

    /// Returns the octet here; `nil` beyond the end.
    func peek() -> UInt8? { index < octets.count ? octets[index] : nil }

    mutating func advance() { index = min(index + 1, octets.count) }

    /// Skips `octet` if it is here. Returns whether it was.
    mutating func take(_ octet: Unicode.Scalar) -> Bool {
        guard let here = peek(), UInt32(here) == octet.value else { return false }
        advance()
        return true
    }

    /// Skips the longest run for which `isPart` holds, and returns its range.
    mutating func take(while isPart: (UInt8) -> Bool) -> Range<Int> {
        let start = index
        index = octets[start...].firstIndex { !isPart($0) } ?? octets.count
        return start..<index
    }

    func octets(in range: Range<Int>) -> ArraySlice<UInt8> { octets[range] }

    func failure(_ problem: String) -> JSONError { JSONError(offset: index, problem: problem) }

    mutating func append(_ node: JSONDocument.Node) { document.nodes.append(node) }

    /// Appends a string whose octets differ from those of the text.
    mutating func append(unescaped text: String) {
        append(.escaped(document.texts.count))
        document.texts.append(text)
    }

    private mutating func skipSpace() { _ = take(while: Self.isSpace) }

    static func isSpace(_ octet: UInt8) -> Bool { octet == 0x20 || octet == 0x09 || octet == 0x0A || octet == 0x0D }

    private mutating func value() throws(JSONError) {
        guard let first = peek() else { throw failure("the text ends where a value is expected") }
        switch first {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try object()
        case UInt8(ascii: "["): try array()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): append(try number())
        default: append(try word())
        }
    }

    /// Skips the bracket of a list or an object. Returns the index of its node, which is set once its end is known.
    private mutating func open() throws(JSONError) -> Int {
        if depth == Self.maxDepth { throw failure("lists and objects are nested more than \(Self.maxDepth) deep") }
        depth += 1
        advance()
        skipSpace()
        append(.null)
        return document.nodes.count - 1
    }

    private mutating func object() throws(JSONError) {
        let opening = try open()
        defer { depth -= 1 }
        var known: Set<[UInt8]> = []
        var count = 0
        if !take("}") {
            repeat {
                skipSpace()
                let start = index
                guard peek() == UInt8(ascii: "\"") else { throw failure("expected a key in quotation marks") }
                try string()
                guard isNewKey(count, in: opening, &known) else {
                    throw JSONError(offset: start, problem: "the key stands there twice")
                }
                count += 1
                skipSpace()
                guard take(":") else { throw failure("expected : after the key") }
                skipSpace()
                try value()
                skipSpace()
            } while take(",")
            guard take("}") else { throw failure("expected , or }") }
        }
        document.nodes[opening] = .object(end: document.nodes.count)
    }

    /// Returns whether the key just read is new in the object whose node is `opening`.
    ///
    /// A few keys are compared one by one, which needs no memory. For many keys, where comparing would be quadratic, a
    /// table is built.
    private func isNewKey(_ count: Int, in opening: Int, _ known: inout Set<[UInt8]>) -> Bool {
        let key = document.nodes.count - 1
        let isTableNeeded = count >= 16
        guard known.isEmpty || !isTableNeeded else { return known.insert(nameOf(key)).inserted }
        var earlier = opening + 1
        while earlier < key {
            if document.isSameText(earlier, key) { return false }
            if isTableNeeded { known.insert(nameOf(earlier)) }
            earlier = document.end(of: earlier + 1)
        }
        if isTableNeeded { known.insert(nameOf(key)) }
        return true
    }

    private func nameOf(_ key: Int) -> [UInt8] { Array((document.text(at: key) ?? "").utf8) }

    private mutating func array() throws(JSONError) {
        let opening = try open()
        defer { depth -= 1 }
        if !take("]") {
            repeat {
                skipSpace()
                try value()
                skipSpace()
            } while take(",")
            guard take("]") else { throw failure("expected , or ]") }
        }
        document.nodes[opening] = .array(end: document.nodes.count)
    }

    private mutating func word() throws(JSONError) -> JSONDocument.Node {
        let before = self.index
        let letters = octets[take { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }]
        if letters.elementsEqual("true".utf8) { return .boolean(true) }
        if letters.elementsEqual("false".utf8) { return .boolean(false) }
        if letters.elementsEqual("null".utf8) { return .null }
        throw JSONError(offset: before, problem: "expected a value")
    }
}
