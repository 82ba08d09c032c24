/// The entities of one beacon: its battery, and when it was last heard. They read the gateway's list of beacons.
extension HomeAssistantDiscovery {
    /// An expanded region, with an instance for each major, or each major and minor, that is heard.
    package struct ExpandedRegion: Hashable, Sendable {
        var id: String
        /// The number of topic levels that distinguish its instances: 1 or 2.
        var levels: Int
        var uuid: ProximityUUID

        package init(id: String, levels: Int, uuid: ProximityUUID) {
            self.id = id
            self.levels = levels
            self.uuid = uuid
        }
    }

    /// The entities of an instance that is one beacon; none where the gateway lists no beacons.
    func ofBeacon(_ instance: RegionInstanceID) -> [HomeAssistantEntity] {
        guard let lists, case .minor(let major, let minor) = instance.discriminator, instance.zone == nil,
            let uuid = uuids[instance.region]
        else { return [] }
        let identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
        let heard = entity(
            "heard", " last heard", of: instance,
            template: "{% set found = \(Self.values("last_heard_at", of: identity)) | list %}"
                + "{{ found | first if found else \(Self.unchanged) }}",
            deviceClass: "timestamp")
        guard lists.readsTelemetry else { return [heard] }
        // Home Assistant ignores an empty text for a number.
        let battery = entity(
            "battery", " battery", of: instance,
            template: "{{ \(Self.values("battery_percent", of: identity)) | select('defined') | first | default('') }}",
            deviceClass: "battery", unit: "%")
        return [heard, battery]
    }

    private func entity(
        _ word: String, _ name: String, of instance: RegionInstanceID, template: String, deviceClass: String,
        unit: String? = nil
    ) -> HomeAssistantEntity {
        // No region's key begins with another word than `region`, and no key of the device has a slash.
        HomeAssistantEntity(
            component: .sensor, key: HomeAssistantName.level(word + "/" + instance.levels),
            name: instance.spokenName + name, topic: topics.root + "/" + MessageKind.beacons.rawValue + "/+",
            template: template, deviceClass: deviceClass, unit: unit, isMeasurement: unit != nil)
    }

    /// An expression that fails. Home Assistant then leaves the state as it is. An empty text would make a time unknown,
    /// and a warning in its log.
    private static let unchanged = "[0] | map('leave_unchanged') | first"

    /// Jinja for the values of a field of that beacon: at most one, and none where the page does not have the beacon. A
    /// page that is cleared has no JSON.
    private static func values(_ field: String, of identity: BeaconIdentity) -> String {
        "(value_json.beacons if value_json is defined else [])"
            + " | selectattr('uuid', 'eq', '\(identity.uuid)') | selectattr('major', 'eq', \(identity.major))"
            + " | selectattr('minor', 'eq', \(identity.minor)) | map(attribute='\(field)')"
    }
}
