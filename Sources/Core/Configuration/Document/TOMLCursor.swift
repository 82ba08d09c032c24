/// A position in a TOML text, and the smallest steps of reading.
struct TOMLCursor {
    private let octets: [UInt8]
    private(set) var index = 0

    /// Begins at the start, after a byte order mark.
    ///
    /// - Throws: an error for a control character that TOML refuses: any but tab, line feed, and carriage return before
    ///   one.
    init(_ text: String) throws(ConfigurationError) {
        octets = Array(text.utf8)
        var previous: UInt8 = 0
        for (place, octet) in octets.enumerated() {
            if octet < 0x20 && octet != 0x09 && octet != 0x0A && octet != 0x0D || octet == 0x7F {
                throw failure("control characters are not allowed (NUL, escape and the like)", at: place)
            }
            if previous == 0x0D, octet != 0x0A { throw failure("a carriage return ends no line", at: place) }
            previous = octet
        }
        if previous == 0x0D { throw failure("a carriage return ends no line", at: octets.count) }
        if octets.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    var isAtEnd: Bool { index >= octets.count }

    /// Returns the octet here, or `ahead` octets further on; `nil` beyond the end.
    func peek(_ ahead: Int = 0) -> UInt8? {
        let place = index + ahead
        return place < octets.count ? octets[place] : nil
    }

    mutating func advance(_ count: Int = 1) { index = min(index + count, octets.count) }

    /// Skips `octet` if it is here. Returns whether it was.
    mutating func take(_ octet: Unicode.Scalar) -> Bool {
        guard let here = peek(), UInt32(here) == octet.value else { return false }
        advance()
        return true
    }

    /// Skips and returns the longest run for which `isPart` holds.
    mutating func take(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let run = octets.suffix(from: index).prefix(while: isPart)
        advance(run.count)
        return run
    }

    /// Returns how many times `octet` is here in a row, counted up to `limit`.
    func run(of octet: UInt8, upTo limit: Int) -> Int {
        octets.suffix(from: index).prefix(limit).prefix { $0 == octet }.count
    }

    /// Skips spaces and tabs.
    mutating func skipBlanks() {
        while let octet = peek(), octet == 0x20 || octet == 0x09 { advance() }
    }

    /// Skips a line feed, or a carriage return and a line feed. Returns whether there was one.
    mutating func takeLineEnd() -> Bool {
        if peek() == 0x0D, peek(1) == 0x0A {
            advance(2)
            return true
        }
        return take("\n")
    }

    /// Skips blanks, comments and line ends.
    mutating func skipLines() {
        repeat {
            skipBlanks()
            skipComment()
        } while takeLineEnd()
    }

    /// Skips the rest of a statement's line: blanks and a comment.
    mutating func finishLine() throws(ConfigurationError) {
        skipBlanks()
        skipComment()
        if !isAtEnd, !takeLineEnd() { throw failure("expected the end of the line, not \(here)") }
    }

    private mutating func skipComment() {
        if peek() == UInt8(ascii: "#") { _ = take { $0 != 0x0A && $0 != 0x0D } }
    }

    /// The character here, for an error.
    var here: String {
        guard let octet = peek() else { return "the end of the file" }
        if octet == 0x0A || octet == 0x0D { return "the end of the line" }
        // Decoding repairs the cut end; the first character is whole.
        return String(decoding: octets.suffix(from: index).prefix(32), as: UTF8.self).prefix(1).description.quoted
    }

    /// Returns an error at `place`, or here. Columns count Unicode scalars; continuation octets of UTF-8 are 10xxxxxx.
    func failure(_ message: String, at place: Int? = nil) -> ConfigurationError {
        let before = octets.prefix(place ?? index)
        let column = before.reversed().prefix { $0 != 0x0A }.reduce(1) { $1 & 0b1100_0000 == 0b1000_0000 ? $0 : $0 + 1 }
        return ConfigurationError(
            key: "", value: nil, requirement: "not valid TOML: \(message)", line: line(at: place ?? index),
            column: column)
    }

    /// Returns the line of a place, counted from 1.
    func line(at place: Int) -> Int { octets.prefix(place).reduce(1) { $1 == 0x0A ? $0 + 1 : $0 } }
}
