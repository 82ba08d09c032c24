public import Messages

/// Who this gateway is: what all its topics begin with, and what tells it from every other gateway.
public struct IdentitySettings: Hashable, Sendable {
    /// First levels of every topic, without a slash at either end.
    public var prefix: String
    /// One topic level.
    public var site: String
    /// One topic level; `nil` where the file leaves it to the host name.
    public var id: String?

    /// The topics of this gateway. Where nobody has asked for the host name it is called `gateway`.
    public var topics: TopicTree { TopicTree(prefix: prefix, site: site, gateway: id ?? "gateway") }
}
