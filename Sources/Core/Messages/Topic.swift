/// A parsed topic of a gateway: the gateway and the subject.
package struct Topic: Hashable, Sendable {
    /// The subject of a topic. With a gateway it makes the topic.
    package enum Subject: Hashable, Sendable {
        /// A message about the gateway as a whole.
        case gateway(MessageKind)
        /// A page of a list about the gateway as a whole, by its number from 0 on.
        case page(MessageKind, UInt16)
        /// A message about an instance of a region.
        case region(MessageKind, RegionInstanceID)
        /// A request, by its verb.
        case request(String)
        /// The answer to a request, by its verb.
        case response(String)

        /// The kind of message that a gateway publishes there; `nil` for a request, which comes from clients.
        var kind: MessageKind? {
            switch self {
            case .gateway(let kind), .page(let kind, _), .region(let kind, _): kind
            case .request: nil
            case .response: .response
            }
        }

        /// The instance of the message; `nil` for messages about no region.
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

    /// Parses a topic below a known prefix: `{prefix}/{site}/{gateway}/…`. Returns `nil` for topics that the agent does
    /// not use.
    package init?(_ topic: String, prefix: String) {
        guard topic.utf8.starts(with: prefix.utf8) else { return nil }
        let levels = Self.levels(topic.utf8.dropFirst(prefix.utf8.count))
        // The prefix ends at a level's end, so the first level behind it is empty.
        guard levels.count > 3, levels[0].isEmpty, !levels[1].isEmpty, !levels[2].isEmpty,
            let subject = Subject(levels[3...])
        else { return nil }
        let tree = TopicTree(prefix: prefix, site: String(Substring(levels[1])), gateway: String(Substring(levels[2])))
        self.init(subject, of: tree)
    }

    /// Returns the levels of a topic, or of a part of one.
    static func levels(_ topic: Substring.UTF8View) -> [Substring.UTF8View] {
        topic.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }
}

extension Topic.Subject {
    /// Parses the levels behind a gateway's root. Returns `nil` for levels of no kind.
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
        case MessageKind.beacons.rawValue:
            guard words.count == 2, let page = UInt16(decimalLevel: words[1]) else { return nil }
            self = .page(.beacons, page)
        default:
            guard let kind = MessageKind(rawValue: words.joined(separator: "/")), kind.isAboutGateway else {
                return nil
            }
            self = .gateway(kind)
        }
    }

    /// The levels behind a gateway's root.
    var levels: String {
        switch self {
        case .gateway(let kind): kind.rawValue
        case .page(let kind, let page): kind.rawValue + "/\(page)"
        case .region(let kind, let instance): "region/" + instance.levels + "/" + kind.rawValue
        case .request(let verb): "request/" + verb
        case .response(let verb): MessageKind.response.rawValue + "/" + verb
        }
    }
}

extension RegionInstanceID {
    /// The levels of the instance. An expanded instance has its major, and its minor, as further levels; a zone comes
    /// last.
    var levels: String {
        var levels = region
        if let major { levels += "/\(major)" }
        if let minor { levels += "/\(minor)" }
        if let zone { levels += "/zone/" + zone }
        return levels
    }

    /// Parses the text of `levels`.
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
            guard let number = UInt16(decimalLevel: level) else { return nil }
            numbers.append(number)
        }
        guard let discriminator = Discriminator(major: numbers.first, minor: numbers.dropFirst().first) else {
            return nil
        }
        self.init(region: region, discriminator, zone: zone)
    }
}

extension UInt16 {
    /// Reads a number that is a level of a topic; `nil` for another notation, such as `007`.
    fileprivate init?(decimalLevel level: String) {
        guard let number = UInt16(level), String(number) == level else { return nil }
        self = number
    }
}

