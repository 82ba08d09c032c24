/// Core Location's zones. The raw value is the word that is published.
package enum Proximity: String, CaseIterable, Sendable {
    case unknown
    case immediate
    case near
    case far
}

/// From metres to a zone, without flicker.
///
/// Two thresholds part three zones: `immediate_m` is where `immediate` ends, `near_m` is where `near` ends. The
/// hysteresis is one-sided: a threshold is crossed inward at the threshold itself, so that the configured distance is
/// the one at which a beacon becomes `near`, and outward only at threshold · (1 + hysteresis). Whatever a distance does
/// between those two, the zone stays. From `unknown` there is nothing to hold on to, and the plain thresholds apply.
struct ProximityClassifier: Sendable {
    private let immediate_m: Double
    private let near_m: Double
    private let outward: Double

    init(_ settings: DistanceSettings) {
        immediate_m = settings.immediate_m
        near_m = settings.near_m
        outward = 1 + max(0, settings.hysteresis)
    }

    /// - Parameters:
    ///   - distance_m: Metres. What is negative or not a number is `unknown`.
    ///   - previous: The zone that this returned last for the same beacon.
    func classify(distance_m: Double, previous: Proximity) -> Proximity {
        guard distance_m >= 0 else { return .unknown }
        let wasImmediate = previous == .immediate
        let wasNear = wasImmediate || previous == .near
        if distance_m < immediate_m * (wasImmediate ? outward : 1) { return .immediate }
        if distance_m < near_m * (wasNear ? outward : 1) { return .near }
        return .far
    }
}
