/// What a document must not have, checked before the TOML parser sees it.
///
/// The parser is C++ behind C strings. It ends the text at the first NUL and cuts strings at an escaped one, so half a
/// file would count as whole; and it nests tables as deep as a dotted key says, which costs it a stack frame a level.
struct DocumentLimits {
    /// Octets of UTF-8 in a file.
    static let maxOctets = 1 << 20
    /// Parts of a dotted key, and brackets within brackets. The deepest that any key needs is 2.
    static let maxDepth = 16

    private enum State {
        case bare, comment, basicString, literalString, longBasicString, longLiteralString
    }

    private var state = State.bare
    private var line = 1
    private var column = 1
    private var dots = 0
    private var brackets = 0

    /// The first thing that is too much, or `nil`.
    static func firstViolation(in text: String) -> ConfigurationError? {
        if let violation = sizeViolation(octets: text.utf8.count) { return violation }
        let octets = Array(text.utf8)
        var scan = DocumentLimits()
        var index = 0
        while index < octets.count {
            let (step, complaint) = scan.step(octets[index...])
            if let complaint {
                return ConfigurationError(
                    key: "", value: nil, requirement: complaint, line: scan.line, column: scan.column)
            }
            scan.move(over: octets[index..<min(index + step, octets.count)])
            index += step
        }
        return nil
    }

    /// The error about a text of so many octets, if they are too many.
    static func sizeViolation(octets: Int) -> ConfigurationError? {
        guard octets > maxOctets else { return nil }
        return ConfigurationError(
            key: "", value: nil, requirement: "the file has \(octets) bytes; at most \(maxOctets) are allowed")
    }

    /// Columns count characters, as the parser's do; continuation octets of UTF-8 are 10xxxxxx.
    private mutating func move(over octets: ArraySlice<UInt8>) {
        for octet in octets {
            if octet == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if octet & 0b1100_0000 != 0b1000_0000 {
                column += 1
            }
        }
    }

    /// Takes the lexical unit at the start of `rest`: how many octets it has (at least 1), and what is wrong with it.
    private mutating func step(_ rest: ArraySlice<UInt8>) -> (octets: Int, complaint: String?) {
        guard let octet = rest.first else { return (1, nil) }
        if octet < 0x20 && octet != 0x09 && octet != 0x0A && octet != 0x0D || octet == 0x7F {
            return (1, "control characters are not allowed (NUL, escape and the like)")
        }
        switch state {
        case .bare: return stepBare(octet, rest)
        case .comment:
            if octet == 0x0A { state = .bare }
            return (1, nil)
        case .basicString, .longBasicString:
            if octet == UInt8(ascii: "\\") {
                // What it escapes is passed over, unless that is a control character, which has to be looked at.
                let escaped = rest.dropFirst().first ?? 0
                return (escaped < 0x20 ? 1 : 2, Self.escapesNUL(rest) ? "the NUL character is not allowed" : nil)
            }
            return (closeString(rest, quote: UInt8(ascii: "\"")), nil)
        case .literalString, .longLiteralString:
            return (closeString(rest, quote: UInt8(ascii: "'")), nil)
        }
    }

    private mutating func stepBare(_ octet: UInt8, _ rest: ArraySlice<UInt8>) -> (octets: Int, complaint: String?) {
        switch octet {
        case UInt8(ascii: "#"): state = .comment
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let isLong = Self.run(of: octet, in: rest) >= 3
            let isBasic = octet == UInt8(ascii: "\"")
            state = isLong ? (isBasic ? .longBasicString : .longLiteralString) : (isBasic ? .basicString : .literalString)
            return (isLong ? 3 : 1, nil)
        case UInt8(ascii: "."): dots += 1
        case UInt8(ascii: "="), UInt8(ascii: ","), 0x0A: dots = 0
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            dots = 0
            brackets += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): brackets = max(0, brackets - 1)
        default: break
        }
        let isTooDeep = dots >= Self.maxDepth || brackets > Self.maxDepth
        return (1, isTooDeep ? "tables are nested more than \(Self.maxDepth) deep" : nil)
    }

    /// Ends the string where its quotation marks do. A long one may end in up to two quotation marks of its own.
    private mutating func closeString(_ rest: ArraySlice<UInt8>, quote: UInt8) -> Int {
        guard let octet = rest.first else { return 1 }
        if state == .basicString || state == .literalString {
            // A line feed here is a syntax error, which the parser reports.
            if octet == quote || octet == 0x0A { state = .bare }
            return 1
        }
        let quotes = Self.run(of: quote, in: rest)
        guard quotes >= 3 else { return max(1, quotes) }
        state = .bare
        return quotes
    }

    /// How many of `quote` stand at the start, counted up to 5.
    private static func run(of quote: UInt8, in rest: ArraySlice<UInt8>) -> Int {
        rest.prefix(5).prefix { $0 == quote }.count
    }

    /// Whether `rest`, which starts with a backslash, is `\u0000` or `\U00000000`.
    private static func escapesNUL(_ rest: ArraySlice<UInt8>) -> Bool {
        switch rest.dropFirst().first {
        case UInt8(ascii: "u"): rest.dropFirst(2).starts(with: "0000".utf8)
        case UInt8(ascii: "U"): rest.dropFirst(2).starts(with: "00000000".utf8)
        default: false
        }
    }
}
