extension Rule where Value == ProximityUUID {
    static var uuid: Rule {
        text(
            "32 hexadecimal digits, with dashes as in a UUID or without", read: { Outcome(ProximityUUID($0)) },
            write: { $0.description.quoted })
    }
}

extension Rule where Value == [UInt8] {
    /// A rule for an identity resolving key. It is a secret, so an error never shows it.
    static var resolvingKey: Rule {
        let allowed = "32 hexadecimal digits or Base64 of 16 bytes, most significant byte first"
        var rule = text(
            allowed,
            read: { text in
                ResolvingKeyText.octets(of: text).map { .value($0) }
                    ?? .refused("must be \(allowed) (it has \(text.count) characters)")
            },
            write: { _ in "\"…\"" })
        rule.show = { _ in nil }
        return rule
    }
}

/// The two notations of the 16 octets of a key.
enum ResolvingKeyText {
    static func octets(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8.prefix(33))
        return characters.count == 32 ? hexadecimal(characters) : base64(characters)
    }

    private static func hexadecimal(_ characters: [UInt8]) -> [UInt8]? {
        var octets: [UInt8] = []
        var high: UInt8?
        for character in characters {
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
            if let upper = high {
                octets.append(upper << 4 | UInt8(truncatingIfNeeded: digit))
                high = nil
            } else {
                high = UInt8(truncatingIfNeeded: digit)
            }
        }
        return octets
    }

    /// Reads Base64 (RFC 4648, 4). Sixteen octets are 22 characters of 6 bits, with the last 4 bits zero, and `==`,
    /// which may be left out.
    private static func base64(_ characters: [UInt8]) -> [UInt8]? {
        let padding = characters.dropFirst(22)
        guard characters.count >= 22, padding.isEmpty || padding.elementsEqual("==".utf8) else { return nil }
        var octets: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in characters.prefix(22) {
            guard let value = sextet(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bits & 0b1111 == 0 ? octets : nil
    }

    private static func sextet(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
