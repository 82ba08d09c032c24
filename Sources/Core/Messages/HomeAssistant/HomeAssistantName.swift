/// Names as Home Assistant lets the levels of a discovery topic be: letters, digits, `_` and `-` of ASCII, nothing else.
enum HomeAssistantName {
    /// Longer names are cut, and told apart by a digest: two of them and a discovery prefix of 32 octets make a topic that brokers take.
    private static let maxLength = 72

    /// The same for the same text, and another for another: a slash becomes `__`, and every other octet that may not stand there
    /// `_` and its two hexadecimal digits.
    package static func level(_ text: String) -> String {
        var octets: [UInt8] = []
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                octets.append(octet)
            case UInt8(ascii: "/"): octets += "__".utf8
            default: octets += [UInt8(ascii: "_")] + hexadecimal(octet)
            }
        }
        guard octets.count > maxLength else { return String(decoding: octets, as: UTF8.self) }
        let digest = (SHA256.digest(of: Array(text.utf8)) ?? []).prefix(8).flatMap(hexadecimal)
        return String(
            decoding: octets.prefix(maxLength - digest.count - 1) + [UInt8(ascii: "-")] + digest, as: UTF8.self)
    }

    private static func hexadecimal(_ octet: UInt8) -> [UInt8] {
        [octet >> 4, octet & 0xF].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") - 10 + $0 }
    }
}
