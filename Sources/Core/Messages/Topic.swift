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
