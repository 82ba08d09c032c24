/// Describes the device and the entities of a gateway, or of a store, to Home Assistant. The entities read the
/// gateway's own messages.
package struct HomeAssistantDiscovery: Sendable {
    /// The owner of the entities.
    package enum Kind: Hashable, Sendable {
        case gateway
        /// Several gateways joined.
        case store
    }

    package enum Place: Hashable, Sendable {
        case unpublished
        case fixed
        case moving
    }

    /// The first levels of discovery topics.
    package let prefix: String
    /// The node level of each discovery topic.
    private let node: String
    let topics: TopicTree
    private let kind: Kind
    private let place: Place
    private let expanded: [ExpandedRegion]
    /// `nil` where no list of beacons is published.
    let lists: BeaconListSettings?
    /// The UUIDs of the regions that have an instance for each beacon, by id.
    let uuids: [String: ProximityUUID]
    private let device: HomeAssistantDevice

    /// - Parameter prefix: the first levels of discovery topics; Home Assistant's default is `homeassistant`.
    package init(
        prefix: String, topics: TopicTree, kind: Kind, place: Place, expanded: [ExpandedRegion] = [],
        lists: BeaconListSettings? = nil, version: String
    ) {
        self.expanded = expanded
        self.lists = lists
        uuids = Dictionary(
            expanded.lazy.filter { $0.levels == 2 }.map { ($0.id, $0.uuid) }, uniquingKeysWith: { first, _ in first })
        self.prefix = prefix
        self.topics = topics
        self.kind = kind
        self.place = place
        node = HomeAssistantName.level(HomeAssistantDevice.maker + "/" + topics.root)
        device = HomeAssistantDevice(
            id: HomeAssistantDevice.maker + "/" + topics.root,
            name: kind == .store ? "Store \(topics.site)" : "Gateway \(topics.gateway)",
            model: kind == .store ? "Store of several gateways" : "iBeacon gateway", area: topics.site,
            version: version, statusTopic: topics.status)
    }

    /// The descriptions of the entities that do not depend on regions.
    package var introduction: [Message] { (status + health + location + expandedEvents).map(message) }

    /// Returns whether that gateway, or store, describes its entities on a topic.
    package static func describes(_ topic: String, _ topics: TopicTree) -> Bool {
        let node = HomeAssistantName.level(HomeAssistantDevice.maker + "/" + topics.root)
        let levels = topic.split(separator: "/")
        return levels.count > 3 && levels[levels.count - 3] == node && levels.last == "config"
    }

    /// Returns the descriptions of one region's entities.
    ///
    /// - Parameter isCounted: whether its beacons are listed: not where the region has none, nor where ranging is off.
    package func introduction(of instance: RegionInstanceID, isCounted: Bool) -> [Message] {
        entities(of: instance, isCounted: isCounted).map(message)
    }

    /// Returns every topic on which an entity of that region may have been described.
    package func topics(of instance: RegionInstanceID) -> [String] {
        entities(of: instance, isCounted: true).map { $0.topic(prefix: prefix, node: node) }
    }

    private func message(_ entity: HomeAssistantEntity) -> Message {
        var json = JSONWriter()
        entity.write(to: &json, of: device)
        return Message(topic: entity.topic(prefix: prefix, node: node), payload: json.finish(), .retained)
    }
}

// MARK: - Entities

extension HomeAssistantDiscovery {
    private var status: [HomeAssistantEntity] {
        let radio = RadioAvailability.allCases.map(\.rawValue) + [CoveredRadio.replay.word]
        return [
            HomeAssistantEntity(
                component: .binarySensor, key: "online", name: "Connection", topic: topics.status,
                template: "{{ 'ON' if value_json.state == 'online' else 'OFF' }}", deviceClass: "connectivity",
                isDiagnostic: true, needs: .nothing),
            HomeAssistantEntity(
                component: .sensor, key: "radio", name: "Radio", topic: topics.status,
                template: "{{ value_json.radio }}",
                attributesTemplate: "{{ {'remedy': value_json.remedy} | tojson }}", deviceClass: "enum",
                icon: "mdi:bluetooth", words: radio, isDiagnostic: true),
        ]
    }

    private var health: [HomeAssistantEntity] {
        let common = [
            figure("tracks", "Beacons", "value_json.tracks", icon: "mdi:bluetooth-audio", needs: .radio),
            diagnosis("queue_depth", "Events waiting", icon: "mdi:tray-full"),
            problem("clock", "Clock", where: "value_json.clock != 'synced'"),
            problem("outbox", "Disk", where: "value_json.outbox"),
            diagnosis("rss_kib", "Memory", deviceClass: "data_size", unit: "KiB"),
            diagnosis("cpu_percent", "Processor", unit: "%", icon: "mdi:cpu-64-bit"),
            diagnosis("uptime_s", "Uptime", deviceClass: "duration", unit: "s", isShown: false),
        ]
        switch kind {
        case .gateway:
            return common + [
                diagnosis("reports_per_s", "Advertising reports", unit: "1/s", icon: "mdi:radio-tower"),
                problem(
                    "suspected_spoofing", "Suspected spoofing", where: "value_json.suspected_spoofing",
                    attributes: "suspected_spoofing"),
            ]
        case .store:
            let gateways = "value_json.gateways"
            return common + [
                figure(
                    "gateways", "Gateways that hear",
                    "\(gateways) | selectattr('hearing', 'eq', '\(StoreFigures.Hearing.hears.rawValue)') | list | count",
                    icon: "mdi:router-wireless", attributes: "gateways", isDiagnostic: true)
            ]
        }
    }

