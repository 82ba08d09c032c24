struct RangingTable: SettingsTable {
    static let tableName = "ranging"

    let mode = Key(
        "mode", default: RangingSettings.Mode.change, .word,
        "Publish when something changed, or every `min_interval_s`.")
    let minInterval = Key(
        "min_interval_s", default: .seconds(1), .seconds(0.1...3600), "Seconds between two messages at least.")
    let maxInterval = Key(
        "max_interval_s", default: .seconds(10), .seconds(0.1...86400),
        "Seconds between two messages at most; not below `min_interval_s`.")
    let distanceFilter = Key(
        "distance_filter_m", default: 0.5, .number(0...1000), "Metres that a beacon must move to be a change.")

    func read(_ reader: inout TableReader) -> RangingSettings {
        let shortest = reader.value(minInterval)
        let longest = reader.value(maxInterval)
        if longest < shortest {
            reader.refuse(
                maxInterval, longest, beside: minInterval.name,
                "must be from min_interval_s (\(shortest.seconds.plain)) to 86400")
        }
        return RangingSettings(
            mode: reader.value(mode), minInterval: shortest, maxInterval: longest,
            distanceFilter_m: reader.value(distanceFilter))
    }
}
