public import Regions

/// The topics of one gateway: `{prefix}/{site}/{gateway}/…`.
public struct TopicTree: Hashable, Sendable {
    /// The first levels, which all gateways share.
    public let prefix: String
    /// `{prefix}/{site}/{gateway}`.
    public let root: String

    public init(prefix: String, site: String, gateway: String) {
        self.prefix = prefix
        self.root = prefix + "/" + site + "/" + gateway
    }

    public var status: String { root + "/status" }
    public var health: String { root + "/health" }
    public var gap: String { root + "/gap" }

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
