// Regions of people: what may not stand beside them. A region without `people` that matches the same beacons would publish who they are.

extension RegionSettings {
    /// The first region that may contain a beacon of a region of people, for each such region. The difference between two counts
    /// would tell of few, so two regions of people must not share beacons either.
    var sharedPeople: [(people: BeaconRegion, other: BeaconRegion)] {
        let beacons = beacons
        let people = beacons.filter(\.isOfPeople)
        if people.isEmpty { return [] }
        // A region of people has no minor. So counts by UUID and major find an overlap without comparing all pairs.
        var known: [Values: Int] = [:]
        var inUUID: [ProximityUUID: Int] = [:]
        for region in beacons {
            known[Values(uuid: region.uuid, major: region.major), default: 0] += 1
            inUUID[region.uuid, default: 0] += 1
        }
        return people.compactMap { region in
            let same = known[Values(uuid: region.uuid, major: region.major)] ?? 0
            let matching =
                region.major == nil
                ? inUUID[region.uuid] ?? 0 : same + (known[Values(uuid: region.uuid, major: nil)] ?? 0)
            guard matching > 1 else { return nil }
            return beacons.first { $0.id != region.id && $0.overlaps(region) }.map { (region, $0) }
        }
    }

    private struct Values: Hashable {
        var uuid: ProximityUUID
        var major: UInt16?
    }

    /// Returns why a request must not register a region; `nil` where it may.
    func refusal(ofRequested region: BeaconRegion) -> String? {
        if region.isOfPeople { return "must be false in a request: a region of people stands in the configuration" }
        guard let people = beacons.first(where: { $0.isOfPeople && $0.overlaps(region) }) else { return nil }
        return Self.requirement(sharing: people.id)
    }

    /// Returns the requirement that a region breaks by containing beacons of a region of people.
    static func requirement(sharing people: String) -> String {
        "must not match beacons of region \(people.quoted), which are people: no other region may contain them"
    }
}

extension Settings {
    /// The errors of tables over MQTT that would publish more about people than the gateway's own file.
    ///
    /// - Parameter own: the settings of the file.
    func exposures(of own: Settings) -> [ConfigurationError] {
        let people = own.gateway.regions.beacons.filter(\.isOfPeople)
        let errors = people.compactMap { own -> ConfigurationError? in
            let isKept = gateway.regions.beacons.contains { region in
                region.isOfPeople && region.id == own.id && region.uuid == own.uuid
                    && (region.major == nil || region.major == own.major) && region.expansion == own.expansion
                    && region.rules.countsNoLess(than: own.rules)
            }
            guard !isKept else { return nil }
            return ConfigurationError(
                key: RegionTable.tableName, value: nil,
                requirement:
                    "must keep region \(own.id.quoted) with people = true, its expand and its keys, and a count_minimum "
                    + "that is not below its own: " + Self.onlyInFile)
        }
        return people.isEmpty ? [] : errors + exposures(byLimits: own) + exposures(byRadio: own)
    }

    private static let onlyInFile = "only config.toml of the gateway may publish more about its people"

    /// The errors of tables that decide how well a person is heard: a radio that listens rarely makes many visits of one.
    private func exposures(byRadio own: Settings) -> [ConfigurationError] {
        var tracker = gateway.tracker
        tracker.maxTransmitters = own.gateway.tracker.maxTransmitters
        let kept = [
            (RadioTable.tableName, radio == own.radio && gateway.adapters == own.gateway.adapters),
            ("rotation and smoothing", tracker == own.gateway.tracker),
        ]
        return kept.filter { !$0.1 }.map { table, _ in
            ConfigurationError(
                key: table, value: nil,
                requirement: "must be as in the file beside a region of people: " + Self.onlyInFile)
        }
    }

    /// The errors of limits below those of the file: a limit that people reach shows in `health`.
    private func exposures(byLimits own: Settings) -> [ConfigurationError] {
        let (limits, most) = (gateway.regions.limits, own.gateway.regions.limits)
        let compared = [
            ("regions.max_instances", limits.maxInstances, most.maxInstances),
            ("regions.max_newcomers_per_minute", limits.maxNewcomersPerMinute, most.maxNewcomersPerMinute),
            ("radio.max_transmitters", gateway.tracker.maxTransmitters, own.gateway.tracker.maxTransmitters),
        ]
        // 0 newcomers are no limit. No other limit may be 0.
        func size(_ limit: Int) -> Int { limit == 0 ? .max : limit }
        return compared.filter { size($0.1) < size($0.2) }.map { key, value, most in
            let least = most == 0 ? "0" : "at least \(most)"
            return ConfigurationError(
                key: key, value: "\(value)",
                requirement: "must be \(least), as in the file, beside a region of people: " + Self.onlyInFile)
        }
    }

    /// The conflicts between regions of people and the rest of the settings, with the number of the region's table, from 1.
    ///
    /// - Parameter number: returns the number of the table with an id.
    func conflictsOfPeople(number: (String) -> Int) -> [ConfigurationError] {
        let regions = gateway.regions
        guard let first = regions.beacons.first(where: \.isOfPeople) else { return [] }
        var errors = regions.sharedPeople.map { shared in
            ConfigurationError(
                key: "region[\(number(shared.other.id))].uuid", value: "\(shared.other.uuid)".quoted,
                requirement: RegionSettings.requirement(sharing: shared.people.id))
        }
        func refuse(_ why: String) {
            errors.append(
                ConfigurationError(key: "region[\(number(first.id))].people", value: "true", requirement: why))
        }
        if receiver != nil {
            refuse("must not stand beside [receiver]: a receiver sends the identities of all beacons to its broker")
        }
        return errors
    }
}

extension BeaconRules {
    /// Returns whether a region with these rules makes the same visits of a person, is left as soon, and publishes no smaller counts.
    fileprivate func countsNoLess(than own: BeaconRules) -> Bool {
        var same = self
        same.countMinimum = own.countMinimum
        return same == own && countMinimum >= own.countMinimum
    }
}
