/// The path-loss models that can be chosen in `[distance]`. The raw value is the word in `config.toml`.
enum DistanceModel: String, CaseIterable, Sendable {
    case indoor
    case log
    case curve
}

/// How a smoothed RSSI becomes metres, and metres a proximity.
package struct DistanceSettings: Hashable, Sendable {
    var model: DistanceModel
    /// The exponent n of the `log` model, 1.6 to 4; the others don't use it.
    package var pathLossExponent: Double
    /// How much weaker than their measured power beacons are at 1 m, for `log`. dB.
    var excessLoss_db: Double
    /// How far the exponent of `log` holds; beyond, a weaker signal is hardly further. Metres.
    var room_m: Double
    /// Below this distance a beacon is `immediate`. Metres.
    var immediate_m: Double
    /// Below this distance a beacon is `near`, from it on `far`. Metres.
    var near_m: Double
    /// The share of a threshold by which it must be crossed back, 0 to less than 1.
    var hysteresis: Double

    init(
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
