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
