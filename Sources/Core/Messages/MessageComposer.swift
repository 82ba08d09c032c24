/// In which form the gateway's place leaves it. The raw value is the word in `config.toml`.
package enum LocationForm: String, CaseIterable, Sendable {
    case include
    /// Nothing of it leaves: neither a fix nor a distance from the centre of a circle. The circles themselves do, which the
    /// operator has named.
    case omit
}

/// Writes every message that subscribers get. The contract is published as JSON Schema under `deploy/contract`.
///
/// The payloads stand one a file in `Payloads`.
package struct MessageComposer: Sendable {
    /// Where the messages go.
    package let topics: TopicTree
    package let version: String
    private(set) var pseudonym: DevicePseudonym
    var pseudonyms = PseudonymCache()
    /// Seconds after which an ephemeral message, which is one of ranging, is of no use to anyone.
    package let rangingExpiry_s: UInt32
    /// In which form the gateway's place leaves.
    package let location: LocationForm

    package init(
        topics: TopicTree, version: String, pseudonym: DevicePseudonym, rangingExpiry_s: UInt32,
        location: LocationForm = .include
    ) {
        self.topics = topics
        self.version = version
        self.pseudonym = pseudonym
        self.rangingExpiry_s = rangingExpiry_s
        self.location = location
    }

    /// Whether anything of the gateway's place leaves.
    package var tellsPlace: Bool { location == .include }

    /// The same for the topics of another gateway: the one that this one was before it was moved.
    package func speaking(for topics: TopicTree) -> MessageComposer {
        MessageComposer(
            topics: topics, version: version, pseudonym: pseudonym, rangingExpiry_s: rangingExpiry_s, location: location
        )
    }

    /// From now on devices are named under another key.
    package mutating func replacePseudonymKey(_ key: [UInt8]) {
        pseudonym.replaceKey(key)
        pseudonyms = PseudonymCache()
    }

    /// What every message begins with.
    package func head(at instant: Instant, _ timebase: Timebase) -> PayloadHead {
        PayloadHead(at: timebase.wall(instant), isClockSynced: timebase.isSynced)
    }

    /// A message of a kind, which says how it is delivered.
    package func message(_ kind: MessageKind, on topic: String, _ payload: [UInt8]) -> Message {
        let delivery = kind.delivery
        return Message(
            topic: topic, payload: payload, delivery, expiry_s: delivery == .ephemeral ? rangingExpiry_s : nil)
    }

    /// Whose this gateway's messages are.
    package var origin: PayloadOrigin { PayloadOrigin(site: topics.site, gateway: topics.gateway) }
}
