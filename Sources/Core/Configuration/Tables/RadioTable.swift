/// `[radio]`: the adapters that listen, and the share of their time.
package struct RadioSettings: Hashable, Sendable {
    /// The name of an adapter in `config.toml`.
    package enum Adapter: Hashable, Sendable {
        /// `"auto"`: the first usable adapter.
        case automatic
        /// `"hci0"`: by index. Indices change when adapters are unplugged.
        case index(UInt16)
        /// `"00:1A:7D:DA:71:13"`: by Bluetooth address, which does not change.
        case address(DeviceAddress)
    }

    /// The raw value is the word in `config.toml`.
    package enum ScanMode: String, CaseIterable, Sendable {
        case passive
        case active
    }

    /// The adapters, 1 to 8.
    package var adapters: [Adapter]
    package var scan: ScanMode
    /// Milliseconds from the start of one scan window to the next, 2.5 to 10240.
    package var interval_ms: Double
    /// Milliseconds of each interval spent listening, 2.5 to `interval_ms`.
    package var window_ms: Double
}

struct RadioTable: SettingsTable {
    static let tableName = "radio"

    let adapter = Key(
        "adapter", default: .automatic, .adapter,
        "The Bluetooth adapter: the first usable one, by index, or by address, which stays when indices change.")
    let adapters = Key(
        "adapters", default: [], .adapters, "Several adapters at once, instead of `adapter`.", defaultNote: "none")
    let scan = Key(
        "scan", default: RadioSettings.ScanMode.passive, .word,
        "`active` also asks for scan responses; an iBeacon is heard without.")
    let interval = Key(
        "interval_ms", default: 60, .number(2.5...10240), "Milliseconds from one scan window to the next.")
    let window = Key(
        "window_ms", default: 30, .number(2.5...10240),
        "Milliseconds of each interval spent listening; at most `interval_ms`.")
    let rssiOffset = Self.rssiOffset
    let maxTransmitters = Key(
        "max_transmitters", default: 8192, .integer(1...262144), "Transmitters kept in memory; more are refused.")

    /// The offset of `[radio]`, and of each table in `adapters`.
    static let rssiOffset = Key(
        "rssi_offset_db", default: 0, .number(-40...40),
        "Added to every RSSI, for an antenna or a housing. dB. An adapter's own offset replaces it.")

    /// Returns the settings of the radio, and the settings for each adapter's reports.
    func read(
        _ reader: inout TableReader
    ) -> (radio: RadioSettings, listening: [GatewaySettings.ListeningAdapter], maxTransmitters: Int) {
        if reader.sets(adapter), reader.sets(adapters) {
            reader.refuse(
                adapter, .automatic, beside: adapters.name, "adapter and adapters exclude each other: keep one of them")
        }
        let one = reader.value(adapter)
        let several = reader.value(adapters)
        reader.sets(adapters) ? reader.leaveOut(adapter) : reader.leaveOut(adapters)
        let rssiOffset_db = reader.value(rssiOffset)
        let interval_ms = reader.value(interval)
        let window_ms = reader.value(window)
        if window_ms > interval_ms {
            reader.refuse(
                window, window_ms, beside: interval.name, "must be from 2.5 to interval_ms (\(interval_ms.plain))")
        }
        let listening = (several.isEmpty ? [ConfiguredAdapter(adapter: one)] : several).map { configured in
            GatewaySettings.ListeningAdapter(
                adapter: configured.adapter, rssiOffset_db: configured.rssiOffset_db ?? rssiOffset_db)
        }
        let radio = RadioSettings(
            adapters: listening.map(\.adapter), scan: reader.value(scan), interval_ms: interval_ms,
            window_ms: window_ms)
        return (radio, listening, reader.value(maxTransmitters))
    }
}

struct RotationTable: SettingsTable {
    static let tableName = "rotation"

    let unknownAfter = Key(
        "unknown_after_s", default: .seconds(2), .seconds(0.1...3600),
        "Seconds of silence until a transmitter's proximity is `unknown`.")
    let resolveAfter = Key(
        "resolve_after_s", default: .seconds(10), .seconds(0.1...86400),
        "Seconds of silence until a transmitter leaves the ranged list; more than `unknown_after_s`.")

    func read(_ reader: inout TableReader) -> (unknownAfter: TimeSpan, resolveAfter: TimeSpan) {
        let unknown = reader.value(unknownAfter)
        let resolve = reader.value(resolveAfter)
        if resolve <= unknown {
            reader.refuse(
                resolveAfter, resolve, beside: unknownAfter.name,
                "must be more than unknown_after_s (\(unknown.seconds.plain)), at most 86400")
        }
        return (unknown, resolve)
    }
}

/// `[smoothing]`. The defaults are the filters that win on recordings; they stand here and nowhere else.
struct SmoothingTable: SettingsTable {
    static let tableName = "smoothing"

    let distanceFilter = Key(
        "distance_filter", default: FilterKind.kalman, .word, "The filter for distance and proximity.")
    let distanceTimeConstant = Key(
        "distance_time_constant_s", default: 40, .number(0.1...120),
        "Seconds that it looks back; `kalman` still follows a step at once.")
    let regionFilter = Key(
        "region_filter", default: FilterKind.ewma, .word, "The filter for `entry_rssi_dbm` and `exit_rssi_dbm`.")
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
