public import HCI

/// `[radio]`: which adapter listens, and how much of its time.
public struct RadioSettings: Hashable, Sendable {
    /// How an adapter is named in `config.toml`.
    public enum Adapter: Hashable, Sendable {
        /// `"auto"`: the first usable one.
        case automatic
        /// `"hci0"`: by index. Indices change when adapters are unplugged.
        case index(UInt16)
        /// `"00:1A:7D:DA:71:13"`: by Bluetooth address, which stays.
        case address(DeviceAddress)
    }

    /// One adapter that listens, and how its RSSI compares with others'.
    public struct Receiver: Hashable, Sendable {
        public var adapter: Adapter
        /// Added to every RSSI that it measures, before smoothing, dB.
        public var rssiOffset_db: Double
    }

    /// The raw value is the word in `config.toml`.
    public enum ScanMode: String, CaseIterable, Sendable {
        case passive
        case active
    }

    /// At least one, at most 8.
    public var receivers: [Receiver]
    public var scan: ScanMode
    /// Milliseconds from the start of one scan window to the next, 2.5 to 10240.
    public var interval_ms: Double
    /// Milliseconds of each interval spent listening, 2.5 to `interval_ms`.
    public var window_ms: Double

    public var adapters: [Adapter] { receivers.map(\.adapter) }
}
