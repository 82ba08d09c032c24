/// Booleans, numbers, dates and times (TOML 1.0.0, from "Integer" on).
extension TOMLCursor {
    /// Reads a value that is neither string, array nor inline table.
    mutating func scalar() throws(ConfigurationError) -> DocumentValue {
        let start = index
        var octets = Array(takeWord())
        // A space may separate date and time.
        if octets.count == 10, Self.isDate(octets), peek() == 0x20, let next = peek(1), Self.isDigit(next) {
            advance()
            octets += [UInt8(ascii: "T")] + takeWord()
        }
        if octets.isEmpty { throw failure("expected a value, not \(here)") }
        let word = String(decoding: octets, as: UTF8.self)
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "inf", "+inf": return .number(.infinity)
        case "-inf": return .number(-.infinity)
        case "nan", "+nan", "-nan": return .number(.nan)
        default: break
        }
        if Self.isDate(octets) || Self.isTime(octets) { return .time }
        if let float = Self.float(octets) { return .number(float) }
        if let (digits, radix) = Self.integerDigits(octets) {
            guard let integer = Int64(digits, radix: radix) else {
                throw failure("an integer has at most 64 bits", at: start)
            }
            return .integer(integer)
        }
        // The text is not shown: it may be a key or a password without its quotation marks.
        throw failure("expected a value; text needs quotation marks", at: start)
    }

    private mutating func takeWord() -> ArraySlice<UInt8> {
        take { ConfigurationReference.isBareKeyOctet($0) || "+.:".utf8.contains($0) }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet }

    private static func isSign(_ octet: UInt8?) -> Bool { octet == UInt8(ascii: "+") || octet == UInt8(ascii: "-") }

    /// Returns the digits with their sign, for `Int64`; `nil` where it is no integer. Only a decimal one has a sign.
    private static func integerDigits(_ octets: [UInt8]) -> (digits: String, radix: Int)? {
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where octets.starts(with: prefix.utf8) {
            return plain(octets.dropFirst(2)) {
                Character(Unicode.Scalar($0)).hexDigitValue.map { $0 < radix } ?? false
            }
            .map { ($0, radix) }
        }
        let digits = octets.dropFirst(isSign(octets.first) ? 1 : 0)
        guard isWhole(digits), let text = plain(digits, isDigit) else { return nil }
        return (octets.first == UInt8(ascii: "-") ? "-" + text : text, 10)
    }

    /// Returns a number with a fraction, an exponent or both; `nil` for anything else.
    private static func float(_ octets: [UInt8]) -> Double? {
        let sign = isSign(octets.first) ? 1 : 0
        let unsigned = octets.dropFirst(sign)
        let mantissa = unsigned.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let exponent = unsigned.dropFirst(mantissa.count)
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        let fraction = mantissa.dropFirst(whole.count)
        guard !(exponent.isEmpty && fraction.isEmpty), isWhole(whole), var text = plain(whole, isDigit) else {
            return nil
        }
        if !fraction.isEmpty {
            guard let digits = plain(fraction.dropFirst(), isDigit) else { return nil }
            text += "." + digits
        }
        if !exponent.isEmpty {
            let unsigned = exponent.dropFirst().first
            let digits = exponent.dropFirst(isSign(unsigned) ? 2 : 1)
            guard let power = plain(digits, isDigit) else { return nil }
            text += (unsigned == UInt8(ascii: "-") ? "e-" : "e") + power
        }
        return Double(octets.first == UInt8(ascii: "-") ? "-" + text : text)
    }

    /// Returns whether a decimal integer part is valid: it does not begin with a zero, unless it is zero.
    private static func isWhole(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.first != UInt8(ascii: "0") || digits.count == 1
    }

    /// Returns the digits without underscores, each of which has to stand between two digits.
    private static func plain(_ octets: ArraySlice<UInt8>, _ isDigit: (UInt8) -> Bool) -> String? {
        let groups = octets.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard groups.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return nil }
        return String(decoding: groups.joined(), as: UTF8.self)
    }

    /// Returns whether it is a date as `1979-05-27`, alone or with a time and an offset. No key takes one, so its
    /// digits may be any.
    private static func isDate(_ octets: [UInt8]) -> Bool {
        guard matches(octets.prefix(10), "0000-00-00") else { return false }
        let rest = octets.dropFirst(10)
        guard let separator = rest.first else { return true }
        guard separator | 0x20 == UInt8(ascii: "t") else { return false }
        let time = rest.dropFirst()
        if let last = time.last, last | 0x20 == UInt8(ascii: "z") { return isTime(time.dropLast()) }
        let offset = time.suffix(6)
        if isSign(offset.first) { return matches(offset.dropFirst(), "00:00") && isTime(time.dropLast(6)) }
        return isTime(time)
    }

    /// Returns whether it is a time as `07:32:00`, with or without a fraction.
    private static func isTime(_ octets: some Collection<UInt8>) -> Bool {
        guard matches(octets.prefix(8), "00:00:00") else { return false }
        let fraction = octets.dropFirst(8)
        return fraction.isEmpty
            || fraction.first == UInt8(ascii: ".") && fraction.count > 1 && fraction.dropFirst().allSatisfy(isDigit)
    }

    /// Returns whether there is a digit wherever `pattern` has a zero, and the pattern's character everywhere else.
    private static func matches(_ octets: some Collection<UInt8>, _ pattern: String) -> Bool {
        octets.count == pattern.utf8.count
            && zip(octets, pattern.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
    }
}
