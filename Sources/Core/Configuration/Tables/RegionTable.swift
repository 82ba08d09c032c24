/// `[[region]]`: one region of any kind, and its own values of `[regions]`. `RegionKindKeys.swift` reads each kind.
struct RegionTable: SettingsTable {
    static let tableName = "region"
    static let isRepeated = true

    let id = Key("id", unset: "required", Rule<String>.topicLevel, "Its name: a level of its topics, unique.")
    let own = RegionKindKeys()
    let notifyOnEntry = Key("notify_on_entry", default: true, .flag, "Whether entries are published.")
    let notifyOnExit = Key("notify_on_exit", default: true, .flag, "Whether exits are published.")
    let ranging = Key(
        "ranging", default: true, .flag, "Whether the beacons in it are listed and published with their distance.")
    let rules = RegionKindOverrides()

    /// Returns `nil` where a required key is missing or wrong, which the reader has recorded.
    func read(_ reader: inout TableReader, rules: RegionRules, taken: inout Set<String>) -> MonitoredRegion? {
        let id = reader.required(id)
        return read(kind(reader), id, &reader, rules: rules) { table, reader in
            guard let id, !taken.insert(id).inserted else { return }
            reader.refuse(table.id, id, "must be unique: another [[region]] has this id")
        }
    }
}

/// `[regions]`: the rules for regions without their own, and the limits.
struct RegionsTable: SettingsTable {
    static let tableName = "regions"

    let rules = RegionRuleKeys()
    let maxRegions = Key(
        "max_regions", default: 1024, .integer(1...262144), "Regions monitored; more are refused and reported.")
    let maxInstances = Key(
        "max_instances", default: 16384, .integer(1...262144),
        "Instances of all regions with `expand`; the one outside for longest makes room for a new one.")
    let maxNewcomers = Key(
        "max_newcomers_per_minute", default: 600, .integer(0...262144),
        "New instances of regions with `expand` in a minute; `surge` counts the entries beyond. 0: no limit."
    )
    let forgetAfter = Key(
        "forget_after_days", default: 30, .integer(0...3650),
        "Days after which an instance that was left is removed, with its retained state. 0: never.")
    let maxWatched = Key(
        "max_watched", default: 20, .integer(1...16384),
        "The number of nearest circles that a fix may enter; circles that are inside are always watched.")

    func read(_ reader: inout TableReader) -> (rules: RegionRules, limits: RegionLimits) {
        let rules = rules.read(&reader)
        let days = reader.value(forgetAfter)
        return (
            rules,
            RegionLimits(
                maxRegions: reader.value(maxRegions), maxInstances: reader.value(maxInstances),
                maxNewcomersPerMinute: reader.value(maxNewcomers),
                forgetAfter: days == 0 ? .forever : .seconds(days * 86_400), maxWatchedCircles: reader.value(maxWatched)
            )
        )
    }
}
