import HCI
import Regions

/// `[regions]`: the rules that hold where a `[[region]]` has none of its own, and the limits.
enum RegionsSection {
    static let entryRSSI = Key(
        "entry_rssi_dbm", default: -127, .number(-127...20),
        "Smoothed RSSI from which on a beacon counts towards an entry; −127: any. dBm.")
    static let entryAfter = Key(
        "entry_after_s", default: .zero, .seconds(0...86400),
        "Seconds that it must be heard like that; 0: the first report enters.")
    static let exitRSSI = Key(
        "exit_rssi_dbm", default: -127, .number(-127...20),
        "Smoothed RSSI from which on a beacon keeps the region inside; at most `entry_rssi_dbm`. dBm.")
    static let exitAfter = Key(
        "exit_after_s", default: .seconds(20), .seconds(1...86400), "Seconds without such a report until the exit.")
    static let settle = Key(
        "settle_s", default: .seconds(10), .seconds(0...86400),
        "Seconds from the start within which a beacon counts as already there, without an event.")
    static let unknownStateAfter = Key(
        "unknown_state_after_s", default: .seconds(60), .seconds(0...86400),
        "Seconds that the radio may be blind until the state is `unknown`.")
    static let maxRegions = Key(
        "max_regions", default: 1024, .integer(1...16384), "Regions monitored; more are refused and reported.")
    static let maxInstances = Key(
        "max_instances", default: 16384, .integer(1...262144),
        "Instances of all regions with `expand`; more are refused and reported.")

    /// The keys that a `[[region]]` may have too.
    static let ruleRows = [
        entryRSSI.row, entryAfter.row, exitRSSI.row, exitAfter.row, settle.row, unknownStateAfter.row,
    ]

    static let table = ReferenceTable("regions", ruleRows + [maxRegions.row, maxInstances.row])

    static func read(_ reader: inout TableReader) -> (rules: RegionRules, limits: RegionLimits) {
        let builtIn = RegionRules(
            entryRSSI_dbm: entryRSSI.defaultValue, entryAfter: entryAfter.defaultValue,
            exitRSSI_dbm: exitRSSI.defaultValue, exitAfter: exitAfter.defaultValue, settle: settle.defaultValue,
            unknownStateAfter: unknownStateAfter.defaultValue)
        let rules = readRules(&reader, default: builtIn)
        let limits = RegionLimits(maxRegions: reader.value(maxRegions), maxInstances: reader.value(maxInstances))
        return (rules, limits)
    }

    /// The rules in `[regions]` or in one `[[region]]`.
    static func readRules(_ reader: inout TableReader, default rules: RegionRules) -> RegionRules {
        let read = RegionRules(
            entryRSSI_dbm: reader.value(entryRSSI, default: rules.entryRSSI_dbm),
            entryAfter: reader.value(entryAfter, default: rules.entryAfter),
            exitRSSI_dbm: reader.value(exitRSSI, default: rules.exitRSSI_dbm),
            exitAfter: reader.value(exitAfter, default: rules.exitAfter),
            settle: reader.value(settle, default: rules.settle),
            unknownStateAfter: reader.value(unknownStateAfter, default: rules.unknownStateAfter))
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
