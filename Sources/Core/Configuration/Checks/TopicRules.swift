extension Rule where Value == String {
    /// A rule for one level of an MQTT topic (MQTT 5, 4.7). `+`, `#` and `/` are special there. A broker may drop a
    /// client that sends control characters or noncharacters (1.5.4).
    static var topicLevel: Rule {
        mqttText("one topic level: 1 to \(TopicName.maxLevel_bytes) bytes without + # / or control characters") {
            TopicName.isLevel($0)
        }
    }

    /// Returns a rule for several levels, separated by slashes.
    ///
    /// - Parameter maxOctets: the most octets of all levels together; `nil` where that depends on what follows them.
    static func topicPrefix(maxOctets: Int? = nil) -> Rule {
        mqttText(
            "topic levels of 1 to \(TopicName.maxLevel_bytes) bytes with / between, without + # or control characters, the"
                + " first without $ in front" + (maxOctets.map { ", at most \($0) bytes together" } ?? "")
        ) { text in
            // Topics that begin with a dollar belong to the broker (MQTT 5, 4.7.2), and no subscription to # receives
            // them.
            !text.hasPrefix("$") && text.utf8.count <= maxOctets ?? .max
                && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { TopicName.isLevel($0) }
        }
    }

    /// Returns a rule for text that MQTT itself carries, such as topics and the user name.
    static func mqttText(_ allowed: String, where isAllowed: @escaping @Sendable (String) -> Bool) -> Rule {
        text(
            allowed,
            read: { text in
                // A noncharacter is invisible, or looks like any character that a font lacks, so the error names it.
                if let scalar = text.unicodeScalars.first(where: TopicName.isNonCharacter) {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    return .refused("must not have U+\(digits) in it, which is no character and which brokers refuse")
                }
                return isAllowed(text) ? .value(text) : .refused(nil)
            },
            write: { $0.tomlString })
    }

    /// A rule for a topic filter (MQTT 5, 4.7.1): `+` is a whole level, `#` the last one.
    static var topicFilter: Rule {
        mqttText(
            "a topic filter of at most 500 bytes: levels with / between, + for one level, # at the end for all below"
        ) { text in
            let levels = text.split(separator: "/", omittingEmptySubsequences: false)
            guard 1...500 ~= text.utf8.count, !text.hasPrefix("$") else { return false }
            return levels.enumerated().allSatisfy { number, level in
                // Receivers of several makers begin their topics with a slash: the first level is empty.
                level.isEmpty || level == "+" || (level == "#" && number == levels.count - 1)
                    || TopicName.isLevel(level)
            }
        }
    }
}
