import Core

/// How long messages are worth delivering.
enum Expiry {
    /// A ranging message is overtaken by the next one at the latest after `max_interval_s`.
    static func ranging_s(_ settings: RangingSettings) -> UInt32 {
        UInt32(clamping: settings.maxInterval.microseconds / 1_000_000 + 1)
    }
}
