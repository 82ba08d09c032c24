/// Reads the document table by table, and collects errors.
struct SettingsReader {
    private let root: [String: DocumentValue]
    private(set) var errors = ErrorList()
    /// The tables in effect; `nil` where they are not recorded.
    private(set) var effective: EffectiveConfiguration?
    private let certificate: CertificateIdentity?

    /// - Parameters:
    ///   - certificate: reads the identity from the certificate; `nil` where the caller needs no topics.
    ///   - isRecording: whether to record the values in effect, defaults included.
    init(root: [String: DocumentValue], certificate: CertificateIdentity? = nil, isRecording: Bool = false) {
        self.root = root
        self.certificate = certificate
        effective = isRecording ? EffectiveConfiguration() : nil
    }

    /// Returns complete settings: wrong or missing values are replaced by defaults. The settings are valid only if
    /// `errors` is empty.
    mutating func read() -> Settings {
        let tables = Tables.known
        let gateway = section(tables.gateway) { $0.read(&$1) }
        let (radio, adapters, maxTransmitters) = section(tables.radio) { $0.read(&$1) }
        let rotation = section(tables.rotation) { $0.read(&$1) }
        let smoothing = section(tables.smoothing) { $0.read(&$1) }
        let distance = section(tables.distance) { $0.read(&$1) }
        let (rules, regionLimits) = section(tables.regions) { $0.read(&$1) }
        var ids: Set<String> = []
        let regions = sections(tables.region) { $0.read(&$1, rules: rules, taken: &ids) }
        let ranging = section(tables.ranging) { $0.read(&$1) }
        var known: [KnownDevice] = []
        let devices = sections(tables.device, limit: DeviceTable.maxDevices) { $0.read(&$1, taken: &known) }
        let beacons = sectionIfThere(tables.beacons) { $0.read(&$1) }
        // Without the table, the status has no location at all.
        let location = sectionIfThere(tables.location) { $0.read(&$1) }
        var (prefix, broker) = section(tables.mqtt) { $0.read(&$1) }
        let identity = identity(gateway, prefix, certificateFile: broker.certificateFile)
        if identity.source == .certificate, let id = identity.id { broker.certificateName = "\(identity.site)/\(id)" }
        var settings = Settings(
            identity: identity, radio: radio,
            receiver: sectionIfThere(tables.receiver) { $0.read(&$1, broker: broker, prefix: prefix) } ?? nil,
            gateway: GatewaySettings(
                adapters: adapters,
                tracker: TrackerSettings(
                    maxTransmitters: maxTransmitters, unknownAfter: rotation.unknownAfter,
                    resolveAfter: rotation.resolveAfter, distanceFilter: smoothing.distance,
                    regionFilter: smoothing.region, devices: devices),
                distance: distance,
                regions: RegionSettings(
                    rules: rules, limits: regionLimits,
                    maxRequestedID_bytes: Self.topics(identity).regionRoom_bytes(isExpanded: true), configured: regions),
                ranging: ranging, beacons: beacons, location: location),
            broker: broker,
            outbox: section(tables.outbox) { $0.read(&$1, stateDirectory: gateway.stateDirectory) },
            privacy: section(tables.privacy) { $0.read(&$1) },
            commands: section(tables.commands) { $0.read(&$1) },
            health: section(tables.health) { $0.read(&$1) }, site: site(store: identity.site),
            homeAssistant: sectionIfThere(tables.homeAssistant) { $0.read(&$1) },
            ownTracks: section(tables.ownTracks) { $0.read(&$1) },
            advertise: section(tables.advertise) { $0.read(&$1) },
            capture: section(tables.capture) { $0.read(&$1, stateDirectory: gateway.stateDirectory) },
            log: section(tables.log) { $0.read(&$1) }, fleet: section(tables.fleet) { $0.read(&$1) })
        settings.gateway.sharesPeople =
            settings.privacy.siteKeyFile != nil && settings.gateway.countsPeople
        refuseLongTopics(settings)
        refuseOwnTopics(settings)
        for error in settings.conflictsOfPeople(number: numberOfRegion) { errors.record(error) }
        refuseUnknownTables()
        return settings
    }

