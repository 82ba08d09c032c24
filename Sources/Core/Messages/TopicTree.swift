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

    /// What is retained of the gateway as a whole.
    package var retainedOfGateway: [String] {
        MessageKind.allCases.filter { $0.scope == .gateway && $0.delivery == .retained }.map { topic(.gateway($0)) }
    }

    package func state(_ instance: RegionInstanceID) -> String { topic(.region(.state, instance)) }
    func event(_ instance: RegionInstanceID) -> String { topic(.region(.event, instance)) }
    package func ranging(_ instance: RegionInstanceID) -> String { topic(.region(.ranging, instance)) }

    /// Where answers go that nobody wants elsewhere.
    func response(_ verb: String) -> String { topic(.response(verb)) }
}