    private var location: [HomeAssistantEntity] {
        let availability = HomeAssistantEntity(
            component: .sensor, key: "location", name: "Receiver", topic: topics.status,
            template: "{{ value_json.location.availability }}",
            attributesTemplate: "{{ value_json.location | tojson }}", deviceClass: "enum",
            icon: "mdi:crosshairs-gps", words: LocationAvailability.allCases.map(\.rawValue), isDiagnostic: true)
        let tracker = HomeAssistantEntity(
            component: .deviceTracker, key: "place", name: "Place", topic: topics.topic(.gateway(.location)),
            attributesTemplate:
                "{{ dict(value_json.fix, gps_accuracy=[value_json.fix.horizontal_accuracy_m | round(0, 'ceil') | int, 1] | max,"
                + " age_s=value_json.age_s) | tojson }}")
        switch place {
        case .unpublished: return []
        case .fixed: return [availability]
        case .moving: return [availability, tracker]
        }
    }

    /// The events of all instances of an expanded region together. Home Assistant subscribes to an instance's own topic
    /// only after its first event.
    private var expandedEvents: [HomeAssistantEntity] {
        expanded.map { region in
            let levels = String(repeating: "/+", count: region.levels)
            return lastEvent(
                key: HomeAssistantName.level("region/" + region.id), region.id,
                topic: topics.root + "/region/" + region.id + levels + "/" + MessageKind.event.rawValue)
        }
    }

    private func lastEvent(key: String, _ name: String, topic: String) -> HomeAssistantEntity {
        HomeAssistantEntity(
            component: .event, key: key, name: name + " last event", topic: topic,
            template: "{{ dict(value_json, event_type=value_json.type) | tojson }}", icon: "mdi:location-enter",
            words: ["enter", "exit"])
    }

    private func entities(of instance: RegionInstanceID, isCounted: Bool) -> [HomeAssistantEntity] {
        // No entity of the device itself has such a key.
        let (key, name) = (HomeAssistantName.level("region/" + instance.levels), instance.spokenName)
        let occupancy = HomeAssistantEntity(
            component: .binarySensor, key: key, name: name, topic: topics.state(instance),
            template: "{{ {'inside': 'ON', 'outside': 'OFF'}.get(value_json.state, 'None') }}",
            attributesTemplate: "{{ {'since': value_json.since} | tojson }}", deviceClass: "occupancy")
        let event = lastEvent(key: key, name, topic: topics.event(instance))
        // A zone has no list of beacons.
        guard isCounted, instance.zone == nil else { return [occupancy, event] + ofBeacon(instance) }
        let count = HomeAssistantEntity(
            component: .sensor, key: key, name: name + " count", topic: topics.ranging(instance),
            template: "{{ value_json.count }}", unit: "beacons", icon: "mdi:counter", isMeasurement: true, needs: .radio
        )
        return [occupancy, event, count] + ofBeacon(instance)
    }

    private func figure(
        _ key: String, _ name: String, _ value: String, icon: String, attributes: String? = nil,
        isDiagnostic: Bool = false, needs: HomeAssistantEntity.Need = .gateway
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            component: .sensor, key: key, name: name, topic: topics.health, template: "{{ \(value) }}",
            attributesTemplate: attributes.map { "{{ {'\($0)': value_json.\($0)} | tojson }}" }, icon: icon,
            isMeasurement: true, isDiagnostic: isDiagnostic, needs: needs)
    }

    /// Returns an entity for a figure of `health`. Some machines do not have every figure.
    private func diagnosis(
        _ key: String, _ name: String, deviceClass: String? = nil, unit: String? = nil, icon: String? = nil,
        isShown: Bool = true
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            component: .sensor, key: key, name: name, topic: topics.health,
            template: "{{ value_json.\(key) | default('None') }}", deviceClass: deviceClass, unit: unit, icon: icon,
            isMeasurement: true, isDiagnostic: true, isShown: isShown)
    }

    private func problem(
        _ key: String, _ name: String, where condition: String, attributes: String? = nil
    ) -> HomeAssistantEntity {
        HomeAssistantEntity(
            component: .binarySensor, key: key, name: name, topic: topics.health,
            template: "{{ 'ON' if \(condition) else 'OFF' }}",
            attributesTemplate: attributes.map { "{{ {'\($0)': value_json.\($0)} | tojson }}" },
            deviceClass: "problem", isDiagnostic: true)
    }
}

extension RegionInstanceID {
    /// The spoken name: `carts`, `carts 2/1`, `carts 2/1 in entrance`.
    var spokenName: String {
        let numbers = [major, minor].compactMap { $0.map { String($0) } }.joined(separator: "/")
        let beacons = numbers.isEmpty ? region : region + " " + numbers
        return zone.map { beacons + " in " + $0 } ?? beacons
    }
}
