// The configuration of each kind of region: its own keys, its rules, its reader, and the keys that only it has.

/// The keys of a `[[region]]` that define the region.
struct RegionKindKeys: KeyGroup {
    let beacons = BeaconKeys()
    let circle = CircleKeys()
}

struct BeaconKeys: KeyGroup {
    let uuid = Key(
        "uuid", unset: "required, but of a circle", Rule<ProximityUUID>.uuid, "The proximity UUID of its beacons.")
    let major = Key("major", unset: "any", Rule<UInt16>.integer(0...65535), "Only beacons of this major.")
    let minor = Key(
        "minor", unset: "any", Rule<UInt16>.integer(0...65535), "Only beacons of this minor; needs `major`.")
    let expand = Key(
        "expand", default: BeaconRegion.Expansion.none, .word,
        "One instance of the region for each major, or each major and minor, that is heard.")
    let measuredPower = Key(
        "measured_power_dbm", unset: "none", Rule<Int8>.plausiblePower,
        "The RSSI at one metre of its beacons that state an implausible one. dBm; `beacond calibrate` measures it.")
    let people = Key(
        "people", default: false, .flag,
        "Whether its beacons are people: `count` tells of their visits, and no message names a beacon.")
}

struct CircleKeys: KeyGroup {
    let latitude = Key(
        "latitude", unset: "none", Rule<Double>.number(-90...90),
        "For a circle in place of beacons: its centre. WGS 84, degrees.")
    let longitude = Key(
        "longitude", unset: "none", Rule<Double>.number(-180...180), "Its centre, degrees east of Greenwich.")
    let radius = Key(
        "radius_m", unset: "none", Rule<Double>.number(1...1e9), "The circle's radius. Metres; at most 100000 count.")
}

extension Rule<Int8> {
    /// A measured power that a beacon can have.
    fileprivate static var plausiblePower: Rule<Int8> {
        let rule = Rule.integer(IBeaconFrame.plausiblePower_dbm)
        var explained = rule
        explained.read = { node in
            guard case .refused = rule.read(node) else { return rule.read(node) }
            return .refused(
                "must be \(rule.allowed), the RSSI at one metre: 'beacond calibrate' measures it; most beacons have -65 to -55"
            )
        }
        return explained
    }
}

/// The rules of every kind that hold where a region has none of its own.
struct RegionRules: Hashable, Sendable {
    var beacons: BeaconRules
    var circles: CircleRules
}

struct RegionRuleKeys: KeyGroup {
    let beacons = BeaconRuleKeys()
    let circles = CircleRuleKeys()

    func read(_ reader: inout TableReader) -> RegionRules {
        let rules = beacons.read(&reader)
        return RegionRules(beacons: rules, circles: circles.read(&reader, unknownStateAfter: rules.unknownStateAfter))
    }
}

/// The keys of those rules in a `[[region]]`.
struct RegionKindOverrides: KeyGroup {
    let beacons = Overriding(keys: BeaconRuleKeys(), heading: "[regions]", scope: "this region")
    let circle = Overriding(keys: CircleRuleKeys(), heading: "[regions]", scope: "this circle")
}

extension RegionTable {
    /// Ends the reading of an id, which has to be unique.
    typealias IDCheck = (RegionTable, inout TableReader) -> Void

    /// Returns the kind whose own key is set; beacons where none is.
    func kind(_ reader: TableReader) -> RegionKind {
        RegionKind.allCases.first { kind in
            switch kind {
            case .beacon: false
            case .circle:
                reader.sets(own.circle.latitude) || reader.sets(own.circle.longitude) || reader.sets(own.circle.radius)
            }
        } ?? .beacon
    }

    func read(
        _ kind: RegionKind, _ id: String?, _ reader: inout TableReader, rules: RegionRules, checkID: IDCheck
    ) -> MonitoredRegion? {
        switch kind {
        case .beacon: beacons(id, &reader, rules: rules.beacons, checkID).map { .beacon($0) }
        case .circle: circle(id, &reader, rules: rules, checkID).map { .circle($0) }
        }
    }

    /// The names of a kind in an error: one region, and several.
    private func names(of kind: RegionKind) -> (one: String, several: String) {
        switch kind {
        case .beacon: ("a region of beacons", "regions of beacons")
        case .circle:
            (
                "a circle, which has latitude, longitude and radius_m",
                "circles, which have latitude, longitude and radius_m"
            )
        }
    }

