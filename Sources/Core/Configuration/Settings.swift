/// The validated content of `config.toml`: no other code has to check its ranges again.
///
/// The parts are split by their users. Only a command holds all of it; every other component takes its own part.
package struct Settings: Hashable, Sendable {
    package var identity: IdentitySettings
    package var radio: RadioSettings
    /// `nil` where this machine's adapters are the radio.
    package var receiver: ReceiverSettings?
    package var gateway: GatewaySettings
    package var broker: BrokerSettings
    package var outbox: OutboxSettings
    package var privacy: PrivacySettings
    package var commands: CommandSettings
    package var health: HealthSettings
    /// `nil` where this machine is no site and joins no gateways.
    package var site: SiteSettings?
    /// `nil` without messages for Home Assistant.
    package var homeAssistant: HomeAssistantSettings?
    /// `nil` without messages for OwnTracks.
    package var ownTracks: OwnTracksSettings?
    /// `nil` where this machine does not advertise.
    package var advertise: AdvertiseSettings?
    /// `nil` where recent events are not kept.
    package var capture: CaptureSettings?
    package var log: LogSettings
    package var fleet: FleetSettings
    /// The version and digest of the settings in effect; `nil` before they are computed.
    package var inEffect: SettingsInEffect?
}

/// The settings of the engine: adapters, tracking, distances, regions, ranging and location.
package struct GatewaySettings: Hashable, Sendable {
    /// An adapter that listens, and the correction of its RSSI.
    package struct ListeningAdapter: Hashable, Sendable {
        package var adapter: RadioSettings.Adapter
        /// The offset added to each RSSI before smoothing, dB.
        package var rssiOffset_db: Double
    }

    /// The adapters in the order of `RadioSettings.adapters`. A report names its adapter by this index.
    package var adapters: [ListeningAdapter]
    package var tracker: TrackerSettings
    package var distance: DistanceSettings
    package var regions: RegionSettings
    package var ranging: RangingSettings
    /// `nil` without `[beacons]`.
    package var beacons: BeaconListSettings?
    /// `nil` without `[location]`.
    package var location: LocationSettings?
    package var countsPeople: Bool { regions.beacons.contains(where: \.isOfPeople) }
    /// True if a secret of the store lets it join the counts of regions of people.
    var sharesPeople = false
}

/// `[regions]` and every `[[region]]`: the configured regions, and the rules of requested ones.
package struct RegionSettings: Hashable, Sendable {
    /// The rules that hold where a region has none of its own.
    var rules: RegionRules
    var limits: RegionLimits
    /// The most octets of a requested region's id, so that brokers accept its topics.
    var maxRequestedID_bytes: Int
    /// The regions of the file, in its order.
    package var configured: [MonitoredRegion]

    /// The regions of beacons among them. Setting it puts them before the other kinds.
    package var beacons: [BeaconRegion] {
        get {
            configured.compactMap { region in
                if case .beacon(let region) = region { region } else { nil }
            }
        }
        set { configured = newValue.map { .beacon($0) } + configured.filter { $0.kind != .beacon } }
    }
}

extension Settings {
    /// The errors of tables set over MQTT that ask for more regions than are monitored; `nil` without such tables, or where all are.
    ///
    /// A file with too many regions keeps its gateway running with the first ones. An operator who publishes tables learns it at once.
    package func excess(of tables: [String: DocumentValue]) -> ConfigurationErrors? {
        let (count, limit) = (gateway.regions.configured.count, gateway.regions.limits.maxRegions)
        guard count > limit, tables["region"] != nil || tables["regions"] != nil else { return nil }
        return ConfigurationErrors(
            ConfigurationError(
                key: "regions.max_regions", value: "\(limit)",
                requirement:
                    "must be at least \(count), the number of [[region]] tables: the others would not be monitored"))
    }
}

extension RegionSettings {
    /// Reads a region that a request defines. Its keys and limits are those of a `[[region]]`, and `[regions]` gives
    /// the missing values.
    ///
    /// - Throws: all errors. An id that the file uses is an error too.
    package func region(_ definition: RegionDefinition) throws(ConfigurationErrors) -> MonitoredRegion {
        let table = Tables.known.region
        var reader = TableReader(
            path: table.reference.name, table: table.reference, entries: definition.entries)
        var taken = Set(configured.map(\.id))
        let region = table.keys.read(&reader, rules: rules, taken: &taken)
        if let id = region?.id, id.utf8.count > maxRequestedID_bytes {
            reader.refuse(
                table.keys.id, id,
                "must have at most \(max(0, maxRequestedID_bytes)) bytes here, so that its topics have at most "
                    + "\(TopicName.maxTopic_bytes), which is what brokers take")
        }
        if case .beacon(let beacons)? = region, let why = refusal(ofRequested: beacons) {
            let keys = table.keys.own.beacons
            if beacons.isOfPeople {
                reader.refuse(keys.people, true, why)
            } else {
                reader.refuse(keys.uuid, beacons.uuid, why)
            }
        }
        guard let region, reader.errors.isEmpty else { throw ConfigurationErrors(reader.errors) }
        return region
    }
}
