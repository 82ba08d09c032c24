import Beacons
import Regions

/// `[[region]]`: one region, and what differs for it from `[regions]`.
struct RegionTable: SettingsTable {
    static let tableName = "region"
    static let isRepeated = true

    let id = Key(
        "id", default: nil, Rule<String>.topicLevel.optional, "Its name: a level of its topics, unique.",
        defaultNote: "required")
    let uuid = Key(
        "uuid", default: nil, Rule<ProximityUUID>.uuid.optional, "The proximity UUID of its beacons.",
        defaultNote: "required")
    let major = Key(
        "major", default: nil, Rule<UInt16>.integer(0...65535).optional, "Only beacons of this major.",
        defaultNote: "any")
    let minor = Key(
        "minor", default: nil, Rule<UInt16>.integer(0...65535).optional,
        "Only beacons of this minor; needs `major`.", defaultNote: "any")
    let expand = Key(
        "expand", default: BeaconRegion.Expansion.none, .word,
        "One instance of the region for each major, or each major and minor, that is heard.")
    let notifyOnEntry = Key("notify_on_entry", default: true, .flag, "Whether entries are published.")
    let notifyOnExit = Key("notify_on_exit", default: true, .flag, "Whether exits are published.")
    let ranging = Key(
        "ranging", default: true, .flag, "Whether the beacons in it are listed and published with their distance.")
    let rules = Overriding(keys: RegionRuleKeys(), heading: "[regions]", scope: "this region")

    /// `nil` where `id` or `uuid` is missing or wrong, which the reader has noted.
    func read(_ reader: inout TableReader, rules: RegionRules, taken: inout Set<String>) -> BeaconRegion? {
        let id = reader.required(id)
        let uuid = reader.required(uuid)
        if let id, !taken.insert(id).inserted {
            reader.refuse(self.id, id, beside: self.id.name, "must be unique: another [[region]] has this id")
        }
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
        let notifyOnEntry = reader.value(notifyOnEntry)
        let notifyOnExit = reader.value(notifyOnExit)
        let isRanged = reader.value(ranging)
        let rules = self.rules.keys.read(&reader, default: rules)
        guard let id, let uuid else { return nil }
        return BeaconRegion(
            id: id, uuid: uuid, major: major, minor: minor, expansion: expansion, notifyOnEntry: notifyOnEntry,
            notifyOnExit: notifyOnExit, isRanged: isRanged, rules: rules)
    }
}
