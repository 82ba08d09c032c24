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
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.last == "event" else { return nil }
        // The id of the region, or that of an expanded one and its numbers. A region may be called "region" too: the name that
        // leaves the gateway fewer levels is meant.
        for count in [3, 2, 1] {
            let region = levels.dropLast().suffix(count)
            let before = levels.dropLast(count + 1)
            guard before.last == "region", region.dropFirst().allSatisfy({ UInt16($0) != nil }),
                let tree = TopicTree(root: before.dropLast().joined(separator: "/"))
            else { continue }
            return tree.root
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

    public var status: String { root + "/status" }
    public var health: String { root + "/health" }
    public var gap: String { root + "/gap" }
    public var coverage: String { root + "/coverage" }

    public func state(_ instance: RegionInstanceID) -> String { region(instance) + "/state" }
    public func event(_ instance: RegionInstanceID) -> String { region(instance) + "/event" }
    public func ranging(_ instance: RegionInstanceID) -> String { region(instance) + "/ranging" }

    /// An expanded instance has its major, and its minor, as further levels.
    private func region(_ instance: RegionInstanceID) -> String {
        var topic = root + "/region/" + instance.region
        if let major = instance.major { topic += "/\(major)" }
        if let minor = instance.minor { topic += "/\(minor)" }
        return topic
    }
}
