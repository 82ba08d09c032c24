/// One MQTT message, ready to be published.
package struct Message: Hashable, Sendable {
    /// MQTT's quality of service. Level 2 is not used: every message is idempotent or numbered, so a duplicate does no harm.
    package enum QoS: UInt8, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    package var topic: String
    /// UTF-8 JSON; empty to clear a retained topic.
    package var payload: [UInt8]
    package let delivery: MessageDelivery
    /// True if the broker is asked to keep it for later subscribers. The delivery decides, unless this broker keeps no
    /// messages.
    package var isRetained: Bool
    /// The seconds after which a broker need not deliver it any more (MQTT 5); `nil` for never.
    package var expiry_s: UInt32?
    /// The correlation data of a response, by which its requester recognises it (MQTT 5).
    package var correlationData: [UInt8]?
    /// The replacement of a long response, for a broker that refuses its length.
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

    package var clearsTopic: Bool { delivery == .retained && payload.isEmpty }

    /// This message with its short payload, where it has one.
    package var shortened: Message? {
        guard let shortPayload else { return nil }
        var message = self
        message.payload = shortPayload
        message.shortPayload = nil
        return message
    }
}

/// The publication of the gateway's location. The raw value is the word in `config.toml`.
package enum LocationForm: String, CaseIterable, Sendable {
    case include
    /// No location is published: neither a fix nor a distance from the centre of a circle. The circles themselves are
    /// published, because the operator has configured them.
    case omit
}

/// Writes payloads and topics in one gateway's words: its names, version, pseudonyms and privacy. Each payload has a file
/// in `Payloads`, and a JSON Schema in `deploy/contract`.
package struct MessageComposer: Sendable {
    package private(set) var topics: TopicTree
    package let version: String
    private(set) var pseudonym: DevicePseudonym
    private var pseudonyms = PseudonymCache()
    /// The expiry of an ephemeral message, one of ranging. Seconds.
    package let rangingExpiry_s: UInt32
    package let location: LocationForm
    /// The status's part about the settings; `nil` in a replay and in `beacond site`.
    let settings: SettingsInEffect?
    /// The iBeacon that the gateway advertises, for its status; `nil` for none.
    let advertises: IBeaconFrame?

    package init(
        topics: TopicTree, version: String, pseudonym: DevicePseudonym, rangingExpiry_s: UInt32,
        location: LocationForm = .include, settings: SettingsInEffect? = nil, advertises: IBeaconFrame? = nil
    ) {
        self.topics = topics
        self.version = version
        self.pseudonym = pseudonym
        self.rangingExpiry_s = rangingExpiry_s
        self.location = location
        self.settings = settings
        self.advertises = advertises
    }

    package var includesPlace: Bool { location == .include }

    /// Returns a composer for other topics: those of this machine's previous site or gateway id.
    package func with(_ topics: TopicTree) -> MessageComposer {
        var composer = self
        composer.topics = topics
        return composer
    }

    /// Sets the day's key, and forgets the names that the former one made.
    package mutating func replacePseudonymKey(_ key: [UInt8]) {
        pseudonym.replaceKey(key)
        pseudonyms = PseudonymCache()
    }

    /// Returns the published name of a beacon's device; `nil` where `[privacy] device` is `omit`, or without a key. Names are kept
    /// between messages.
    mutating func deviceName(of beacon: RangedBeacon, at time: WallTime) -> String? {
        pseudonyms.name(of: beacon, at: time, by: pseudonym)
    }

    /// Returns the beginning of every message.
    package func head(at instant: Instant, _ timebase: Timebase) -> PayloadHead {
        PayloadHead(at: timebase.wall(instant), isClockSynced: timebase.isSynced)
    }

    package func message(_ kind: MessageKind, on topic: String, _ payload: [UInt8]) -> Message {
        let delivery = kind.delivery
        return Message(
            topic: topic, payload: payload, delivery, expiry_s: delivery == .ephemeral ? rangingExpiry_s : nil)
    }

    package var origin: PayloadOrigin { PayloadOrigin(site: topics.site, gateway: topics.gateway) }
}

/// A message's number, which identifies the message for ever.
package struct MessageNumber: Hashable, Sendable {
    package var epoch: String
    package var series: NumberSeries
    /// The sequence number within the epoch and the series, from 1, without gaps.
    package var seq: Int64

    package init(epoch: String, series: NumberSeries = .events, seq: Int64) {
        self.epoch = epoch
        self.series = series
        self.seq = seq
    }
}

/// A durable message, from the transaction that commits it to the acknowledgement of the broker.
package struct NumberedMessage: Hashable, Sendable {
    package var number: MessageNumber
    package var topic: String
    /// UTF-8 JSON.
    package var payload: [UInt8]

    package init(_ number: MessageNumber, topic: String, payload: [UInt8]) {
        self.number = number
        self.topic = topic
        self.payload = payload
    }
}

/// The payload of a numbered message. It contains the number too.
package protocol NumberedPayload: Payload {
    var number: MessageNumber { get }
}

extension NumberedMessage {
    init(_ payload: some NumberedPayload, topic: String) {
        self.init(payload.number, topic: topic, payload: payload.encoded)
    }
}

extension Message {
    package init(_ numbered: NumberedMessage) {
        self.init(topic: numbered.topic, payload: numbered.payload, .durable(numbered.number.series))
    }
}

/// The delivery of a message. Its QoS follows from it, and so does its way through queue, outbox and publisher.
package enum MessageDelivery: Hashable, Sendable {
    /// At least once, in order: the message waits in the outbox until the broker has acknowledged it. It has a number
    /// of this series; `nil` for a `gap` message, which has none.
    case durable(NumberSeries?)
    /// The latest message of its topic counts, and the broker keeps it for later subscribers.
    case retained
    /// On the present connection or not at all, unacknowledged. The next message replaces it.
    case ephemeral
    /// To the requester, on the present connection or not at all, acknowledged. A requester without an answer repeats
    /// the request.
    case answer

    var qos: Message.QoS { self == .ephemeral ? .atMostOnce : .atLeastOnce }

    /// True if other messages may overtake it when the broker refuses it. An older access list may refuse a new kind,
    /// which must not delay the events.
    package var isOptional: Bool {
        if case .durable(let series?) = self { series.isOptional } else { false }
    }
}
