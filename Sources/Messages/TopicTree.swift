public import Regions

/// The topics of one gateway: `{prefix}/{site}/{gateway}/…`.
public struct TopicTree: Hashable, Sendable {
    /// The first levels, which all gateways share.
    public let prefix: String
    public let site: String
    public let gateway: String
    /// `{prefix}/{site}/{gateway}`.
    public let root: String

    public init(prefix: String, site: String, gateway: String) {
        self.prefix = prefix
        self.site = site
        self.gateway = gateway
        self.root = prefix + "/" + site + "/" + gateway
    }

    /// The tree of the gateway that has this root, or `nil` where none can have it.
    public init?(root: String) {
        let levels = root.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 3, !levels.contains("") else { return nil }
        self.init(
            prefix: levels.dropLast(2).joined(separator: "/"), site: String(levels[levels.count - 2]),
            gateway: String(levels[levels.count - 1]))
    }

    /// The root of the gateway that says a region event on this topic; `nil` for a topic of anything else.
    public static func root(ofEventTopic topic: String) -> String? {
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

    /// How far the longest of these topics is beyond what a topic may have, in octets and in levels: not above 0 where it is
    /// not. It is that of an expanded region with the longest name, which may come by a request at any time.
    public var excess: (bytes: Int, levels: Int) {
        let name = String(repeating: "x", count: TopicName.maxLevel_bytes)
        let longest = ranging(RegionInstanceID(region: name, .minor(major: .max, minor: .max))).utf8
        return (longest.count - TopicName.maxTopic_bytes, TopicName.levels(of: longest) - TopicName.maxLevels)
    }

    /// The topic on which something is said.
    public func topic(_ subject: Topic.Subject) -> String { root + "/" + subject.levels }

    /// What is said on one of these topics; `nil` for any other topic.
    public func subject(of topic: String) -> Topic.Subject? {
        guard topic.utf8.starts(with: root.utf8) else { return nil }
        let levels = Topic.levels(topic.utf8.dropFirst(root.utf8.count))
        guard levels.count > 1, levels[0].isEmpty else { return nil }
        return Topic.Subject(levels[1...])
    }

    public var status: String { topic(.gateway(.status)) }
    public var health: String { topic(.gateway(.health)) }
    public var gap: String { topic(.gateway(.gap)) }
    public var coverage: String { topic(.gateway(.coverage)) }

    /// What is retained of the gateway as a whole.
    public var retainedOfGateway: [String] {
        MessageKind.allCases.filter { $0.scope == .gateway && $0.delivery == .retained }.map { topic(.gateway($0)) }
    }

    public func state(_ instance: RegionInstanceID) -> String { topic(.region(.state, instance)) }
    public func event(_ instance: RegionInstanceID) -> String { topic(.region(.event, instance)) }
    public func ranging(_ instance: RegionInstanceID) -> String { topic(.region(.ranging, instance)) }

    /// Where answers go that nobody wants elsewhere.
    public func response(_ verb: String) -> String { topic(.response(verb)) }
}