    /// Returns the identity of the file or, where the file says so, that of the certificate.
    ///
    /// A key beside the certificate must say nothing else. The defaults, which the default file spells out, say nothing.
    private mutating func identity(
        _ gateway: GatewayTable.Values, _ prefix: String, certificateFile: String
    ) -> IdentitySettings {
        var identity = IdentitySettings(prefix: prefix, site: gateway.site, id: gateway.id, source: gateway.source)
        guard gateway.source == .certificate, let certificate else { return identity }
        do throws(ConfigurationError) {
            let name = try certificate.name(in: certificateFile)
            let keys = Tables.known.gateway.keys
            let full = "\(name.site)/\(name.id)".quoted
            let requirement = "must be the same as in the certificate, whose common name is \(full): delete the key"
            if gateway.site != keys.site.defaultValue, gateway.site != name.site {
                refuse("gateway.site", .string(gateway.site), requirement)
            }
            if let id = gateway.id, id != name.id { refuse("gateway.id", .string(id), requirement) }
            (identity.site, identity.id) = (name.site, name.id)
        } catch {
            errors.record(error)
        }
        return identity
    }

    /// Returns `nil` where the file has no site: then this machine joins no gateways.
    private mutating func site(store: String) -> SiteSettings? {
        var taken: Set<String> = []
        var site = section(Tables.known.site) { $0.read(&$1, store: store) }
        site.gateways = sections(Tables.known.siteGateway, limit: SiteSettings.maxGateways) {
            $0.read(&$1, taken: &taken)
        }
        return root[SiteTable.tableName] == nil ? nil : site
    }

    /// Returns the number of the `[[region]]` with an id, from 1.
    private func numberOfRegion(_ id: String) -> Int {
        guard case .array(let nodes)? = root[RegionTable.tableName] else { return 1 }
        let index = nodes.firstIndex { node in
            if case .object(let entries) = node, case .string(id)? = entries["id"] { true } else { false }
        }
        return (index ?? 0) + 1
    }

    /// Returns the node of a table: `site.gateway` is inside `site`.
    private func node(of table: ReferenceTable) -> DocumentValue? {
        guard let dot = table.name.firstIndex(of: ".") else { return root[table.name] }
        guard case .object(let outer)? = root[String(table.name[..<dot])] else { return nil }
        return outer[String(table.name[dot...].dropFirst())]
    }

    /// Returns the keys of a table without the tables inside it.
    private func keys(of table: ReferenceTable, in entries: [String: DocumentValue]) -> [String: DocumentValue] {
        let inner = ConfigurationReference.tables.map(\.name).filter { $0.hasPrefix(table.name + ".") }
        return entries.filter { !inner.contains(table.name + "." + $0.key) }
    }

    /// Returns the gateway's topics. A missing id counts as the longest host name.
    private static func topics(_ identity: IdentitySettings) -> TopicTree {
        let id = identity.id ?? String(repeating: "x", count: TopicName.maxHostName_bytes)
        return TopicTree(prefix: identity.prefix, site: identity.site, gateway: id)
    }

    /// Refuses topics longer than brokers accept. The error names the prefix where even topics without a region are too
    /// long, otherwise the region.
    private mutating func refuseLongTopics(_ settings: Settings) {
        let tree = Self.topics(settings.identity)
        let excess = tree.excess_bytes
        if excess > 0, settings.identity.source == .certificate {
            return refuse(
                "mqtt.cert_file", .string(settings.broker.certificateFile),
                "with its common name, \("\(tree.site)/\(tree.gateway)".quoted), topics get up to "
                    + "\(TopicName.maxTopic_bytes + excess) bytes, and brokers refuse more than "
                    + "\(TopicName.maxTopic_bytes): shorten it or mqtt.prefix by \(excess) bytes")
        }
        if excess > 0 {
            return refuse(
                "mqtt.prefix", .string(settings.identity.prefix),
                "with gateway.site, gateway.id and what the agent appends, topics get up to \(TopicName.maxTopic_bytes + excess) bytes,"
                    + " and brokers refuse more than \(TopicName.maxTopic_bytes): shorten it by \(excess) bytes")
        }
        let expanded = Set(settings.gateway.regions.beacons.filter { $0.expansion != .none }.map(\.id))
        refuseLong("region", "id") { id in tree.regionRoom_bytes(isExpanded: expanded.contains(id)) - id.utf8.count }
        guard let site = settings.site else { return }
        let store = settings.topics(of: site)
        let longestRegion = site.regions.map(\.utf8.count).max() ?? 1
        refuseLong("site.gateway", "zone") { zone in
            store.regionRoom_bytes(isExpanded: true, zone: zone) - longestRegion
        }
    }

