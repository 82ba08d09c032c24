/// Writes one JSON object, key by key, in the order in which they are given.
///
/// Subscribers and tests compare messages, so the same values must always give the same octets. Numbers have a fixed
/// number of decimals at most, and none that are zero at the end.
package struct JSONWriter {
    package private(set) var octets: [UInt8] = [UInt8(ascii: "{")]
    private var isFirst = true

    package init() {}

    /// The finished object.
    package var object: [UInt8] { octets + [UInt8(ascii: "}")] }

    package mutating func set(_ key: String, _ value: String) {
        self.key(key)
        Self.append(quoted: value, to: &octets)
    }

    package mutating func set(_ key: String, _ value: some BinaryInteger) {
        self.key(key)
        octets += String(value).utf8
    }

    package mutating func set(_ key: String, _ value: Bool) {
        self.key(key)
        octets += (value ? "true" : "false").utf8
    }

    /// - Parameters:
    ///   - value: `nil`, and what is not finite, becomes `null`.
    ///   - decimals: 0 to 6.
    package mutating func set(_ key: String, _ value: Double?, decimals: Int) {
        self.key(key)
        guard let value, value.isFinite else {
            octets += "null".utf8
            return
        }
        octets += Self.decimal(value, decimals: decimals).utf8
    }

    package mutating func set(_ key: String, objects: some Sequence<[UInt8]>) {
        self.key(key)
        octets.append(UInt8(ascii: "["))
        var isFirst = true
        for object in objects {
            if !isFirst { octets.append(UInt8(ascii: ",")) }
            isFirst = false
            octets += object
        }
        octets.append(UInt8(ascii: "]"))
    }

    package mutating func set(_ key: String, strings: some Sequence<String>) {
        self.key(key)
        octets.append(UInt8(ascii: "["))
        var isFirst = true
        for string in strings {
            if !isFirst { octets.append(UInt8(ascii: ",")) }
            isFirst = false
            Self.append(quoted: string, to: &octets)
        }
        octets.append(UInt8(ascii: "]"))
    }

    package mutating func set(_ key: String, object: [UInt8]) {
        self.key(key)
        octets += object
    }

    private mutating func key(_ key: String) {
        if !isFirst { octets.append(UInt8(ascii: ",")) }
        isFirst = false
        Self.append(quoted: key, to: &octets)
        octets.append(UInt8(ascii: ":"))
    }

    /// The number to the given decimals, half away from zero: `-63.4`, `2`, `0.05`.
    static func decimal(_ value: Double, decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<min(max(decimals, 0), 6) { scale *= 10 }
        // Nothing published comes near this; a larger number would not fit the integer below.
        let scaled = (min(max(value, -1e12), 1e12) * scale).rounded()
        let magnitude = UInt64(abs(scaled))
        let divisor = UInt64(scale)
        var text = String(magnitude / divisor)
        let fraction = magnitude % divisor
        if fraction > 0 {
            let digits = String(fraction)
            text += "." + String(repeating: "0", count: max(0, decimals - digits.utf8.count)) + digits
            while text.hasSuffix("0") { text.removeLast() }
        }
        return scaled < 0 ? "-" + text : text
    }

    /// RFC 8259, 7: quotation mark, backslash and control characters are escaped.
    static func append(quoted text: String, to octets: inout [UInt8]) {
        octets.append(UInt8(ascii: "\""))
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                octets.append(UInt8(ascii: "\\"))
                octets.append(octet)
            case 0x00..<0x20:
                let digits = String(octet, radix: 16)
                octets += (digits.utf8.count == 1 ? "\\u000" : "\\u00").utf8
                octets += digits.utf8
            default:
                octets.append(octet)
            }
        }
        octets.append(UInt8(ascii: "\""))
    }
}
