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

/// How a signal fades on its way: one exponent across the room, and nearly none beyond it.
///
///     1 m → room_m     d = 10^((loss − excess) / (10 · n))
///     beyond           10 dB more for each quarter of the distance more
///
/// The level of a distant beacon says little about how far it is: the readings that get through are the strong ones,
/// which guided waves or a gap carried, and a near one behind a body or in a hole of the standing waves reads as weak.
/// So what is weaker than the far end of the room is told as the far end of the room and a little more. It still is
/// the further the weaker it is, so that two beacons keep their order.
struct PathLoss: Sendable {
    /// What a loss beyond the room stands for: 10 dB for a factor of 1.26.
    static let farExponent = 10.0
    /// The exponent of a room with people and furniture, in sight for the most part; 2 is free space.
    static let indoorExponent = 2.2
    /// The level that a beacon has at 1 m is told as 1.23 m. Levels scatter about what their distance would have, and of the
    /// beacons that might be heard like that there are more a little further away and heard well than nearer and heard badly:
    /// with as many beacons for each metre and a spread of 4.4 dB, the middle is 1.23 times as far. dB.
    static let indoorExcess_db = -2.0
    /// The far end of a room. Metres.
    static let indoorRoom_m = 7.0

    /// Decibels for a factor of ten.
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

    /// - Parameter loss_db: Measured power less RSSI.
    func distance_m(loss_db: Double) -> Double {
        let fading_db = loss_db - excess_db
        let beyond_db = max(0, fading_db - room_db)
        return .exp10(min(fading_db, room_db) / decade_db + beyond_db / (10 * Self.farExponent))
    }
}

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
