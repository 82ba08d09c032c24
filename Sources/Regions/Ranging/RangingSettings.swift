public import HCI

/// When ranging reports are made.
public struct RangingSettings: Hashable, Sendable {
    /// The raw value is the word in `config.toml`.
    public enum Mode: String, CaseIterable, Sendable {
        /// On a change, and at least every `maxInterval`.
        case change
        /// Every `minInterval`.
        case interval
    }

    public var mode: Mode
    /// From one report to the next at least.
    public var minInterval: TimeSpan
    /// From one report to the next at most.
    public var maxInterval: TimeSpan
    /// A beacon that moved this far since the last report is a change. Metres.
    public var distanceFilter_m: Double

    public init(mode: Mode, minInterval: TimeSpan, maxInterval: TimeSpan, distanceFilter_m: Double) {
        self.mode = mode
        self.minInterval = minInterval
        self.maxInterval = maxInterval
        self.distanceFilter_m = distanceFilter_m
    }
}
