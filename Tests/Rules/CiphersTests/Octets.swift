/// The octets of pairs of hexadecimal digits, with optional spaces between them.
func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The octet `count` times.
func octets(_ octet: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: octet, count: count) }