/// The limits of MQTT and its brokers for topics, and for names that are one level.
package enum TopicName {
    /// The most octets of a topic. AMQP carries 255, and RabbitMQ and the bridges add to a topic. So the brokers of
    /// `deploy/broker` and `deploy/chain` accept no longer one.
    static let maxTopic_bytes = 200
    /// The most levels of a topic. Mosquitto disconnects a client that publishes to a topic of more than about 200.
    static let maxLevels = 200
    /// The most octets of one level that an operator names.
    static let maxLevel_bytes = 128
    /// The most octets of a host name (`HOST_NAME_MAX` of Linux).
    static let maxHostName_bytes = 64

    /// Returns whether this is one level of a topic for publishing. It has no characters that are special there (MQTT
    /// 5, 4.7), and none that broker or library refuse.
    static func isLevel(_ text: some StringProtocol) -> Bool {
        (1...maxLevel_bytes).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0 == "/" || isWildcard($0) || isForbidden($0) }
    }

    /// Returns whether a topic filter selects a topic (MQTT 5, 4.7): `+` is one level, `#` is all that follow, none
    /// included.
    package static func matches(_ topic: String, _ filter: String) -> Bool {
        let levels = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let wanted = filter.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (number, want) in wanted.enumerated() {
            if want.elementsEqual("#".utf8) { return true }
            guard number < levels.count else { return false }
            guard want.elementsEqual("+".utf8) || want.elementsEqual(levels[number]) else { return false }
        }
        return levels.count == wanted.count
    }

    /// Returns the part of a text that can be one level; `nil` where none can.
    static func level(of text: String, maxOctets: Int = maxLevel_bytes) -> String? {
        var level = ""
        for scalar in text.unicodeScalars where scalar != "/" && !isWildcard(scalar) && !isForbidden(scalar) {
            guard level.utf8.count + scalar.utf8.count <= maxOctets else { break }
            level.unicodeScalars.append(scalar)
        }
        return level.isEmpty ? nil : level
    }

    static func levels(of topic: String.UTF8View) -> Int { topic.count { $0 == UInt8(ascii: "/") } + 1 }

    static func isWildcard(_ scalar: Unicode.Scalar) -> Bool { scalar == "+" || scalar == "#" }

    /// Returns whether MQTT allows a receiver to disconnect on a character (MQTT 5, 1.5.4): control characters and
    /// noncharacters. libmosquitto refuses to send either.
    static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || isNonCharacter(scalar)
    }

    /// Returns whether it is a noncharacter: U+FDD0 to U+FDEF, and the last two of every plane.
    static func isNonCharacter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isNoncharacterCodePoint }
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

    /// Returns the tree of the gateway with this root; `nil` for a text that cannot be a root.
    package init?(root: String) {
        let levels = root.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 3, !levels.contains("") else { return nil }
        self.init(
            prefix: levels.dropLast(2).joined(separator: "/"), site: String(levels[levels.count - 2]),
            gateway: String(levels[levels.count - 1]))
    }

    /// Returns the root of the gateway that publishes a region event on this topic; `nil` for any other topic.
    package static func root(ofEventTopic topic: String) -> String? {
        let levels = Topic.levels(topic[...].utf8)
        // The levels are the region's id, the numbers of an expanded one, and the zone. A region may be called "region"
        // too: then the reading with fewer levels for the gateway is right.
        for count in [5, 4, 3, 2, 1] {
            let start = levels.count - count - 2
            guard start > 0, case .region(.event, _)? = Topic.Subject(levels[start...]) else { continue }
            let root = levels[..<start].map { String(Substring($0)) }.joined(separator: "/")
            if let tree = TopicTree(root: root) { return tree.root }
        }
        return nil
    }

    /// The octets by which the longest topic of the gateway without a region exceeds the limit; 0 or less where it does
    /// not.
    var excess_bytes: Int {
        let own = MessageKind.allCases.filter(\.isAboutGateway).map { topic(.gateway($0)) }
        let answers = RequestVerb.allCases.flatMap { [topic(.request($0.rawValue)), response($0.rawValue)] }
        let longest = (own + answers).map(\.utf8.count).max() ?? 0
        return longest - TopicName.maxTopic_bytes
    }

    /// Returns the most octets of a region's id for which its topics are not too long; 0 or less where none fits.
    ///
    /// - Parameters:
    /// - isExpanded: whether its topics contain a major and a minor.
    /// - zone: the zone of a store in its topics; `nil` for none.
    func regionRoom_bytes(isExpanded: Bool, zone: String? = nil) -> Int {
        let instance = RegionInstanceID(region: "", isExpanded ? .minor(major: .max, minor: .max) : .whole, zone: zone)
        return TopicName.maxTopic_bytes - ranging(instance).utf8.count
    }

    package func topic(_ subject: Topic.Subject) -> String { root + "/" + subject.levels }

    /// Returns the subject of one of these topics; `nil` for any other topic.
    func subject(of topic: String) -> Topic.Subject? {
        guard topic.utf8.starts(with: root.utf8) else { return nil }
        let levels = Topic.levels(topic.utf8.dropFirst(root.utf8.count))
        guard levels.count > 1, levels[0].isEmpty else { return nil }
        return Topic.Subject(levels[1...])
    }

    /// Returns whether a topic is that of a page of a list of that kind.
    package func isPage(_ topic: String, of kind: MessageKind) -> Bool {
        if case .page(kind, _)? = subject(of: topic) { true } else { false }
    }

    /// The topic on which an operator publishes settings for the gateway.
    package var desiredSettings: String { root + "/settings/desired" }

    var status: String { topic(.gateway(.status)) }
    var health: String { topic(.gateway(.health)) }
    package var gap: String { topic(.gateway(.gap)) }

    /// The retained topics that each gateway has. Those of a part that is off by default are not among them: the outbox has
    /// a record of each.
    package var retainedOfGateway: [String] {
        MessageKind.allCases.filter { $0.isAboutGateway && $0.delivery == .retained && !$0.isOptional }
            .map { topic(.gateway($0)) }
    }

    /// The retained topics that a store has besides.
    package var retainedOfStore: [String] {
        MessageKind.allCases.filter { $0.scope == .store && $0.delivery == .retained }.map { topic(.gateway($0)) }
    }

    package func state(_ instance: RegionInstanceID) -> String { topic(.region(.state, instance)) }
    func event(_ instance: RegionInstanceID) -> String { topic(.region(.event, instance)) }
    package func ranging(_ instance: RegionInstanceID) -> String { topic(.region(.ranging, instance)) }

    /// Returns the default topic of answers.
    func response(_ verb: String) -> String { topic(.response(verb)) }
}
