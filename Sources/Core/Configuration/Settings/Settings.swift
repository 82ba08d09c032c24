/// Everything that `config.toml` says, validated: whoever holds a part of it need not check a range again.
///
/// It is made of parts by who needs them. Only a command holds all of it; everything else takes its own part.
package struct Settings: Hashable, Sendable {
    package var identity: IdentitySettings
    package var radio: RadioSettings
    package var gateway: GatewaySettings
    package var broker: BrokerSettings
    package var outbox: OutboxSettings
    package var privacy: PrivacySettings
    package var commands: CommandSettings
    package var health: HealthSettings
    /// `nil` where this machine joins no gateways.
    package var site: SiteSettings?
    /// `nil` where Home Assistant is told nothing.
    package var homeAssistant: HomeAssistantSettings?
    /// `nil` where nothing is told in the words of OwnTracks.
    package var ownTracks: OwnTracksSettings?
    /// `nil` where this machine is to advertise nothing.
    package var advertise: AdvertiseSettings?
    /// `nil` where no recent events are kept.
    package var capture: CaptureSettings?
    package var log: LogSettings
    /// What stands in the file under a name that goes with the next version.
    package var renamedKeys: [RenamedKey] = []
}

/// What the rules between the bytes and the messages go by: whom to listen to, how beacons are followed, what is watched.
package struct GatewaySettings: Hashable, Sendable {
    /// One adapter that listens, and how its RSSI compares with others'.
    package struct ListeningAdapter: Hashable, Sendable {
        package var adapter: RadioSettings.Adapter
        /// Added to every RSSI that it measures, before smoothing, dB.
        package var rssiOffset_db: Double
    }

    /// In the order of `RadioSettings.adapters`: a report says by its index who heard it.
    package var adapters: [ListeningAdapter]
    package var tracker: TrackerSettings
    package var distance: DistanceSettings
    package var regions: RegionSettings
    package var ranging: RangingSettings
    /// `nil` where the file says nothing of the place.
    package var location: LocationSettings?
}

/// `[regions]` and every `[[region]]`: what is watched, and what holds for regions that come by request.
package struct RegionSettings: Hashable, Sendable {
    /// What holds where a region does not say otherwise.
    var rules: RegionRules
    var limits: RegionLimits
    /// The octets that the id of a region may have which comes by a request: its topics are no longer than a broker takes.
    var maxRequestedID_bytes: Int
    /// Those of the file, in its order.
    package var configured: [MonitoredRegion]

    /// The regions of beacons among them. What is set comes before those of other kinds.
    package var beacons: [BeaconRegion] {
        get {
            configured.compactMap { region in
                if case .beacon(let region) = region { region } else { nil }
            }
        }
        set { configured = newValue.map { .beacon($0) } + configured.filter { $0.kind != .beacon } }
    }
}

extension RegionSettings {
    /// Reads a region that a request defines, by the very rules of a `[[region]]` in the file: the same keys, the same
    /// limits, and what it leaves out comes from `[regions]`.
    ///
    /// - Throws: all that is wrong with it. An id that the file uses is wrong too.
    package func region(_ definition: RegionDefinition) throws(ConfigurationErrors) -> MonitoredRegion {
        let table = Tables.known.region
        var reader = TableReader(
            path: table.reference.name, table: table.reference, entries: definition.entries.mapValues(\.node))
        var taken = Set(configured.map(\.id))
        let region = table.keys.read(&reader, rules: rules, taken: &taken)
        if let id = region?.id, id.utf8.count > maxRequestedID_bytes {
            reader.refuse(
                table.keys.id, id, beside: table.keys.id.name,
                "must have at most \(max(0, maxRequestedID_bytes)) bytes here, so that its topics have at most "
                    + "\(TopicName.maxTopic_bytes), which is what brokers take")
        }
        guard let region, reader.errors.isEmpty else { throw ConfigurationErrors(reader.errors) }
        return region
    }
}

extension JSONValue {
    /// The TOML value that says the same. TOML has no null: it becomes an empty list, which no key of a region takes.
    fileprivate var node: TOMLNode {
        switch self {
        case .null: .array([])
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .number(let value): integer.map { .integer($0) } ?? .float(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.node))
        case .object(let entries): .table(entries.mapValues(\.node))
        }
    }
}
