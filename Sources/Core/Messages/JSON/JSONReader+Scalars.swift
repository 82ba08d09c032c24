/// Strings and numbers.
extension JSONReader {
    /// Reads a string, from its first quotation mark on (RFC 8259, 7).
    mutating func string() throws(JSONError) {
        advance()
        var octets: [UInt8] = []
        var hasEscapes = false
        while true {
            let run = take { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            guard let octet = peek() else { throw failure("the quotation mark at the end is missing") }
            guard octet >= 0x20 else { throw failure("control characters in a string are written as escapes") }
            advance()
            if octet == UInt8(ascii: "\"") {
                if !hasEscapes { return append(.string(run)) }
                return append(unescaped: String(decoding: octets + self.octets(in: run), as: UTF8.self))
            }
            hasEscapes = true
            octets += self.octets(in: run)
            octets += try escape()
        }
    }

    /// Returns the octets of an escape, after its backslash.
    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let letter = peek() else { throw failure("the quotation mark at the end is missing") }
        let plain: UInt8
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = letter
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"): return try scalar()
        default: throw failure("there is no such escape")
        }
        advance()
        return [plain]
    }

    /// Reads `\uXXXX`, or two of them for a scalar beyond the first plane, at the letter of the first.
    private mutating func scalar() throws(JSONError) -> [UInt8] {
        let half = failure("half of a surrogate pair")
        var value = try codeUnit()
        if 0xD800...0xDBFF ~= value {
            guard take("\\"), peek() == UInt8(ascii: "u") else { throw half }
            let low = try codeUnit()
            guard 0xDC00...0xDFFF ~= low else { throw half }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw half }
        return Array(String(Character(scalar)).utf8)
    }

    /// Reads the four hexadecimal digits after `u`.
    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        advance()
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let octet = peek(), octet < 0x80, let digit = Character(Unicode.Scalar(octet)).hexDigitValue else {
                throw failure("expected four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            advance()
        }
        return value
    }

    /// Reads a number (RFC 8259, 6): no plus sign, no zero in front, digits on both sides of the point.
    mutating func number() throws(JSONError) -> JSONDocument.Node {
        let start = index
        let isNegative = take("-")
        let whole = try digits()
        if whole.count > 1, octets(in: whole).first == UInt8(ascii: "0") {
            throw JSONError(offset: start, problem: "a number begins with a zero")
        }
        let fraction = take(".") ? try digits() : nil
        var hasExponent = false
        if take("e") || take("E") {
            hasExponent = true
            if !take("-") { _ = take("+") }
            _ = try digits()
        }
        if !hasExponent, let number = short(whole, fraction, isNegative: isNegative) { return number }
        let literal = String(decoding: octets(in: start..<index), as: UTF8.self)
        if fraction == nil, !hasExponent, let integer = Int64(literal) { return .integer(integer) }
        guard let number = Double(literal), number.isFinite else {
            throw JSONError(offset: start, problem: "the number is too large")
        }
        return .number(number)
    }

    /// Returns a number of up to 15 digits, as all of the agent's are. Below 10^15, integers and powers of ten are
    /// exact, so their quotient is the nearest number to the text.
    private func short(_ whole: Range<Int>, _ fraction: Range<Int>?, isNegative: Bool) -> JSONDocument.Node? {
        let places = fraction?.count ?? 0
        guard whole.count + places <= 15 else { return nil }
        var magnitude: Int64 = 0
        for digit in octets(in: whole) { magnitude = magnitude * 10 + Int64(digit - UInt8(ascii: "0")) }
        guard let fraction else { return .integer(isNegative ? -magnitude : magnitude) }
        var divisor: Int64 = 1
        for digit in octets(in: fraction) {
            magnitude = magnitude * 10 + Int64(digit - UInt8(ascii: "0"))
            divisor *= 10
        }
        let number = Double(magnitude) / Double(divisor)
        return .number(isNegative ? -number : number)
    }

    private mutating func digits() throws(JSONError) -> Range<Int> {
        let digits = take { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        if digits.isEmpty { throw failure("expected a digit") }
        return digits
    }
}
