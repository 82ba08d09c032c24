/// The path-loss models that can be chosen in `[distance]`. The raw value is the word in `config.toml`.
public enum DistanceModel: String, CaseIterable, Sendable {
    case indoor
    case log
    case curve
}

/// How a smoothed RSSI becomes metres, and metres a proximity.
public struct DistanceSettings: Hashable, Sendable {
    public var model: DistanceModel
    /// The exponent n of the `log` model, 1.6 to 4; the others don't use it.
    public var pathLossExponent: Double
    /// How much weaker than their measured power beacons are at 1 m, for `log`. dB.
    public var excessLoss_db: Double
    /// How far the exponent of `log` holds; beyond, a weaker signal is hardly further. Metres.
    public var room_m: Double
    /// Below this distance a beacon is `immediate`. Metres.
    public var immediate_m: Double
    /// Below this distance a beacon is `near`, from it on `far`. Metres.
    public var near_m: Double
    /// The share of a threshold by which it must be crossed back, 0 to less than 1.
    public var hysteresis: Double

    public init(
        model: DistanceModel, pathLossExponent: Double, excessLoss_db: Double = 0,
        room_m: Double = DistanceEstimator.range_m.upperBound, immediate_m: Double, near_m: Double, hysteresis: Double
    ) {
        self.model = model
        self.pathLossExponent = pathLossExponent
        self.excessLoss_db = excessLoss_db
        self.room_m = room_m
        self.immediate_m = immediate_m
        self.near_m = near_m
        self.hysteresis = hysteresis
    }
}
