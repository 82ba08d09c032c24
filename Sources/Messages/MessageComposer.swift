import HCI
import Regions

/// Writes every message that subscribers get. The contract is published as JSON Schema under `deploy/contract`.
///
/// The payloads stand one a file in `Payloads`.
public struct MessageComposer: Sendable {
    /// The `schema` of every message.
    static let schema = 1

    /// Where the messages go.
    public let topics: TopicTree
    let version: String
    private(set) var pseudonym: DevicePseudonym
    var pseudonyms = PseudonymBook()
    /// Seconds after which a ranging message is of no use to anyone.
    let rangingExpiry_s: UInt32

    public init(
        topics: TopicTree, version: String, pseudonym: DevicePseudonym, rangingExpiry_s: UInt32
    ) {
        self.topics = topics
        self.version = version
        self.pseudonym = pseudonym
        self.rangingExpiry_s = rangingExpiry_s
    }

    /// The same for the topics of another gateway: the one that this one was before it was moved.
    public func speaking(for topics: TopicTree) -> MessageComposer {
        MessageComposer(topics: topics, version: version, pseudonym: pseudonym, rangingExpiry_s: rangingExpiry_s)
    }

    /// From now on devices are named under another key.
    public mutating func replacePseudonymKey(_ key: [UInt8]) {
        pseudonym.replaceKey(key)
        pseudonyms = PseudonymBook()
    }

    /// What every message begins with.
    func payload(at instant: Instant, _ timebase: Timebase) -> JSONWriter {
        var json = JSONWriter()
        json.set("schema", Self.schema)
        json.set("at", Timestamp.text(timebase.wall(instant)))
        json.set("clock", timebase.isSynced ? "synced" : "unsynced")
        return json
    }

    /// What messages begin with that are kept for long: they say whose they are, because the topic is not kept with them
    /// everywhere, and numbers mean something only together with the epoch.
    func payload(ofEpoch epoch: String, at instant: Instant, _ timebase: Timebase) -> JSONWriter {
        var json = payload(at: instant, timebase)
        json.set("site", topics.site)
        json.set("gateway", topics.gateway)
        json.set("epoch", epoch)
        return json
    }

    /// The region of a message, and what tells an expanded instance apart.
    func set(_ instance: RegionInstanceID, in json: inout JSONWriter) {
        json.set("region", instance.region)
        if let major = instance.major { json.set("major", major) }
        if let minor = instance.minor { json.set("minor", minor) }
    }
}
