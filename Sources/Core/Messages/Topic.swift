/// A topic of a gateway, read: whose it is, and what is said on it.
package struct Topic: Hashable, Sendable {
    /// What is said on a topic, which with a gateway makes the topic.
    package enum Subject: Hashable, Sendable {
        /// Of the gateway as a whole.
        case gateway(MessageKind)
        /// Of an instance of a region.
        case region(MessageKind, RegionInstanceID)
        /// A request, by its verb.
        case request(String)
        /// The answer to one.
        case response(String)

        /// What a gateway publishes there; `nil` for a request, which comes from others.
        var kind: MessageKind? {
            switch self {
            case .gateway(let kind), .region(let kind, _): kind
            case .request: nil
            case .response: .response
            }
        }

        /// The instance that it is about; `nil` for what is about no region.
        package var instance: RegionInstanceID? {
            if case .region(_, let instance) = self { instance } else { nil }
        }
    }

    package var gateway: TopicTree
    var subject: Subject

    package init(_ subject: Subject, of gateway: TopicTree) {
        self.gateway = gateway
        self.subject = subject
    }

    /// Reads a topic below a prefix that is known: `{prefix}/{site}/{gateway}/…`; `nil` where nothing of ours is said on it.
    package init?(_ topic: String, prefix: String) {
        guard topic.utf8.starts(with: prefix.utf8) else { return nil }
        let levels = Self.levels(topic.utf8.dropFirst(prefix.utf8.count))
        // The prefix ends where a level does, so that nothing stands before the first slash.
        guard levels.count > 3, levels[0].isEmpty, !levels[1].isEmpty, !levels[2].isEmpty,
            let subject = Subject(levels[3...])
        else { return nil }
        let tree = TopicTree(prefix: prefix, site: String(Substring(levels[1])), gateway: String(Substring(levels[2])))
        self.init(subject, of: tree)
    }

    /// The levels of a topic, or of a part of one.
    static func levels(_ topic: Substring.UTF8View) -> [Substring.UTF8View] {
        topic.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}

extension Topic.Subject {
    /// What the levels behind a gateway's root say; `nil` for what none of our kinds looks like.
    init?(_ levels: ArraySlice<Substring.UTF8View>) {
        let words = levels.map { String(Substring($0)) }
        switch words.first {
        case "region":
            guard words.count >= 3, let kind = MessageKind(rawValue: words[words.count - 1]), kind.scope == .region,
                let instance = RegionInstanceID(levels: words[1..<words.count - 1])
            else { return nil }
            self = .region(kind, instance)
        case "request":
            guard words.count == 2, TopicName.isLevel(words[1]) else { return nil }
            self = .request(words[1])
        case MessageKind.response.rawValue:
            guard words.count == 2, TopicName.isLevel(words[1]) else { return nil }
            self = .response(words[1])
        default:
            guard let kind = MessageKind(rawValue: words.joined(separator: "/")), kind.scope == .gateway else {
                return nil
            }
            self = .gateway(kind)
        }
    }

    /// The levels behind a gateway's root.
    var levels: String {
        switch self {
        case .gateway(let kind): kind.rawValue
        case .region(let kind, let instance): "region/" + instance.levels + "/" + kind.rawValue
        case .request(let verb): "request/" + verb
        case .response(let verb): MessageKind.response.rawValue + "/" + verb
        }
    }
}

extension RegionInstanceID {
    /// An expanded instance has its major, and its minor, as further levels; a zone comes last.
    var levels: String {
        var levels = region
        if let major { levels += "/\(major)" }
        if let minor { levels += "/\(minor)" }
        if let zone { levels += "/zone/" + zone }
        return levels
    }

    /// Reads what `levels` wrote. A number that would be written otherwise, as `007`, is none.
    init?(levels: ArraySlice<String>) {
        var (levels, zone) = (levels, String?.none)
        if levels.count >= 3, levels[levels.endIndex - 2] == "zone" {
            zone = levels.removeLast()
            levels.removeLast()
        }
        guard let region = levels.first, TopicName.isLevel(region), levels.count <= 3,
            zone.map(TopicName.isLevel) ?? true
        else { return nil }
        var numbers: [UInt16] = []
        for level in levels.dropFirst() {
            guard let number = UInt16(level), String(number) == level else { return nil }
            numbers.append(number)
        }
        guard let discriminator = Discriminator(major: numbers.first, minor: numbers.dropFirst().first) else {
            return nil
        }
        self.init(region: region, discriminator, zone: zone)
    }
}

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

/// The topics of one gateway: `{prefix}/{site}/{gateway}/…`.
package struct TopicTree: Hashable, Sendable {
    /// The first levels, which all gateways share.
    package let prefix: String
    package let site: String
    package let gateway: String
    /// `{prefix}/{site}/{gateway}`.
    package let root: String

    package init(prefix: String, site: String, gateway: String) {
        self.prefix = prefix
        self.site = site
        self.gateway = gateway
        self.root = prefix + "/" + site + "/" + gateway
    }

    /// The tree of the gateway that has this root, or `nil` where none can have it.
    package init?(root: String) {
        let levels = root.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 3, !levels.contains("") else { return nil }
        self.init(
            prefix: levels.dropLast(2).joined(separator: "/"), site: String(levels[levels.count - 2]),
            gateway: String(levels[levels.count - 1]))
    }

    /// The root of the gateway that says a region event on this topic; `nil` for a topic of anything else.
    package static func root(ofEventTopic topic: String) -> String? {
        let levels = Topic.levels(topic[...].utf8)
        // The id of the region, or that of an expanded one and its numbers, and the zone. A region may be called "region" too: the name that
        // leaves the gateway fewer levels is meant.
        for count in [5, 4, 3, 2, 1] {
            let start = levels.count - count - 2
            guard start > 0, case .region(.event, _)? = Topic.Subject(levels[start...]) else { continue }
            let root = levels[..<start].map { String(Substring($0)) }.joined(separator: "/")
            if let tree = TopicTree(root: root) { return tree.root }
        }
        return nil
    }

    /// The octets by which the longest topic that the gateway has without any region is longer than a topic may be; 0 or less where
    /// it is not.
    var excess_bytes: Int {
        let own = MessageKind.allCases.filter { $0.scope == .gateway }.map { topic(.gateway($0)) }
        let answers = RequestVerb.allCases.flatMap { [topic(.request($0.rawValue)), response($0.rawValue)] }
        let longest = (own + answers).map(\.utf8.count).max() ?? 0
        return longest - TopicName.maxTopic_bytes
    }

    /// The octets that a region's id may have so that none of its topics is too long; 0 or less where none fits.
    ///
    /// - Parameters:
    ///   - isExpanded: whether its topics name a major and a minor.
    ///   - zone: the zone of a store that they name; `nil` for none.
    func regionRoom_bytes(isExpanded: Bool, zone: String? = nil) -> Int {
        let instance = RegionInstanceID(
            region: "", isExpanded ? .minor(major: .max, minor: .max) : .whole, zone: zone)
        return TopicName.maxTopic_bytes - ranging(instance).utf8.count
    }

    /// The topic on which something is said.
    package func topic(_ subject: Topic.Subject) -> String { root + "/" + subject.levels }

    /// What is said on one of these topics; `nil` for any other topic.
    func subject(of topic: String) -> Topic.Subject? {
        guard topic.utf8.starts(with: root.utf8) else { return nil }
        let levels = Topic.levels(topic.utf8.dropFirst(root.utf8.count))
        guard levels.count > 1, levels[0].isEmpty else { return nil }
        return Topic.Subject(levels[1...])
    }

    var status: String { topic(.gateway(.status)) }
    var health: String { topic(.gateway(.health)) }
    package var gap: String { topic(.gateway(.gap)) }
    var coverage: String { topic(.gateway(.coverage)) }

    /// What is retained of the gateway as a whole. A store's day is not among it: its outbox has a record of the topic.
    package var retainedOfGateway: [String] {
        MessageKind.allCases.filter { $0.scope == .gateway && $0.delivery == .retained && $0 != .today }
            .map { topic(.gateway($0)) }
    }

    package func state(_ instance: RegionInstanceID) -> String { topic(.region(.state, instance)) }
    func event(_ instance: RegionInstanceID) -> String { topic(.region(.event, instance)) }
    package func ranging(_ instance: RegionInstanceID) -> String { topic(.region(.ranging, instance)) }

    /// Where answers go that nobody wants elsewhere.
    func response(_ verb: String) -> String { topic(.response(verb)) }
}
