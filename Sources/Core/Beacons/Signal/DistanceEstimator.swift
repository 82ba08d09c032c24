import RealModule

/// Estimates metres from a smoothed RSSI.
///
/// - `indoor`, the default: `PathLoss` with the numbers of an ordinary room.
/// - `log`: `PathLoss` with the numbers of the configuration. With an exponent alone it is the log-distance model d =
///   10^((P − RSSI) / (10 · n)), with P the measured power at 1 m.
/// - `curve`, AltBeacon's: d = 0.89976 · r^7.7095 + 0.111 with r = RSSI / P, a fit to readings of a Nexus 4 (Radius
///   Networks). A signal stronger than the measured power has d = r^10.
///
/// A single distance is right to about a factor of two at best. Walls, bodies and standing waves move an RSSI by 10 dB
/// and more. `error_m` gives the error.
struct DistanceEstimator: Sendable {
    /// The range that distances are clamped to. Metres.
    static let range_m = 0.01...1_000.0
    /// The range that exponents are clamped to, as found in buildings.
    static let exponents = 1.6...4.0
    /// The difference between the level at a spot and the level of its distance, caused by bodies and standing waves.
    /// One standard deviation, dB.
    static let spotSpread_db = 3.1
    /// The relative difference between a place's exponent and the model's. Exponents measured in buildings run from 1.6
    /// to 3.3.
    static let exponentSpread = 0.3

    private let model: DistanceModel
    private let pathLoss: PathLoss

    /// - Parameter settings: an exponent outside `exponents` is clamped; NaN becomes 2.
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
    /// - rssi_dbm: the smoothed RSSI.
    /// - measuredPower_dbm: the RSSI at 1 m that the beacon states.
    /// - Returns: metres within `range_m`. An RSSI of NaN is as far as possible.
    func distance_m(rssi_dbm: Double, measuredPower_dbm: Int8) -> Double {
        guard !rssi_dbm.isNaN else { return Self.range_m.upperBound }
        let power_dbm = Double(measuredPower_dbm)
        let metres: Double =
            switch model {
            // A ratio to a measured power of 0 dBm or more is meaningless. The logarithm still works.
            case .curve where power_dbm < 0: curve(rssi_dbm / power_dbm)
            case .indoor, .log, .curve: pathLoss.distance_m(loss_db: power_dbm - rssi_dbm)
            }
        return min(max(metres, Self.range_m.lowerBound), Self.range_m.upperBound)
    }

    /// Returns the error of a distance, in metres, at most `range_m.upperBound`. It combines one standard deviation
    /// each of the spot, of the place's exponent and of the level. The exponent matters more the further away the
    /// beacon is, and not at all at 1 m.
    ///
    /// - Parameter levelVariance: the variance of the level that the distance was made from, by the number and scatter
    ///   of its readings. dB².
    func error_m(of distance_m: Double, levelVariance: Double) -> Double {
        let exponentSpread_db =
            Self.exponentSpread * pathLoss.decade_db * .log10(max(distance_m, Self.range_m.lowerBound))
        let variance =
            Self.spotSpread_db * Self.spotSpread_db + exponentSpread_db * exponentSpread_db + max(0, levelVariance)
        let spread_db = variance.squareRoot()
        return min(distance_m * (.exp10(spread_db / pathLoss.decade_db) - 1), Self.range_m.upperBound)
    }

    private func curve(_ ratio: Double) -> Double {
        // An RSSI of 0 dBm or more is no attenuation at all. A power of a negative ratio would be NaN.
        let ratio = max(0, ratio)
        return ratio < 1 ? .pow(ratio, 10) : 0.89976 * .pow(ratio, 7.7095) + 0.111
    }
}

/// The path-loss models of `[distance]`. The raw value is the word in `config.toml`.
enum DistanceModel: String, CaseIterable, Sendable {
    case indoor
    case log
    case curve
}

