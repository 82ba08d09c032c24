/// Writes two digits for each octet, in lower case, without separators.
func hex(_ octets: [UInt8]) -> String {
    octets.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The octets of an even number of hexadecimal digits; `nil` where the text is anything else.
func octets(hex text: some StringProtocol) -> [UInt8]? {
    let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1]) }
}
