/// What MQTT and its brokers let a topic be, and a name that stands in one.
enum TopicName {
    /// Octets of a topic, at most. AMQP carries 255 of them, and what RabbitMQ and the bridges add has to fit in as well, so the
    /// brokers of `deploy/broker` and `deploy/chain` take no longer topic.
    static let maxTopic_bytes = 200
    /// Levels of a topic, at most. Mosquitto hangs up on whoever publishes to one of more than about 200.
    static let maxLevels = 200
    /// Octets of one level that an operator names, at most.
    static let maxLevel_bytes = 128
    /// Octets of a host name, at most (`HOST_NAME_MAX` of Linux).
    static let maxHostName_bytes = 64

    /// Whether this is one level of a topic that may be published to: without the characters that have a meaning there
    /// (MQTT 5, 4.7), and without those that broker and library refuse.
    static func isLevel(_ text: some StringProtocol) -> Bool {
        (1...maxLevel_bytes).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0 == "/" || isWildcard($0) || isForbidden($0) }
    }

    /// What of a text can be one level; `nil` where nothing can.
    package static func level(of text: String, maxOctets: Int = maxLevel_bytes) -> String? {
        var level = ""
        for scalar in text.unicodeScalars where scalar != "/" && !isWildcard(scalar) && !isForbidden(scalar) {
            guard level.utf8.count + scalar.utf8.count <= maxOctets else { break }
            level.unicodeScalars.append(scalar)
        }
        return level.isEmpty ? nil : level
    }

    static func levels(of topic: String.UTF8View) -> Int { topic.count { $0 == UInt8(ascii: "/") } + 1 }

    static func isWildcard(_ scalar: Unicode.Scalar) -> Bool { scalar == "+" || scalar == "#" }

    /// Whether MQTT lets a receiver hang up on text with it (MQTT 5, 1.5.4): control characters, and the code points that
    /// Unicode has set aside as no characters. libmosquitto refuses to send either.
    static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || isNonCharacter(scalar)
    }

    /// U+FDD0 to U+FDEF, and the last two of every plane.
    static func isNonCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isNoncharacterCodePoint
    }
}