    /// Refuses each key that is set and belongs only to other kinds.
    ///
    /// - Parameter name: a key that identifies the kind.
    private func refuseOthers(than kind: RegionKind, beside name: String, in reader: inout TableReader) {
        for other in RegionKind.allCases where other != kind {
            let why = "is a key of \(names(of: other).several); this is \(names(of: kind).one)"
            switch other {
            case .beacon:
                let rules = rules.beacons.keys
                refuse(
                    own.beacons.uuid, own.beacons.major, own.beacons.minor, own.beacons.expand,
                    own.beacons.measuredPower, own.beacons.people, rules.countMinimum, ranging,
                    rules.entryRSSI, rules.entryAfter, rules.exitRSSI, rules.exitAfter, rules.settle, in: &reader,
                    beside: name, why)
            case .circle:
                refuse(
                    own.circle.latitude, own.circle.longitude, own.circle.radius, rules.circle.keys.cushion,
                    rules.circle.keys.crossingAfter, in: &reader, beside: name, why)
            }
        }
    }

    private func refuse<each Value>(
        _ keys: repeat Key<each Value>, in reader: inout TableReader, beside name: String, _ why: String
    ) {
        for key in repeat each keys {
            if reader.sets(key) { reader.refuse(key, reader.value(key), beside: name, why) }
        }
    }

    // MARK: - Beacons

    private func beacons(
        _ id: String?, _ reader: inout TableReader, rules: BeaconRules, _ checkID: IDCheck
    ) -> BeaconRegion? {
        let keys = own.beacons
        let uuid = reader.required(keys.uuid)
        checkID(self, &reader)
        let major = reader.value(keys.major)
        let minor = reader.value(keys.minor)
        let isOfPeople = reader.value(keys.people)
        let expansion = reader.value(keys.expand, default: isOfPeople && minor == nil ? .minor : nil)
        if minor != nil, !reader.sets(keys.major) {
            reader.refuse(keys.minor, minor, beside: keys.major.name, "needs a major beside it")
        }
        if expansion == .major, reader.sets(keys.major) {
            reader.refuse(
                keys.expand, expansion, beside: keys.major.name,
                "must be \"none\" or \"minor\" where major is set: there is only one major to hear")
        }
        if expansion == .minor, reader.sets(keys.minor) {
            reader.refuse(
                keys.expand, expansion, beside: keys.minor.name,
                "must be \"none\" where minor is set: there is only one minor to hear")
        }
        refuseOthers(than: .beacon, beside: keys.uuid.name, in: &reader)
        let notifyOnEntry = reader.value(notifyOnEntry)
        let notifyOnExit = reader.value(notifyOnExit)
        let isRanged = reader.value(ranging, default: isOfPeople ? false : nil)
        if isOfPeople { refuseBesidePeople(in: &reader, expansion) }
        let measuredPower_dbm = reader.value(keys.measuredPower)
        let rules = self.rules.beacons.keys.read(&reader, default: rules)
        guard let id, let uuid else { return nil }
        return BeaconRegion(
            id: id, uuid: uuid, major: major, minor: minor, expansion: expansion, notifyOnEntry: notifyOnEntry,
            notifyOnExit: notifyOnExit, isRanged: isRanged, measuredPower_dbm: measuredPower_dbm,
            isOfPeople: isOfPeople, rules: rules)
    }

    /// Refuses keys of one beacon, and of messages that a region of people does not publish.
    private func refuseBesidePeople(in reader: inout TableReader, _ expansion: BeaconRegion.Expansion) {
        let (keys, people) = (own.beacons, own.beacons.people.name)
        if reader.sets(keys.minor) {
            reader.refuse(
                keys.minor, nil, beside: people, "must not stand beside people = true: one beacon is one person")
        } else if expansion == .none {
            reader.refuse(
                keys.expand, expansion, beside: people,
                "must be \"minor\" or \"major\" beside people = true: each value is one person")
        }
        for key in [notifyOnEntry, notifyOnExit] where reader.sets(key) {
            reader.refuse(key, true, beside: people, "has no effect beside people = true, which publishes no events")
        }
        if reader.sets(ranging), reader.value(ranging) {
            reader.refuse(ranging, true, beside: people, "must be false beside people = true, which names no beacon")
        }
    }

    // MARK: - A circle

