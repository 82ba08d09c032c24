/// `[[region]]`: one region, of beacons or a circle, and what differs for it from `[regions]`.
struct RegionTable: SettingsTable {
    static let tableName = "region"
    static let isRepeated = true

    let id = Key(
        "id", default: nil, Rule<String>.topicLevel.optional, "Its name: a level of its topics, unique.",
        defaultNote: "required")
    let uuid = Key(
        "uuid", default: nil, Rule<ProximityUUID>.uuid.optional, "The proximity UUID of its beacons.",
        defaultNote: "required, but of a circle")
    let major = Key(
        "major", default: nil, Rule<UInt16>.integer(0...65535).optional, "Only beacons of this major.",
        defaultNote: "any")
    let minor = Key(
        "minor", default: nil, Rule<UInt16>.integer(0...65535).optional,
        "Only beacons of this minor; needs `major`.", defaultNote: "any")
    let expand = Key(
        "expand", default: BeaconRegion.Expansion.none, .word,
        "One instance of the region for each major, or each major and minor, that is heard.")
    let latitude = Key(
        "latitude", default: nil, Rule<Double>.number(-90...90).optional,
        "Of a circle in place of beacons: its centre. WGS 84, degrees.", defaultNote: "none")
    let longitude = Key(
        "longitude", default: nil, Rule<Double>.number(-180...180).optional,
        "The same, degrees east of Greenwich.", defaultNote: "none")
    let radius = Key(
        "radius_m", default: nil, Rule<Double>.number(1...1e9).optional,
        "The circle's radius. Metres; more than 100000 is clamped to that.", defaultNote: "none")
    let notifyOnEntry = Key("notify_on_entry", default: true, .flag, "Whether entries are published.")
    let notifyOnExit = Key("notify_on_exit", default: true, .flag, "Whether exits are published.")
    package let ranging = Key(
        "ranging", default: true, .flag, "Whether the beacons in it are listed and published with their distance.")
    let rules = Overriding(keys: BeaconRuleKeys(), heading: "[regions]", scope: "this region")
    let circleRules = Overriding(keys: CircleRuleKeys(), heading: "[regions]", scope: "this circle")

    /// `nil` where something that every region of its kind needs is missing or wrong, which the reader has noted.
    func read(
        _ reader: inout TableReader, rules: BeaconRules, circleRules: CircleRules, taken: inout Set<String>
    ) -> MonitoredRegion? {
        let id = reader.required(id)
        if reader.sets(latitude) || reader.sets(longitude) || reader.sets(radius) {
            return circle(id, &reader, rules: rules, circleRules: circleRules, taken: &taken).map { .circle($0) }
        }
        return beacons(id, &reader, rules: rules, taken: &taken).map { .beacon($0) }
    }

    private func checkUnique(_ id: String?, _ reader: inout TableReader, _ taken: inout Set<String>) {
        guard let id, !taken.insert(id).inserted else { return }
        reader.refuse(self.id, id, beside: self.id.name, "must be unique: another [[region]] has this id")
    }

    // MARK: - Beacons

    private func beacons(
        _ id: String?, _ reader: inout TableReader, rules: BeaconRules, taken: inout Set<String>
    ) -> BeaconRegion? {
        let uuid = reader.required(uuid)
        checkUnique(id, &reader, &taken)
        let major = reader.value(major)
        let minor = reader.value(minor)
        let expansion = reader.value(expand)
        if minor != nil, !reader.sets(self.major) {
            reader.refuse(self.minor, minor, beside: self.major.name, "needs a major beside it")
        }
        if expansion == .major, reader.sets(self.major) {
            reader.refuse(
                expand, expansion, beside: self.major.name,
                "must be \"none\" or \"minor\" where major is set: there is only one major to hear")
        }
        if expansion == .minor, reader.sets(self.minor) {
            reader.refuse(
                expand, expansion, beside: self.minor.name,
                "must be \"none\" where minor is set: there is only one minor to hear")
        }
        let ofCircles = circleRules.keys
        refuse(
            ofCircles.cushion, ofCircles.crossingAfter, in: &reader, beside: self.uuid.name,
            "is a key of circles, which have latitude, longitude and radius_m; this is a region of beacons")
        let notifyOnEntry = reader.value(notifyOnEntry)
        let notifyOnExit = reader.value(notifyOnExit)
        let isRanged = reader.value(ranging)
        let rules = self.rules.keys.read(&reader, default: rules)
        guard let id, let uuid else { return nil }
        return BeaconRegion(
            id: id, uuid: uuid, major: major, minor: minor, expansion: expansion, notifyOnEntry: notifyOnEntry,
            notifyOnExit: notifyOnExit, isRanged: isRanged, rules: rules)
    }

    // MARK: - A circle

    private func circle(
        _ id: String?, _ reader: inout TableReader, rules: BeaconRules, circleRules: CircleRules,
        taken: inout Set<String>
    ) -> CircularRegion? {
        let latitude = reader.required(latitude)
        let longitude = reader.required(longitude)
        let radius_m = reader.required(radius)
        checkUnique(id, &reader, &taken)
        let ofBeacons = self.rules.keys
        refuse(
            uuid, major, minor, expand, ranging, ofBeacons.entryRSSI, ofBeacons.entryAfter, ofBeacons.exitRSSI,
            ofBeacons.exitAfter, ofBeacons.settle, in: &reader, beside: self.radius.name,
            "is a key of regions of beacons; this is a circle, which has latitude, longitude and radius_m")
        let notifyOnEntry = reader.value(notifyOnEntry)
        let notifyOnExit = reader.value(notifyOnExit)
        let unknownStateAfter = reader.value(self.rules.keys.unknownStateAfter, default: rules.unknownStateAfter)
        let own = self.circleRules.keys.read(&reader, default: circleRules, unknownStateAfter: unknownStateAfter)
        guard let id, let radius_m, let latitude, let longitude,
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return CircularRegion(
            id: id, circle: Circle(center: center, radius_m: radius_m), notifyOnEntry: notifyOnEntry,
            notifyOnExit: notifyOnExit, rules: own)
    }

    /// Refuses each key that is set: it belongs to regions of the other kind.
    private func refuse<each Value>(
        _ keys: repeat Key<each Value>, in reader: inout TableReader, beside name: String, _ why: String
    ) {
        for key in repeat each keys {
            if reader.sets(key) { reader.refuse(key, reader.value(key), beside: name, why) }
        }
    }
}