    /// Refuses each name in a table in double brackets that makes a topic too long.
    ///
    /// - Parameter room: returns the octets left, negative where a topic is too long.
    private mutating func refuseLong(_ table: String, _ key: String, room: (String) -> Int) {
        let known = ConfigurationReference.tables.first { $0.name == table }
        guard let known, case .array(let nodes)? = node(of: known) else { return }
        for (offset, node) in nodes.enumerated() {
            guard case .object(let entries) = node, case .string(let name)? = entries[key] else { continue }
            let excess = -room(name)
            guard TopicName.isLevel(name), excess > 0 else { continue }
            refuse(
                "\(table)[\(offset + 1)].\(key)", .string(name),
                "topics with it get up to \(TopicName.maxTopic_bytes + excess) bytes, and brokers refuse more than "
                    + "\(TopicName.maxTopic_bytes): shorten it, gateway.site, gateway.id or mqtt.prefix by \(excess) bytes"
            )
        }
    }

    /// Reads a table that is there at most once.
    private mutating func section<Keys, Value>(
        _ entry: Tables.Entry<Keys>, _ read: (Keys, inout TableReader) -> Value
    ) -> Value {
        let table = entry.reference
        var entries: [String: DocumentValue] = [:]
        switch node(of: table) {
        case nil: break
        case .object(let found): entries = keys(of: table, in: found)
        case .some(let node):
            errors.record(
                ConfigurationError(
                    key: table.name, value: node.text,
                    requirement: "must be one table, \(table.heading), not \(node.tomlKind)"))
        }
        var reader = TableReader(
            path: table.name, table: table, entries: entries, isRecording: effective != nil)
        let value = read(entry.keys, &reader)
        record(reader, of: table)
        return value
    }

    private mutating func record(_ reader: TableReader, of table: ReferenceTable) {
        errors += reader.errors
        let isWritten = node(of: table) != nil
        effective?.add(reader.effective, of: table, isWritten: isWritten)
    }

    /// Reads a table that turns a feature on by its presence.
    private mutating func sectionIfThere<Keys: SettingsTable, Value>(
        _ entry: Tables.Entry<Keys>, _ read: (Keys, inout TableReader) -> Value
    ) -> Value? {
        switch root[Keys.tableName] {
        case nil: return nil
        case .object: return section(entry, read)
        case .some:
            // No table: its kind is the one error.
            section(entry) { _, _ in }
            return nil
        }
    }

    /// Reads the tables in double brackets, counted from 1.
    private mutating func sections<Keys, Value>(
        _ entry: Tables.Entry<Keys>, limit: Int = .max, _ read: (Keys, inout TableReader) -> Value?
    ) -> [Value] {
        let table = entry.reference
        guard let node = node(of: table) else { return [] }
        guard case .array(let nodes) = node else {
            refuse(
                table.name, node, "must be written with double brackets, \(table.heading), once for each \(table.name)")
            return []
        }
        if nodes.count > limit { refuse(table.name, node, "there are \(nodes.count); at most \(limit) are allowed") }
        var values: [Value] = []
        for (offset, node) in nodes.prefix(limit).enumerated() {
            let path = "\(table.name)[\(offset + 1)]"
            guard case .object(let entries) = node else {
                refuse(path, table.hasSecrets ? nil : node, "must be a table, \(table.heading), not \(node.tomlKind)")
                continue
            }
            var reader = TableReader(path: path, table: table, entries: entries, isRecording: effective != nil)
            if let value = read(entry.keys, &reader) { values.append(value) }
            record(reader, of: table)
        }
        return values
    }

    private mutating func refuseUnknownTables() {
        let known = ConfigurationReference.tables.map(\.name).filter { !$0.contains(".") }
        for name in root.keys.sorted() where !known.contains(name) {
            guard let node = root[name] else { continue }
            refuse(
                ConfigurationReference.path(name), Suggestion.mayBeSecret(name) ? nil : node, Suggestion.forTable(name))
        }
    }

    /// Refuses topics of other formats that would overwrite the gateway's own messages.
    private mutating func refuseOwnTopics(_ settings: Settings) {
        let reported = [
            ("homeassistant.discovery_prefix", settings.homeAssistant?.discoveryPrefix),
            ("owntracks.topic", settings.ownTracks?.topic),
        ]
        for (key, topic) in reported {
            guard let topic, (topic + "/").hasPrefix(settings.identity.prefix + "/") else { continue }
            refuse(key, .string(topic), "must not be below mqtt.prefix: there the gateway's own messages are")
        }
    }

    private mutating func refuse(_ key: String, _ node: DocumentValue?, _ requirement: @autoclosure () -> String) {
        errors.record(ConfigurationError(key: key, value: node?.text, requirement: requirement()))
    }
}
