/// `[smoothing]`. The defaults are the filters that win on recordings; they stand here and nowhere else.
struct SmoothingTable: SettingsTable {
    static let tableName = "smoothing"

    /// Filters that versions before 0.2 had.
    private static let removed = ["trimmed_mean", "iqr_mean", "median"]

    let distanceFilter = Key(
        "distance_filter", default: FilterKind.kalman,
        .word.without(
            removed,
            because: "was removed: it measured worse than \"kalman\" on recordings; use \"kalman\""),
        "The filter for distance and proximity.")
    let distanceTimeConstant = Key(
        "distance_time_constant_s", default: 40, .number(0.1...120),
        "Seconds that it looks back; `kalman` follows a step at once all the same.")
    let regionFilter = Key(
        "region_filter", default: FilterKind.ewma,
        .word.without(
            removed, because: "was removed: it measured worse than \"ewma\" on recordings; use \"ewma\""),
        "The filter for `entry_rssi_dbm` and `exit_rssi_dbm`.")
    let regionTimeConstant = Key(
        "region_time_constant_s", default: 2.5, .number(0.1...120),
        "Seconds that it looks back; a doorway needs 2 to 3.")

    func read(_ reader: inout TableReader) -> (distance: FilterSettings, region: FilterSettings) {
        let distance = FilterSettings(
            kind: reader.value(distanceFilter), timeConstant_s: reader.value(distanceTimeConstant))
        let region = FilterSettings(kind: reader.value(regionFilter), timeConstant_s: reader.value(regionTimeConstant))
        return (distance, region)
    }
}
