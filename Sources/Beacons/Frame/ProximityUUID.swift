/// The 128-bit proximity UUID of a beacon deployment.
public struct ProximityUUID: Hashable, Comparable, Sendable {
    /// Octets 0 to 7 as they stand on the air, big-endian.
    public let high: UInt64
    /// Octets 8 to 15.
    public let low: UInt64

    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 32 hexadecimal digits, upper or lower case, with the usual four dashes or without any; `nil` for anything
    /// else.
    public init?(_ text: some StringProtocol) {
        var digits: [UInt64] = []
        var dashes: [Int] = []
        for character in text.utf8 {
            if character == UInt8(ascii: "-") {
                dashes.append(digits.count)
                continue
            }
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue, digits.count < 32 else { return nil }
            digits.append(UInt64(digit))
        }
        guard digits.count == 32, dashes.isEmpty || dashes == [8, 12, 16, 20] else { return nil }
        self.high = digits.prefix(16).reduce(0) { $0 << 4 | $1 }
        self.low = digits.suffix(16).reduce(0) { $0 << 4 | $1 }
    }

    @inlinable
    public static func < (left: ProximityUUID, right: ProximityUUID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension ProximityUUID: CustomStringConvertible {
    /// Upper case with dashes: `39ED98FF-2900-441A-802F-9C398FC199D2`.
    public var description: String {
        func hex(_ value: UInt64, digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        return hex(high >> 32, digits: 8) + "-" + hex(high >> 16 & 0xFFFF, digits: 4) + "-"
            + hex(high & 0xFFFF, digits: 4) + "-" + hex(low >> 48, digits: 4) + "-"
            + hex(low & 0xFFFF_FFFF_FFFF, digits: 12)
    }
}
