/// One MQTT message, ready to be published.
package struct Message: Hashable, Sendable {
    /// MQTT's quality of service. Level 2 is not used: every message is idempotent or numbered.
    package enum QoS: UInt8, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    package var topic: String
    /// UTF-8 JSON; empty to clear a retained topic.
    package var payload: [UInt8]
    /// How it reaches those who want it.
    package let delivery: MessageDelivery
    /// Whether the broker is asked to keep it for those who subscribe later: as its delivery says, unless this broker keeps nothing.
    package var isRetained: Bool
    /// Seconds after which a broker need not deliver it any more (MQTT 5); `nil` for never.
    package var expiry_s: UInt32?
    /// Of a response: what its requester knows it by (MQTT 5).
    package var correlationData: [UInt8]?
    /// Of a response that may be long: what goes out in its place where the broker takes none of that length.
    var shortPayload: [UInt8]?

    package init(
        topic: String, payload: [UInt8], _ delivery: MessageDelivery, expiry_s: UInt32? = nil,
        correlationData: [UInt8]? = nil, shortPayload: [UInt8]? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.delivery = delivery
        self.isRetained = delivery == .retained
        self.expiry_s = expiry_s
        self.correlationData = correlationData
        self.shortPayload = shortPayload
    }

    package var qos: QoS { delivery.qos }

    /// Whether it takes what is retained from its topic.
    package var clearsTopic: Bool { delivery == .retained && payload.isEmpty }

    /// The same message with its short payload, where it has one.
    package var shortened: Message? {
        guard let shortPayload else { return nil }
        var message = self
        message.payload = shortPayload
        message.shortPayload = nil
        return message
    }
}

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
