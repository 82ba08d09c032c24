internal import HCI

/// Writes every message that subscribers get. The contract is published as JSON Schema under `deploy/contract`.
///
/// The payloads stand one a file in `Payloads`.
public struct MessageComposer: Sendable {
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
    func head(at instant: Instant, _ timebase: Timebase) -> PayloadHead {
        PayloadHead(at: timebase.wall(instant), isClockSynced: timebase.isSynced)
    }

    /// Whose this gateway's messages are.
    var origin: PayloadOrigin { PayloadOrigin(site: topics.site, gateway: topics.gateway) }
}
