/// `[radio]`: which adapters listen, and how much of their time.
package struct RadioSettings: Hashable, Sendable {
    /// How an adapter is named in `config.toml`.
    package enum Adapter: Hashable, Sendable {
        /// `"auto"`: the first usable one.
        case automatic
        /// `"hci0"`: by index. Indices change when adapters are unplugged.
        case index(UInt16)
        /// `"00:1A:7D:DA:71:13"`: by Bluetooth address, which stays.
        case address(DeviceAddress)
    }

    /// The raw value is the word in `config.toml`.
    package enum ScanMode: String, CaseIterable, Sendable {
        case passive
        case active
    }

    /// At least one, at most 8.
    package var adapters: [Adapter]
    package var scan: ScanMode
    /// Milliseconds from the start of one scan window to the next, 2.5 to 10240.
    package var interval_ms: Double
    /// Milliseconds of each interval spent listening, 2.5 to `interval_ms`.
    package var window_ms: Double
}

struct RadioTable: SettingsTable {
    static let tableName = "radio"

    package let adapter = Key(
        "adapter", default: .automatic, .adapter,
        "The Bluetooth adapter: the first usable one, by index, or by address, which stays when indices change.")
    let adapters = Key(
        "adapters", default: [], .adapters, "Several adapters at once, instead of `adapter`.", defaultNote: "none")
    package let scan = Key(
        "scan", default: RadioSettings.ScanMode.passive, .word,
        "`active` also asks for scan responses; an iBeacon is heard without.")
    package let interval = Key(
        "interval_ms", default: 60, .number(2.5...10240), "Milliseconds from one scan window to the next.")
    let window = Key(
        "window_ms", default: 30, .number(2.5...10240),
        "Milliseconds of each interval spent listening; at most `interval_ms`.")
    let rssiOffset = Self.rssiOffset
    let maxTransmitters = Key(
        "max_transmitters", default: 8192, .integer(1...262144), "Transmitters kept in memory; more are refused.")

    /// Also in the tables of `adapters`.
    static let rssiOffset = Key(
        "rssi_offset_db", default: 0, .number(-40...40),
        "Added to every RSSI, for an antenna or a housing. dB. An adapter's own takes its place.")

    /// What the radio listens with, and what is done with what each adapter hears.
    func read(
        _ reader: inout TableReader
    ) -> (radio: RadioSettings, listening: [GatewaySettings.ListeningAdapter], maxTransmitters: Int) {
        if reader.sets(adapter), reader.sets(adapters) {
            reader.refuse(
                adapter, .automatic, beside: adapters.name,
                "adapter and adapters exclude each other: keep one of them")
        }
        let one = reader.value(adapter)
        let several = reader.value(adapters)
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
