/// Strings (TOML 1.0.0, "String"): basic ones in `"` with escapes, and literal ones in `'` without. Each is on one
/// line, or on several between three quotation marks.
extension TOMLCursor {
    /// Reads the string that opens here with `quote`.
    mutating func string(_ quote: UInt8, mayBeLong: Bool) throws(ConfigurationError) -> String {
        let start = index
        let isLong = run(of: quote, upTo: 3) == 3
        if isLong, !mayBeLong { throw failure("a key is written on one line") }
        advance(isLong ? 3 : 1)
        if isLong { _ = takeLineEnd() }
        var text: [UInt8] = []
        while let octet = peek() {
            if octet == quote {
                if let quotes = closing(quote, isLong: isLong) {
                    // A multi-line string may end in one or two quotation marks of its own.
                    text += repeatElement(quote, count: quotes - (isLong ? 3 : 1))
                    advance(quotes)
                    return String(decoding: text, as: UTF8.self)
                }
                text.append(octet)
                advance()
            } else if octet == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                text += try escape(isLong: isLong)
            } else if octet == 0x0A || octet == 0x0D, !isLong {
                throw failure("the quotation mark at the end is missing", at: start)
            } else {
                text.append(octet)
                advance()
            }
        }
        throw failure("the quotation mark at the end is missing", at: start)
    }

    /// Returns the number of quotation marks that end the string here; `nil` if they are part of it.
    private func closing(_ quote: UInt8, isLong: Bool) -> Int? {
        guard isLong else { return 1 }
        let count = run(of: quote, upTo: 5)
        return count >= 3 ? count : nil
    }

    /// Returns the characters of the escape here.
    private mutating func escape(isLong: Bool) throws(ConfigurationError) -> [UInt8] {
        advance()
        guard let letter = peek() else { throw failure("the quotation mark at the end is missing") }
        let plain: UInt8? =
            switch letter {
            case UInt8(ascii: "b"): 0x08
            case UInt8(ascii: "t"): 0x09
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "f"): 0x0C
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter
            default: nil
            }
        if let plain {
            advance()
            return [plain]
        }
        switch letter {
        case UInt8(ascii: "u"): return try scalar(digits: 4)
        case UInt8(ascii: "U"): return try scalar(digits: 8)
        default:
            if isLong, joinsLines() { return [] }
            throw failure("there is no escape \\ followed by \(here); a backslash is written \\\\")
        }
    }

    /// Returns the scalar of `\uXXXX` or `\UXXXXXXXX`, at its letter.
    private mutating func scalar(digits count: Int) throws(ConfigurationError) -> [UInt8] {
        advance()
        let start = index
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let octet = peek(), let digit = Character(Unicode.Scalar(octet)).hexDigitValue else {
                throw failure("expected \(count) hexadecimal digits, not \(here)")
            }
            value = value << 4 | UInt32(digit)
            advance()
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure("that is no Unicode character", at: start) }
        return Array(String(Character(scalar)).utf8)
    }

    /// Skips a backslash at the end of a line, and the blanks and line ends after it. Returns whether there was one.
    private mutating func joinsLines() -> Bool {
        let before = self
        skipBlanks()
        guard takeLineEnd() else {
            self = before
            return false
        }
        repeat { skipBlanks() } while takeLineEnd()
        return true
    }
}
