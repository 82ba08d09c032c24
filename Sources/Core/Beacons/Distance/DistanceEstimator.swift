import RealModule

/// From a smoothed RSSI to metres.
///
/// - `indoor`, the default: `PathLoss` with the numbers of an ordinary room.
/// - `log`: `PathLoss` with the numbers of the configuration; where it has an exponent alone, the log-distance model
///   d = 10^((P − RSSI) / (10 · n)), with P the measured power at 1 m.
/// - `curve`, AltBeacon's: d = 0.89976 · r^7.7095 + 0.111 with r = RSSI / P, a fit to readings of a Nexus 4 (Radius
///   Networks), and r^10 for a signal stronger than the measured power.
///
/// A single distance is right to about a factor of two at best: walls, bodies and standing waves move an RSSI by 10 dB
/// and more. `error_m` says by how much.
struct DistanceEstimator: Sendable {
    /// Distances are held to this range. Metres.
    static let range_m = 0.01...1_000.0
    /// Exponents are held to this range, the one found in buildings.
    static let exponents = 1.6...4.0
    /// By how much the level at a spot differs from what its distance would have, however well it is known: bodies and
    /// standing waves. One standard deviation, dB.
    static let spotSpread_db = 3.1
    /// By what share the exponent of a place differs from the one that is reckoned with. Exponents that were measured in
    /// buildings run from 1.6 to 3.3.
    static let exponentSpread = 0.3

    private let model: DistanceModel
    private let pathLoss: PathLoss

    /// - Parameter settings: An exponent outside `exponents` is taken as its nearer end; what is not a number, as 2.
    init(_ settings: DistanceSettings) {
        model = settings.model
        switch settings.model {
        case .indoor:
            pathLoss = .indoor
        case .log, .curve:
            let exponent = settings.pathLossExponent.isNaN ? 2 : settings.pathLossExponent
            pathLoss = PathLoss(
                exponent: min(max(exponent, Self.exponents.lowerBound), Self.exponents.upperBound),
                excess_db: settings.excessLoss_db, room_m: settings.room_m)
        }
    }

    /// - Parameters:
    ///   - rssi_dbm: The smoothed RSSI.
    ///   - measuredPower_dbm: What the beacon says its RSSI is at 1 m.
    /// - Returns: Metres within `range_m`. An RSSI that is not a number is as far as can be.
    func distance_m(rssi_dbm: Double, measuredPower_dbm: Int8) -> Double {
        guard !rssi_dbm.isNaN else { return Self.range_m.upperBound }
        let power_dbm = Double(measuredPower_dbm)
        let metres: Double =
            switch model {
            // A ratio to a measured power of 0 dBm or more means nothing. The logarithm still does.
            case .curve where power_dbm < 0: curve(rssi_dbm / power_dbm)
            case .indoor, .log, .curve: pathLoss.distance_m(loss_db: power_dbm - rssi_dbm)
            }
        return min(max(metres, Self.range_m.lowerBound), Self.range_m.upperBound)
    }

    /// How far the truth may be from a distance: what one standard deviation of the spot, of the place's exponent and of the
    /// level makes of it. An exponent says nothing at 1 m, and the more the further away. Metres, `range_m.upperBound` at most:
    /// a level that jumps about says nothing, and no distance can be further off.
    ///
    /// - Parameter levelVariance: of the level that the distance was made from, by the number and scatter of its readings.
    ///   dB².
    func error_m(of distance_m: Double, levelVariance: Double) -> Double {
        let exponentSpread_db =
            Self.exponentSpread * pathLoss.decade_db * .log10(max(distance_m, Self.range_m.lowerBound))
        let variance =
            Self.spotSpread_db * Self.spotSpread_db + exponentSpread_db * exponentSpread_db + max(0, levelVariance)
        let spread_db = variance.squareRoot()
        return min(distance_m * (.exp10(spread_db / pathLoss.decade_db) - 1), Self.range_m.upperBound)
    }

    private func curve(_ ratio: Double) -> Double {
        // An RSSI of 0 dBm or more is no attenuation at all; a power of a negative ratio would not be a number.
        let ratio = max(0, ratio)
        return ratio < 1 ? .pow(ratio, 10) : 0.89976 * .pow(ratio, 7.7095) + 0.111
    }
}
