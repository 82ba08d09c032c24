extension Rule where Value == String {
    /// One level of an MQTT topic (MQTT 5, 4.7): `+`, `#` and `/` have a meaning there, and a broker may drop a client
    /// that sends control characters (1.5.4).
    static var topicLevel: Rule {
        text("one topic level: 1 to \(maxTopicLevelOctets) bytes without + # / or control characters") {
            isTopicLevel($0)
        }
    }

    /// Several levels with a slash between them.
    static var topicPrefix: Rule {
        text(
            "topic levels of 1 to \(maxTopicLevelOctets) bytes with / between, without + # or control characters, the first"
                + " without $ in front"
        ) {
            text in
            // What begins with a dollar is the broker's own (MQTT 5, 4.7.2), and no subscriber's # takes it in.
            text.utf8.count <= 1024 && !text.hasPrefix("$")
                && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { isTopicLevel($0) }
        }
    }

    private static var maxTopicLevelOctets: Int { 128 }

    private static func isTopicLevel(_ text: some StringProtocol) -> Bool {
        (1...maxTopicLevelOctets).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0 == "+" || $0 == "#" || $0 == "/" || $0.isControl }
    }
}

extension Rule where Value == String? {
    /// One topic level, or empty for none.
    static var topicLevelOrEmpty: Rule {
        let level = Rule<String>.topicLevel
        return Rule(
            type: level.type, allowed: level.allowed + ", or empty",
            read: { node in
                if node == .string("") { return .value(nil) }
                switch level.read(node) {
                case .value(let text): return .value(text)
                case .wrongType: return .wrongType
                case .refused(let reason): return .refused(reason)
                }
            },
            write: { level.write($0 ?? "") })
    }
}
