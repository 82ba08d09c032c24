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
    package let delivery: MessageDelivery
    /// True if the broker is asked to keep it for later subscribers. The delivery decides, unless this broker keeps no
    /// messages.
    package var isRetained: Bool
    /// The seconds after which a broker need not deliver it any more (MQTT 5); `nil` for never.
    package var expiry_s: UInt32?
    /// The correlation data of a response, by which its requester recognises it (MQTT 5).
    package var correlationData: [UInt8]?
    /// The replacement of a long response, for a broker that does not take its length.
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

/// The published form of the gateway's place. The raw value is the word in `config.toml`.
package enum LocationForm: String, CaseIterable, Sendable {
    case include
    /// No place is published: neither a fix nor a distance from the centre of a circle. The circles themselves are
    /// published, because the operator has named them.
    case omit
}

/// Writes all messages for subscribers. The contract is published as JSON Schema in `deploy/contract`.
///
/// Each payload has a file in `Payloads`.
package struct MessageComposer: Sendable {
    package let topics: TopicTree
    package let version: String
    private(set) var pseudonym: DevicePseudonym
    private var pseudonyms = PseudonymCache()
    /// The seconds after which an ephemeral message, one of ranging, is useless.
    package let rangingExpiry_s: UInt32
    /// The published form of the gateway's place.
    package let location: LocationForm
    /// The status's part about the settings; `nil` in a replay and for a store.
    let settings: SettingsInEffect?
    /// The status's part about the beacon that the gateway is; `nil` where it is none.
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

    /// True if the gateway's place is published.
    package var includesPlace: Bool { location == .include }

    /// Returns a composer for the topics of another gateway: this machine's previous site and gateway id.
    package func speaking(for topics: TopicTree) -> MessageComposer {
        MessageComposer(
            topics: topics, version: version, pseudonym: pseudonym, rangingExpiry_s: rangingExpiry_s,
            location: location, settings: settings, advertises: advertises)
    }

    package mutating func replacePseudonymKey(_ key: [UInt8]) {
        pseudonym.replaceKey(key)
        pseudonyms = PseudonymCache()
    }

    /// Returns the published name of a beacon's device; `nil` for none. Names are kept between messages.
    mutating func deviceName(of beacon: RangedBeacon, at time: WallTime) -> String? {
        pseudonyms.name(of: beacon, at: time, by: pseudonym)
    }

    /// Returns the beginning of every message.
    package func head(at instant: Instant, _ timebase: Timebase) -> PayloadHead {
        PayloadHead(at: timebase.wall(instant), isClockSynced: timebase.isSynced)
    }

    /// Returns a message of a kind, which decides its delivery.
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
    /// The number within the epoch and the series, from 1, without gaps.
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
    /// UTF-8 JSON, which contains the number too.
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
    /// Makes the message to publish.
    package init(_ numbered: NumberedMessage) {
        self.init(topic: numbered.topic, payload: numbered.payload, .durable(numbered.number.series))
    }
}

/// The delivery of a message. Its QoS, retain flag and expiry follow from it, and so does its way through queue, outbox
/// and publisher.
package enum MessageDelivery: Hashable, Sendable {
    /// At least once, in order: the message waits in the outbox until the broker has acknowledged it. It has a number
    /// of this series. A message about lost numbers has no series (`nil`), and waits nevertheless.
    case durable(NumberSeries?)
    /// The latest message of its topic counts, and the broker keeps it for later subscribers.
    case retained
    /// On the present connection or not at all, unacknowledged. The next message replaces it.
    case ephemeral
    /// To the requester, on the present connection or not at all, acknowledged. A requester without an answer repeats
    /// the request.
    case answer

    /// MQTT's quality of service.
    var qos: Message.QoS { self == .ephemeral ? .atMostOnce : .atLeastOnce }

    /// True if other messages may overtake it when the broker refuses it. A kind that an access list does not know yet
    /// must not delay the events.
    package var isOptional: Bool {
        if case .durable(let series?) = self { series.isOptional } else { false }
    }
}
