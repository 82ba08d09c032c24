/// Strings and numbers.
extension JSONReader {
    /// A string, from its first quotation mark on (RFC 8259, 7).
    mutating func string() throws(JSONError) -> String {
        advance()
        var octets: [UInt8] = []
        while true {
            octets += take { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            guard let octet = peek() else { throw failure("the quotation mark at the end is missing") }
            guard octet >= 0x20 else { throw failure("control characters in a string are written as escapes") }
            advance()
            if octet == UInt8(ascii: "\"") { return String(decoding: octets, as: UTF8.self) }
            octets += try escape()
        }
    }

    /// The octets that an escape stands for, after its backslash.
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

    /// `\uXXXX`, or two of them for a scalar beyond the first plane, at the letter of the first.
    private mutating func scalar() throws(JSONError) -> [UInt8] {
        let start = self
        var value = try codeUnit()
        if 0xD800...0xDBFF ~= value {
            guard take("\\"), peek() == UInt8(ascii: "u") else { throw start.failure("half of a surrogate pair") }
            let low = try codeUnit()
            guard 0xDC00...0xDFFF ~= low else { throw start.failure("half of a surrogate pair") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw start.failure("half of a surrogate pair") }
        return Array(String(Character(scalar)).utf8)
    }

    /// The four hexadecimal digits after `u`.
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

    /// A number (RFC 8259, 6): no plus sign, no zero in front, digits on both sides of the point.
    mutating func number() throws(JSONError) -> JSONValue {
        let start = self
        var text: [UInt8] = take("-") ? [UInt8(ascii: "-")] : []
        let whole = try digits()
        if whole.count > 1, whole.first == UInt8(ascii: "0") { throw start.failure("a number begins with a zero") }
        text += whole
        var isInteger = true
        if take(".") {
            isInteger = false
            text.append(UInt8(ascii: "."))
            text += try digits()
        }
        if take("e") || take("E") {
            isInteger = false
            text.append(UInt8(ascii: "e"))
            if take("-") { text.append(UInt8(ascii: "-")) } else { _ = take("+") }
            text += try digits()
        }
        let literal = String(decoding: text, as: UTF8.self)
        if isInteger, let integer = Int64(literal) { return .integer(integer) }
        guard let number = Double(literal), number.isFinite else { throw start.failure("the number is too large") }
        return .number(number)
    }

    private mutating func digits() throws(JSONError) -> ArraySlice<UInt8> {
        let digits = take { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        if digits.isEmpty { throw failure("expected a digit") }
        return digits
    }
}
