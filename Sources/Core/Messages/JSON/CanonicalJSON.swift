/// The canonical form of a JSON value (RFC 8785): one text for all texts of equal values, to be signed or digested.
///
/// Keys are in the order of their UTF-16 code units. No space stands between the tokens. Numbers are IEEE doubles in
/// the notation of ECMAScript, so `60`, `60.0` and `6e1` are one number.
enum CanonicalJSON {
    /// Returns the octets of a value, UTF-8.
    static func octets(of value: DocumentValue) -> [UInt8] {
        var octets: [UInt8] = []
        append(value, to: &octets)
        return octets
    }

    private static func append(_ value: DocumentValue, to octets: inout [UInt8]) {
        switch value {
        // JSON has no times, and no key takes one.
        case .null, .time: octets += "null".utf8
        case .boolean(let value): octets += (value ? "true" : "false").utf8
        case .integer(let value): octets += number(Double(value)).utf8
        case .number(let value): octets += number(value).utf8
        case .string(let text): append(quoted: text, to: &octets)
        case .array(let values):
            octets.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { octets.append(UInt8(ascii: ",")) }
                append(value, to: &octets)
            }
            octets.append(UInt8(ascii: "]"))
        case .object(let entries):
            octets.append(UInt8(ascii: "{"))
            let sorted = entries.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (index, entry) in sorted.enumerated() {
                if index > 0 { octets.append(UInt8(ascii: ",")) }
                append(quoted: entry.key, to: &octets)
                octets.append(UInt8(ascii: ":"))
                append(entry.value, to: &octets)
            }
            octets.append(UInt8(ascii: "}"))
        }
    }

    /// Appends a string with the escapes of RFC 8785, 3.2.2.2.
    private static func append(quoted text: String, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "\""))
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""): octets += "\\\"".utf8
            case UInt8(ascii: "\\"): octets += "\\\\".utf8
            case 0x08: octets += "\\b".utf8
            case 0x09: octets += "\\t".utf8
            case 0x0A: octets += "\\n".utf8
            case 0x0C: octets += "\\f".utf8
            case 0x0D: octets += "\\r".utf8
            case 0x00..<0x20:
                let digits = String(octet, radix: 16)
                octets += (digits.utf8.count == 1 ? "\\u000" : "\\u00").utf8
                octets += digits.utf8
            default: octets.append(octet)
            }
        }
        octets.append(UInt8(ascii: "\""))
    }

    /// Returns a number as ECMAScript's `Number.prototype.toString` writes it: the fewest digits that give the number
    /// back. A number that is not finite, which JSON does not have, becomes `null`.
    static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        if value == 0 { return "0" }
        // Swift's own notation has the same digits, with other rules for the point and the exponent.
        let text = value.magnitude.description
        let parts = text.split(separator: "e")
        let mantissa = parts.first ?? ""
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let whole = mantissa.prefix { $0 != "." }
        var digits = Substring(mantissa.filter { $0 != "." })
        let leading = digits.prefix { $0 == "0" }.count
        digits = digits.dropFirst(leading)
        while digits.last == "0" { digits.removeLast() }
        let point = whole.count - leading + exponent
        let sign = value < 0 ? "-" : ""
        return sign + placed(String(digits), point: point)
    }

    /// Writes digits with the point behind the first `point` of them.
    private static func placed(_ digits: String, point: Int) -> String {
        let count = digits.count
        switch point {
        case count...21 where count <= 21: return digits + String(repeating: "0", count: point - count)
        case 1...21: return digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0: return "0." + String(repeating: "0", count: -point) + digits
        default:
            let exponent = point - 1
            let fraction = count > 1 ? "." + digits.dropFirst() : ""
            return digits.prefix(1) + fraction + (exponent < 0 ? "e-" : "e+") + String(exponent.magnitude)
        }
    }
}
