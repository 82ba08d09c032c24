/// The rules that `[regions]` has for all regions and a `[[region]]` may have for itself.
struct BeaconRuleKeys: KeyGroup {
    let entryRSSI = Key(
        "entry_rssi_dbm", default: -127, .number(-127...20),
        "Smoothed RSSI from which on a beacon counts towards an entry; −127: any. dBm.")
    let entryAfter = Key(
        "entry_after_s", default: .zero, .seconds(0...86400),
        "Seconds that it must be heard like that; 0: the first report enters.")
    let exitRSSI = Key(
        "exit_rssi_dbm", default: -127, .number(-127...20),
        "Smoothed RSSI from which on a beacon keeps the region inside; at most `entry_rssi_dbm`. dBm.")
    let exitAfter = Key(
        "exit_after_s", default: .seconds(20), .seconds(1...86400), "Seconds without such a report until the exit.")
    let settle = Key(
        "settle_s", default: .seconds(10), .seconds(0...86400),
        "Seconds from the start within which a beacon counts as already there, without an event.")
    let unknownStateAfter = Key(
        "unknown_state_after_s", default: .seconds(60), .seconds(0...86400),
        "Seconds that the radio, or the receiver of fixes, may be blind until the state is `unknown`.")

    /// - Parameter rules: what holds where the table sets nothing; `nil` for the defaults.
    func read(_ reader: inout TableReader, default rules: BeaconRules? = nil) -> BeaconRules {
        let read = BeaconRules(
            entryRSSI_dbm: reader.value(entryRSSI, default: rules?.entryRSSI_dbm),
            entryAfter: reader.value(entryAfter, default: rules?.entryAfter),
            exitRSSI_dbm: reader.value(exitRSSI, default: rules?.exitRSSI_dbm),
            exitAfter: reader.value(exitAfter, default: rules?.exitAfter),
            settle: reader.value(settle, default: rules?.settle),
            unknownStateAfter: reader.value(unknownStateAfter, default: rules?.unknownStateAfter))
        // A region that sets neither threshold has them from [regions], where the error stands already.
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

/// `[regions]`: the rules that hold where a `[[region]]` has none of its own, and the limits.
struct RegionsTable: SettingsTable {
    static let tableName = "regions"

    let rules = BeaconRuleKeys()
    let circleRules = CircleRuleKeys()
    let maxRegions = Key(
        "max_regions", default: 1024, .integer(1...262144), "Regions monitored; more are refused and reported.")
    let maxInstances = Key(
        "max_instances", default: 16384, .integer(1...262144),
        "Instances of all regions with `expand`; the one outside for longest makes room for a new one.")
    let maxNewcomers = Key(
        "max_newcomers_per_minute", default: 600, .integer(0...262144),
        "New instances of regions with `expand` in a minute; more are held back, and `surge` tells of them. 0: no limit."
    )
    let forgetAfter = Key(
        "forget_after_days", default: 30, .integer(0...3650),
        "Days after which an instance that was left is removed, with its retained state. 0: never.")
    let maxWatched = Key(
        "max_watched", default: 20, .integer(1...16384),
        "Circles that a fix may enter, the nearest ones; those that are inside are watched in any case.")

    func read(
        _ reader: inout TableReader
    ) -> (rules: BeaconRules, circleRules: CircleRules, limits: RegionLimits) {
        let rules = rules.read(&reader)
        let days = reader.value(forgetAfter)
        return (
            rules, circleRules.read(&reader, unknownStateAfter: rules.unknownStateAfter),
            RegionLimits(
                maxRegions: reader.value(maxRegions), maxInstances: reader.value(maxInstances),
                maxNewcomersPerMinute: reader.value(maxNewcomers),
                forgetAfter: days == 0 ? .forever : .seconds(days * 86_400), maxWatchedCircles: reader.value(maxWatched)
            )
        )
    }
}

/// The rules of circles that `[regions]` has for all and a `[[region]]` may have for itself.
struct CircleRuleKeys: KeyGroup {
    let cushion = Key(
        "cushion_m", default: 20, .number(0...100_000),
        "Metres beyond the boundary of a circle where a crossing counts; more where a fix is less accurate.")
    let crossingAfter = Key(
        "crossing_after_s", default: .seconds(20), .seconds(0...86400),
        "Seconds that fixes must stay there, two at least; and seconds of fixes until a circle has its first state.")

    /// - Parameters:
    ///   - rules: what holds where the table sets nothing; `nil` for the defaults.
    ///   - unknownStateAfter: the key that circles share with beacons.
    func read(
        _ reader: inout TableReader, default rules: CircleRules? = nil, unknownStateAfter: TimeSpan
    ) -> CircleRules {
        CircleRules(
            cushion_m: reader.value(cushion, default: rules?.cushion_m),
            crossingAfter: reader.value(crossingAfter, default: rules?.crossingAfter),
            unknownStateAfter: unknownStateAfter)
    }
}
