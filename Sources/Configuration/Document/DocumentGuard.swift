/// What a document must not have, checked before the TOML parser sees it.
///
/// The parser is C++ behind C strings, and these are its weak places. It ends the text at the first NUL and cuts strings
/// at an escaped one, so half a file would count as whole. It nests tables as deep as a dotted key says, which costs it
/// a stack frame a level. It asserts that a table's name follows `[`, and so `[[[region]]]` would abort the process.
struct DocumentGuard {
    /// Octets of UTF-8 in a file.
    static let maxOctets = 1 << 20
    /// Parts of a dotted key, and brackets within brackets. The deepest that any key needs is 2.
    static let maxDepth = 16

    private enum State {
        case bare, comment, basicString, literalString, longBasicString, longLiteralString
    }

    private let octets: [UInt8]
    private var index = 0
    private var state = State.bare
    private var dots = 0
    private var brackets = 0
    /// Nothing but blanks since the line began.
    private var isLineStart = true

    /// The first thing that is wrong, or `nil`.
    static func firstViolation(in text: String) -> ConfigurationError? {
        if let violation = sizeViolation(octets: text.utf8.count) { return violation }
        var scan = DocumentGuard(octets: Array(text.utf8))
        if let control = scan.octets.firstIndex(where: isForbidden) {
            return scan.violation(at: control, "control characters are not allowed (NUL, escape and the like)")
        }
        if scan.octets.starts(with: [0xEF, 0xBB, 0xBF]) { scan.index = 3 }  // the byte order mark
        while let octet = scan.octet(after: 0) {
            if let complaint = scan.complaint(about: octet) { return scan.violation(at: scan.index, complaint) }
            scan.index += scan.consume(octet)
        }
        return nil
    }

    /// The error about a text of so many octets, if they are too many.
    static func sizeViolation(octets: Int) -> ConfigurationError? {
        guard octets > maxOctets else { return nil }
        return ConfigurationError(
            key: "", value: nil, requirement: "the file has \(octets) bytes; at most \(maxOctets) are allowed")
    }

    private init(octets: [UInt8]) {
        self.octets = octets
    }

    /// TOML has tabs and line ends, and no other control character.
    private static func isForbidden(_ octet: UInt8) -> Bool {
        octet < 0x20 && octet != 0x09 && octet != 0x0A && octet != 0x0D || octet == 0x7F
    }

    /// Columns count characters, as the parser's do; continuation octets of UTF-8 are 10xxxxxx.
    private func violation(at index: Int, _ complaint: String) -> ConfigurationError {
        let before = octets.prefix(index)
        let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
        let column = before.reversed().prefix { $0 != 0x0A }.reduce(1) { $1 & 0b1100_0000 == 0b1000_0000 ? $0 : $0 + 1 }
        return ConfigurationError(key: "", value: nil, requirement: complaint, line: line, column: column)
    }

    private func octet(after count: Int) -> UInt8? {
        let place = index + count
        return place < octets.count ? octets[place] : nil
    }

    /// What is wrong at `index`, with `octet` there.
    private func complaint(about octet: UInt8) -> String? {
        switch state {
        case .basicString, .longBasicString:
            return octet == UInt8(ascii: "\\") && escapesNUL ? "the NUL character is not allowed" : nil
        case .comment, .literalString, .longLiteralString:
            return nil
        case .bare:
            if octet >= 0x80 { return "not valid TOML: only ASCII may stand outside of quotation marks and comments" }
            if octet == UInt8(ascii: "["), isLineStart, brackets == 0, !namesTable {
                return "not valid TOML: the name of a table must follow [ or [["
            }
            let opens = octet == UInt8(ascii: "[") || octet == UInt8(ascii: "{")
            let isTooDeep = opens ? brackets >= Self.maxDepth : octet == UInt8(ascii: ".") && dots + 1 >= Self.maxDepth
            return isTooDeep ? "tables are nested more than \(Self.maxDepth) deep" : nil
        }
    }

    /// Follows the lexical unit at `index`: how many octets it has, at least 1.
    private mutating func consume(_ octet: UInt8) -> Int {
        if octet == 0x0A, state != .longBasicString, state != .longLiteralString {
            // In a string on one line this is a syntax error, at which the parser stops.
            (state, dots, isLineStart) = (.bare, 0, true)
            return 1
        }
        switch state {
        case .bare: return consumeBare(octet)
        case .comment: return octets.suffix(from: index).prefix { $0 != 0x0A }.count
        case .basicString, .longBasicString:
            // What a backslash escapes is passed over, unless it ends the line.
            if octet == UInt8(ascii: "\\") { return self.octet(after: 1) == 0x0A ? 1 : 2 }
            return consumeString(octet, quote: UInt8(ascii: "\""))
        case .literalString, .longLiteralString:
            return consumeString(octet, quote: UInt8(ascii: "'"))
        }
    }

    private mutating func consumeBare(_ octet: UInt8) -> Int {
        if octet <= 0x20 { return 1 }
        isLineStart = false
        switch octet {
        case UInt8(ascii: "#"): state = .comment
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let isLong = quotes(octet) >= 3
            let isBasic = octet == UInt8(ascii: "\"")
            state =
                isLong ? (isBasic ? .longBasicString : .longLiteralString) : (isBasic ? .basicString : .literalString)
            return isLong ? 3 : 1
        case UInt8(ascii: "."): dots += 1
        case UInt8(ascii: "="), UInt8(ascii: ","): dots = 0
        case UInt8(ascii: "["), UInt8(ascii: "{"): (dots, brackets) = (0, brackets + 1)
        case UInt8(ascii: "]"), UInt8(ascii: "}"): brackets = max(0, brackets - 1)
        default: break
        }
        return 1
    }

    /// Ends the string where its quotation marks do. A long one may end in up to two quotation marks of its own.
    private mutating func consumeString(_ octet: UInt8, quote: UInt8) -> Int {
        if octet != quote { return 1 }
        let isShort = state == .basicString || state == .literalString
        let count = isShort ? 1 : quotes(quote)
        if isShort || count >= 3 { state = .bare }
        return count
    }

    /// How many of `quote` stand at `index`, counted up to 5.
    private func quotes(_ quote: UInt8) -> Int {
        octets.suffix(from: index).prefix(5).prefix { $0 == quote }.count
    }

    /// Whether `\u0000` or `\U00000000` stands at `index`.
    private var escapesNUL: Bool {
        switch octet(after: 1) {
        case UInt8(ascii: "u"): octets.dropFirst(index + 2).starts(with: "0000".utf8)
        case UInt8(ascii: "U"): octets.dropFirst(index + 2).starts(with: "00000000".utf8)
        default: false
        }
    }

    /// Whether the heading that opens at `index` goes on with a name. The end of the text and an empty name are left to
    /// the parser.
    private var namesTable: Bool {
        let inner = octets.dropFirst(index + (octet(after: 1) == UInt8(ascii: "[") ? 2 : 1))
        guard let octet = inner.first(where: { $0 != 0x20 && $0 != 0x09 }) else { return true }
        return ConfigurationReference.isBareKeyOctet(octet) || "\"']".utf8.contains(octet)
    }
}
