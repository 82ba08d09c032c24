/// The RSSI filters that can be chosen in `[smoothing]`. The raw value is the word in `config.toml`.
enum FilterKind: String, CaseIterable, Sendable {
    case none
    case ewma
    case kalman
}

/// One filter and its speed.
struct FilterSettings: Hashable, Sendable {
    var kind: FilterKind
    /// Seconds that the filter looks back: the time constant. Never a count
    /// of samples, because beacons advertise at different rates and packets get lost.
    var timeConstant_s: Double

    /// A time constant that can be counted with: at least a millisecond, which also stands for what is not a number, and
    /// at most a day.
    static func held(_ timeConstant_s: Double) -> Double {
        timeConstant_s.isNaN ? 0.001 : min(max(timeConstant_s, 0.001), 86_400)
    }
}
