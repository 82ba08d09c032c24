import Beacons
import Messages
import Regions

/// Goes through the document table by table and collects what is wrong.
struct SettingsReader {
    private let root: [String: TOMLNode]
    private(set) var errors = ErrorList()

    init(root: [String: TOMLNode]) {
        self.root = root
    }

    /// Always whole: what is wrong or missing is replaced by its default. It counts only if `errors` is empty.
    mutating func read() -> Settings {
        let gateway = section(GatewaySection.table, GatewaySection.read)
        let (radio, receivers, maxTransmitters) = section(RadioSection.table, RadioSection.read)
        let rotation = section(RotationSection.table, RotationSection.read)
        let smoothing = section(SmoothingSection.table, SmoothingSection.read)
        let distance = section(DistanceSection.table, DistanceSection.read)
        let (rules, regionLimits) = section(RegionsSection.table, RegionsSection.read)
        var ids: Set<String> = []
        let regions = sections(RegionSection.table, limit: .max) { reader in
            RegionSection.read(&reader, rules: rules, taken: &ids)
        }
        let ranging = section(RangingSection.table, RangingSection.read)
        var known: [KnownDevice] = []
        let devices = sections(DeviceSection.table, limit: DeviceSection.maxDevices) { reader in
            DeviceSection.read(&reader, taken: &known)
        }
        let (prefix, broker) = section(MQTTSection.table, MQTTSection.read)
        let settings = Settings(
            identity: IdentitySettings(prefix: prefix, site: gateway.site, id: gateway.id), radio: radio,
            gateway: GatewaySettings(
                receivers: receivers,
                tracker: TrackerSettings(
                    maxTransmitters: maxTransmitters, unknownAfter: rotation.unknownAfter,
                    resolveAfter: rotation.resolveAfter, distanceFilter: smoothing.distance,
                    regionFilter: smoothing.region, devices: devices),
                distance: distance, regions: RegionSettings(rules: rules, limits: regionLimits, configured: regions),
                ranging: ranging),
            broker: broker,
            outbox: section(OutboxSection.table) { reader in
                OutboxSection.read(&reader, stateDirectory: gateway.stateDirectory)
            },
            privacy: section(PrivacySection.table, PrivacySection.read),
            commands: section(CommandsSection.table, CommandsSection.read),
            health: section(HealthSection.table, HealthSection.read),
            advertise: section(AdvertiseSection.table, AdvertiseSection.read),
            capture: section(CaptureSection.table) { reader in
                CaptureSection.read(&reader, stateDirectory: gateway.stateDirectory)
            },
            log: section(LogSection.table, LogSection.read))
        refuseLongTopics(settings.identity)
        refuseUnknownTables()
        return settings
    }

    /// Site and id are short by their own rules, so it is always the prefix that is too long. An id that is left out is counted
    /// as the longest.
    private mutating func refuseLongTopics(_ identity: IdentitySettings) {
        let id = identity.id ?? String(repeating: "x", count: TopicName.maxLevel_bytes)
        let tree = TopicTree(prefix: identity.prefix, site: identity.site, gateway: id)
        let (bytes, levels) = tree.excess
        let limits = [("bytes", TopicName.maxTopic_bytes, bytes), ("levels", TopicName.maxLevels, levels)]
        for (unit, limit, excess) in limits where excess > 0 {
            refuse(
                "mqtt.prefix", .string(identity.prefix),
                "with gateway.site, gateway.id and what the agent appends, topics get up to \(limit + excess) \(unit), and brokers"
                    + " refuse more than \(limit): shorten it by \(excess) \(unit)")
        }
    }

    /// A table that stands at most once.
    private mutating func section<Value>(_ table: ReferenceTable, _ read: (inout TableReader) -> Value) -> Value {
        var entries: [String: TOMLNode] = [:]
        switch root[table.name] {
        case nil: break
        case .table(let found): entries = found
        case .some(let node):
            errors.note(
                ConfigurationError(
                    key: table.name, value: node.text,
                    requirement: "must be one table, \(table.heading), not \(node.kind)"))
        }
        var reader = TableReader(path: table.name, table: table, entries: entries)
        let value = read(&reader)
        errors += reader.errors
        return value
    }

    /// A table in double brackets, counted from 1.
    private mutating func sections<Value>(
        _ table: ReferenceTable, limit: Int, _ read: (inout TableReader) -> Value?
    ) -> [Value] {
        guard let node = root[table.name] else { return [] }
        guard case .array(let nodes) = node else {
            refuse(
                table.name, node, "must be written with double brackets, \(table.heading), once for each \(table.name)")
            return []
        }
        if nodes.count > limit { refuse(table.name, node, "there are \(nodes.count); at most \(limit) are allowed") }
        var values: [Value] = []
        for (offset, node) in nodes.prefix(limit).enumerated() {
            let path = "\(table.name)[\(offset + 1)]"
            guard case .table(let entries) = node else {
                refuse(path, node, "must be a table, \(table.heading), not \(node.kind)")
                continue
            }
            var reader = TableReader(path: path, table: table, entries: entries)
            if let value = read(&reader) { values.append(value) }
            errors += reader.errors
        }
        return values
    }

    private mutating func refuseUnknownTables() {
        let known = ConfigurationReference.tables.map(\.name)
        for name in root.keys.sorted() where !known.contains(name) {
            guard let node = root[name] else { continue }
            refuse(
                ConfigurationReference.path(name), Suggestion.mayBeSecret(name) ? nil : node, Suggestion.forTable(name))
        }
    }

    private mutating func refuse(_ key: String, _ node: TOMLNode?, _ requirement: @autoclosure () -> String) {
        errors.note(ConfigurationError(key: key, value: node?.text, requirement: requirement()))
    }
}
