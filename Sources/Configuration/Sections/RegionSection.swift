import Beacons
import Regions

/// `[[region]]`: one region, and what differs for it from `[regions]`.
enum RegionSection {
    static let id = Key(
        "id", default: nil, Rule<String>.topicLevel.optional, "Its name: a level of its topics, unique.",
        defaultNote: "required")
    static let uuid = Key(
        "uuid", default: nil, Rule<ProximityUUID>.uuid.optional, "The proximity UUID of its beacons.",
        defaultNote: "required")
    static let major = Key(
        "major", default: nil, Rule<UInt16>.integer(0...65535).optional, "Only beacons of this major.",
        defaultNote: "any")
    static let minor = Key(
        "minor", default: nil, Rule<UInt16>.integer(0...65535).optional,
        "Only beacons of this minor; needs `major`.", defaultNote: "any")
    static let expand = Key(
        "expand", default: BeaconRegion.Expansion.none, .word,
        "One instance of the region for each major, or each major and minor, that is heard.")
    static let notifyOnEntry = Key("notify_on_entry", default: true, .flag, "Whether entries are published.")
    static let notifyOnExit = Key("notify_on_exit", default: true, .flag, "Whether exits are published.")
    static let ranging = Key(
        "ranging", default: true, .flag, "Whether the beacons in it are listed and published with their distance.")

    static let table = ReferenceTable(
        "region", isRepeated: true,
        [
            id.row, uuid.row, major.row, minor.row, expand.row, notifyOnEntry.row, notifyOnExit.row, ranging.row,
        ]
            + RegionsSection.ruleRows.map {
                KeyDescription(
                    name: $0.name, defaultText: "as in [regions]", allowed: $0.allowed,
                    meaning: "For this region only.")
            })

    /// `nil` where `id` or `uuid` is missing or wrong, which the reader has noted.
    static func read(_ reader: inout TableReader, rules: RegionRules, taken: inout Set<String>) -> BeaconRegion? {
        let id = reader.required(id)
        let uuid = reader.required(uuid)
        if let id, !taken.insert(id).inserted {
            reader.refuse(Self.id, id, beside: Self.id.name, "must be unique: another [[region]] has this id")
        }
        let major = reader.value(major)
        let minor = reader.value(minor)
        let expansion = reader.value(expand)
        if minor != nil, !reader.sets(Self.major) {
            reader.refuse(Self.minor, minor, beside: Self.major.name, "needs a major beside it")
        }
        if expansion == .major, reader.sets(Self.major) {
            reader.refuse(
                expand, expansion, beside: Self.major.name,
                "must be \"none\" or \"minor\" where major is set: there is only one major to hear")
        }
        if expansion == .minor, reader.sets(Self.minor) {
            reader.refuse(
                expand, expansion, beside: Self.minor.name,
                "must be \"none\" where minor is set: there is only one minor to hear")
        }
        let notifyOnEntry = reader.value(notifyOnEntry)
        let notifyOnExit = reader.value(notifyOnExit)
        let isRanged = reader.value(ranging)
        let rules = RegionsSection.readRules(&reader, default: rules)
        guard let id, let uuid else { return nil }
        return BeaconRegion(
            id: id, uuid: uuid, major: major, minor: minor, expansion: expansion, notifyOnEntry: notifyOnEntry,
            notifyOnExit: notifyOnExit, isRanged: isRanged, rules: rules)
    }
}
