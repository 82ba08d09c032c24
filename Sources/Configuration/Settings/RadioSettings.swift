public import HCI

/// `[radio]`: which adapters listen, and how much of their time.
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

    /// The raw value is the word in `config.toml`.
    public enum ScanMode: String, CaseIterable, Sendable {
        case passive
        case active
    }

    /// At least one, at most 8.
    public var adapters: [Adapter]
    public var scan: ScanMode
    /// Milliseconds from the start of one scan window to the next, 2.5 to 10240.
    public var interval_ms: Double
    /// Milliseconds of each interval spent listening, 2.5 to `interval_ms`.
    public var window_ms: Double
}
