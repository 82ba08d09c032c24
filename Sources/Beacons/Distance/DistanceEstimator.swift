import RealModule

/// From a smoothed RSSI to metres.
///
/// - `indoor`, the default: path loss with three slopes, see `IndoorPathLoss`.
/// - `log`, the log-distance path-loss model: d = 10^((P − RSSI) / (10 · n)), with P the measured power at 1 m. n is 2 in
///   free space and more among shelves and people.
/// - `curve`, AltBeacon's: d = 0.89976 · r^7.7095 + 0.111 with r = RSSI / P, a fit to readings of a Nexus 4 (Radius
///   Networks), and r^10 for a signal stronger than the measured power.
///
/// A single distance is right to about a factor of two at best: walls, bodies and standing waves move an RSSI by 10 dB
/// and more. `error_m` says by how much.
public struct DistanceEstimator: Sendable {
    /// Distances are held to this range. Metres.
    public static let range_m = 0.01...1_000.0
    /// Exponents are held to this range, the one found in buildings.
    public static let exponents = 1.6...4.0

    private let model: DistanceModel
    private let exponent: Double

    /// - Parameter settings: An exponent outside `exponents` is taken as its nearer end; what is not a number, as 2.
    public init(_ settings: DistanceSettings) {
        model = settings.model
        let exponent = settings.pathLossExponent.isNaN ? 2 : settings.pathLossExponent
        self.exponent = min(max(exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
    }

    /// - Parameters:
    ///   - rssi_dbm: The smoothed RSSI.
    ///   - measuredPower_dbm: What the beacon says its RSSI is at 1 m.
    ///   - movement: 0 at rest to 1 walking, see `MovementMeter`; counts for `indoor` alone.
    /// - Returns: Metres within `range_m`. An RSSI that is not a number is as far as can be.
    public func distance_m(rssi_dbm: Double, measuredPower_dbm: Int8, movement: Double) -> Double {
        guard !rssi_dbm.isNaN else { return Self.range_m.upperBound }
        let power_dbm = Double(measuredPower_dbm)
        let loss_db = power_dbm - rssi_dbm
        let metres: Double =
            switch model {
            case .indoor: IndoorPathLoss.distance_m(loss_db: loss_db, movement: movement)
            // A ratio to a measured power of 0 dBm or more means nothing. The logarithm still does.
            case .curve where power_dbm < 0: curve(rssi_dbm / power_dbm)
            case .log, .curve: .exp10(loss_db / (10 * exponent))
            }
        return min(max(metres, Self.range_m.lowerBound), Self.range_m.upperBound)
    }

    /// One standard deviation of a distance: on the recordings, 68 % of the true distances are not further from the
    /// estimate than this. Half of the distance at rest and four fifths of it on a walk, where distances are longer and
    /// bodies come in between. Metres.
    public static func error_m(of distance_m: Double, movement: Double) -> Double {
        distance_m * (0.5 + 0.3 * movement)
    }

    private func curve(_ ratio: Double) -> Double {
        // An RSSI of 0 dBm or more is no attenuation at all; a power of a negative ratio would not be a number.
        let ratio = max(0, ratio)
        return ratio < 1 ? .pow(ratio, 10) : 0.89976 * .pow(ratio, 7.7095) + 0.111
    }
}
