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
    /// Sixteen octets are 22 characters of Base64 and `==`, which may be left out. The last four bits are zero.
    static func octets(of text: String) -> [UInt8]? {
        let characters = Array(text.utf8.prefix(33))
        if characters.count == 32 { return [UInt8](hexadecimal: characters) }
        let letters = text.hasSuffix("==") ? text.dropLast(2) : text[...]
        guard letters.utf8.count == 22, let last = letters.last, "AQgw".contains(last) else { return nil }
        return Base64.decode(letters + "==")
    }
}
