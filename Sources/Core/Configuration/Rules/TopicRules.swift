extension Rule where Value == String {
    /// One level of an MQTT topic (MQTT 5, 4.7): `+`, `#` and `/` have a meaning there, and a broker may drop a client
    /// that sends control characters or what is no character (1.5.4).
    static var topicLevel: Rule {
        mqttText("one topic level: 1 to \(TopicName.maxLevel_bytes) bytes without + # / or control characters") {
            TopicName.isLevel($0)
        }
    }

    /// Several levels with a slash between them.
    ///
    /// - Parameter maxOctets: of all of them together; `nil` where that depends on what follows them.
    static func topicPrefix(maxOctets: Int? = nil) -> Rule {
        mqttText(
            "topic levels of 1 to \(TopicName.maxLevel_bytes) bytes with / between, without + # or control characters, the"
                + " first without $ in front" + (maxOctets.map { ", at most \($0) bytes together" } ?? "")
        ) { text in
            // What begins with a dollar is the broker's own (MQTT 5, 4.7.2), and no subscriber's # takes it in.
            !text.hasPrefix("$") && text.utf8.count <= maxOctets ?? .max
                && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { TopicName.isLevel($0) }
        }
    }

    /// Text that goes to the broker as MQTT's own, as topics and the user's name do.
    static func mqttText(_ allowed: String, where isAllowed: @escaping @Sendable (String) -> Bool) -> Rule {
        let rule = text(allowed, where: isAllowed)
        return Rule(
            type: rule.type, allowed: allowed,
            read: { node in
                // It looks like nothing at all, or like any character that a font lacks: so it is named.
                if case .string(let text) = node,
                    let scalar = text.unicodeScalars.first(where: TopicName.isNonCharacter)
                {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    return .refused("must not have U+\(digits) in it, which is no character and which brokers refuse")
                }
                return rule.read(node)
            },
            write: rule.write)
    }

    /// The same, or empty for none.
    var orEmpty: Rule<String?> {
        let (read, write) = (read, write)
        return Rule<String?>(
            type: type, allowed: allowed + ", or empty",
            read: { node in
                if node == .string("") { return .value(nil) }
                switch read(node) {
                case .value(let text): return .value(text)
                case .wrongType: return .wrongType
                case .refused(let reason): return .refused(reason)
                }
            },
            write: { write($0 ?? "") })
    }
}