    private func circle(
        _ id: String?, _ reader: inout TableReader, rules: RegionRules, _ checkID: IDCheck
    ) -> CircularRegion? {
        let latitude = reader.required(own.circle.latitude)
        let longitude = reader.required(own.circle.longitude)
        let radius_m = reader.required(own.circle.radius)
        checkID(self, &reader)
        refuseOthers(than: .circle, beside: own.circle.radius.name, in: &reader)
        let notifyOnEntry = reader.value(notifyOnEntry)
        let notifyOnExit = reader.value(notifyOnExit)
        let unknownStateAfter = reader.value(
            self.rules.beacons.keys.unknownStateAfter, default: rules.beacons.unknownStateAfter)
        let rules = self.rules.circle.keys.read(&reader, default: rules.circles, unknownStateAfter: unknownStateAfter)
        guard let id, let radius_m, let latitude, let longitude,
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return CircularRegion(
            id: id, circle: Circle(center: center, radius_m: radius_m), notifyOnEntry: notifyOnEntry,
            notifyOnExit: notifyOnExit, rules: rules)
    }
}

/// The rules of beacons. `[regions]` sets them for all regions, and a `[[region]]` may override them.
struct BeaconRuleKeys: KeyGroup {
    let entryRSSI = Key(
        "entry_rssi_dbm", default: -127, .number(-127...20),
        "The least smoothed RSSI that counts towards an entry; −127: any. dBm.")
    let entryAfter = Key(
        "entry_after_s", default: .zero, .seconds(0...86400),
        "Seconds for which a beacon must be heard so strongly; 0: the first report enters.")
    let exitRSSI = Key(
        "exit_rssi_dbm", default: -127, .number(-127...20),
        "The least smoothed RSSI that keeps the region inside; at most `entry_rssi_dbm`. dBm.")
    let exitAfter = Key(
        "exit_after_s", default: .seconds(20), .seconds(1...86400), "Seconds without such a report until the exit.")
    let settle = Key(
        "settle_s", default: .seconds(10), .seconds(0...86400),
        "Seconds from the start in which a beacon counts as there before, without an event.")
    let unknownStateAfter = Key(
        "unknown_state_after_s", default: .seconds(60), .seconds(0...86400),
        "Seconds that the radio, or the receiver of fixes, may be blind until the state is `unknown`.")
    let countMinimum = Key(
        "count_minimum", default: 5, .integer(VisitCount.minimums),
        "The least number of people that `count` publishes; smaller ones wait, or are left out.")

    /// - Parameter rules: the values of keys that are not set; `nil` for the defaults.
    func read(_ reader: inout TableReader, default rules: BeaconRules? = nil) -> BeaconRules {
        let read = BeaconRules(
            entryRSSI_dbm: reader.value(entryRSSI, default: rules?.entryRSSI_dbm),
            entryAfter: reader.value(entryAfter, default: rules?.entryAfter),
            exitRSSI_dbm: reader.value(exitRSSI, default: rules?.exitRSSI_dbm),
            exitAfter: reader.value(exitAfter, default: rules?.exitAfter),
            settle: reader.value(settle, default: rules?.settle),
            unknownStateAfter: reader.value(unknownStateAfter, default: rules?.unknownStateAfter),
            countMinimum: reader.value(countMinimum, default: rules?.countMinimum))
        // A region without thresholds has those of [regions], whose error is reported already.
        let setsThreshold = reader.sets(entryRSSI) || reader.sets(exitRSSI)
        if read.exitRSSI_dbm > read.entryRSSI_dbm, setsThreshold {
            let entry = read.entryRSSI_dbm.plain
            reader.refuse(
                exitRSSI, read.exitRSSI_dbm, beside: entryRSSI.name,
                "must be at most entry_rssi_dbm (\(entry)), or a beacon between the two would enter and leave in turns")
        }
        return read
    }
}

/// The rules of circles. `[regions]` sets them for all circles, and a `[[region]]` may override them.
struct CircleRuleKeys: KeyGroup {
    let cushion = Key(
        "cushion_m", default: 20, .number(0...100_000),
        "Metres beyond the boundary of a circle where a crossing counts; more where a fix is less accurate.")
    let crossingAfter = Key(
        "crossing_after_s", default: .seconds(20), .seconds(0...86400),
        "Seconds that at least two fixes must stay there, and seconds of fixes until a circle's first state.")

    /// - Parameters:
    /// - rules: the values of keys that are not set; `nil` for the defaults.
    /// - unknownStateAfter: the key that circles share with beacons.
    func read(
        _ reader: inout TableReader, default rules: CircleRules? = nil, unknownStateAfter: TimeSpan
    ) -> CircleRules {
        CircleRules(
            cushion_m: reader.value(cushion, default: rules?.cushion_m),
            crossingAfter: reader.value(crossingAfter, default: rules?.crossingAfter),
            unknownStateAfter: unknownStateAfter)
    }
}