/// The settings that turn a smoothed RSSI into metres, and metres into a proximity.
package struct DistanceSettings: Hashable, Sendable {
    var model: DistanceModel
    /// The exponent n of the `log` model, 1.6 to 4. Other models ignore it.
    package var pathLossExponent: Double
    /// The loss of beacons at 1 m beyond their measured power, for `log`. dB.
    var excessLoss_db: Double = 0
    /// The distance up to which the exponent of `log` holds. Beyond it, a weaker signal is hardly further. Metres.
    var room_m: Double = DistanceEstimator.range_m.upperBound
    /// Below this distance a beacon is `immediate`. Metres.
    var immediate_m: Double
    /// Below this distance a beacon is `near`, otherwise `far`. Metres.
    var near_m: Double
    /// The share of a threshold that an outward crossing has to exceed it by, 0 to less than 1.
    var hysteresis: Double
}

/// The path loss: one exponent across the room, and a much larger one beyond it.
///
///     1 m → room_m     d = 10^((loss − excess) / (10 · n))
///     beyond           10 dB more for each quarter of the distance more
///
/// The level of a distant beacon says little about its distance. Its readings that get through are the strong ones,
/// carried by guided waves or a gap. A near beacon behind a body or in a standing-wave null also reads as weak. So a
/// level weaker than the far end of the room becomes a distance just beyond it. A weaker level is still further, so
/// that two beacons keep their order.
struct PathLoss: Sendable {
    /// The factor for a loss beyond the room: 10 dB for a factor of 1.26.
    static let farExponent = 10.0
    /// The exponent of a room with people and furniture, in sight for the most part; 2 is free space.
    static let indoorExponent = 2.2
    /// The level of a beacon at 1 m is taken as 1.23 m. Levels scatter around the level of their distance. Among the
    /// beacons that may have caused a level, more are further away and heard well than nearer and heard badly. With
    /// equally many beacons for each metre and a spread of 4.4 dB, the median distance is 1.23 times as far. dB.
    static let indoorExcess_db = -2.0
    /// The far end of a room. Metres.
    static let indoorRoom_m = 7.0

    /// Decibels for a factor of ten in distance.
    let decade_db: Double
    private let excess_db: Double
    /// The loss at the far end of the room. dB.
    private let room_db: Double

    init(exponent: Double, excess_db: Double, room_m: Double) {
        decade_db = 10 * exponent
        self.excess_db = excess_db
        room_db = decade_db * .log10(max(room_m, 1))
    }

    static let indoor = PathLoss(exponent: indoorExponent, excess_db: indoorExcess_db, room_m: indoorRoom_m)

    /// - Parameter loss_db: measured power minus RSSI.
    func distance_m(loss_db: Double) -> Double {
        let fading_db = loss_db - excess_db
        let beyond_db = max(0, fading_db - room_db)
        return .exp10(min(fading_db, room_db) / decade_db + beyond_db / (10 * Self.farExponent))
    }
}

/// Core Location's zones. The raw value is the word that is published.
enum Proximity: String, CaseIterable, Sendable {
    case unknown
    case immediate
    case near
    case far
}

/// Classifies metres into a zone, with hysteresis.
///
/// Two thresholds separate three zones: `immediate` ends at `immediate_m`, and `near` ends at `near_m`. The hysteresis
/// is one-sided. Inward, a beacon crosses a threshold at the threshold itself, so that it becomes `near` at the
/// configured distance. Outward, it crosses only at threshold · (1 + hysteresis). Between the two the zone stays. After
/// `unknown` the plain thresholds apply.
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
    /// - distance_m: metres. A negative value or NaN is `unknown`.
    /// - previous: the zone that this returned last for this beacon.
    func classify(distance_m: Double, previous: Proximity) -> Proximity {
        guard distance_m >= 0 else { return .unknown }
        let wasImmediate = previous == .immediate
        let wasNear = wasImmediate || previous == .near
        if distance_m < immediate_m * (wasImmediate ? outward : 1) { return .immediate }
        if distance_m < near_m * (wasNear ? outward : 1) { return .near }
        return .far
    }
}
