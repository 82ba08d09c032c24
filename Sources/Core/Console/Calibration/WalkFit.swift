import RealModule

/// The result of holding a beacon at a known distance.
package struct WalkStop: Hashable, Sendable {
    /// The least readings. The level of a place is then known to 1 dB. More readings at one place do not show how far
    /// that level is from the level of its distance.
    static let minReadings = 10

    let distance_m: Double
    /// The level that the beacon states for 1 m, less the received level.
    let loss_db: Double
}

/// The path loss of one shop, from a few stops at known distances.
///
/// The level at any place differs by 5 dB from the level of its distance, so a few stops alone would give any exponent.
/// Usual values are added as if they had been measured before: the exponent of rooms, 2.2 ± 0.3, and beacons as strong
/// as they state, ± 4 dB. With five stops, most of the offset comes from the shop, and less than half of the exponent.
package struct WalkFit: Hashable, Sendable {
    package static let stops = 2...5
    /// The allowed distances of a stop, metres.
    package static let distances_m = 0.3...30.0
    /// The least ratio of the furthest distance to the nearest.
    static let leastReach = 2.0
    /// The least loss over the whole way. Less is rounding and chance.
    static let leastFall_db = 2.0
    /// The largest exponent that is believed, even of two stops close together.
    static let steepest = 8.0
    /// The largest deviation of the stops, root mean square. Beyond the lower one another walk is better; beyond the
    /// higher one the stops are useless. dB.
    private static let (widestSpread_db, wideSpread_db) = (10.0, 8.0)
    /// The least distance of the furthest stop, which counts as the far end of the room.
    static let leastRoom_m = 2.0

    static let usualExponent = (mean: 2.2, spread: 0.3)
    static let usualExcess_db = (mean: -2.0, spread: 4.0)
    /// The deviation of a place's level from the level of its distance. dB.
    static let placeSpread_db = 5.0

    let exponent: Double
    /// One standard deviation.
    let exponentError: Double
    /// The loss of beacons at 1 m beyond their measured power.
    let excess_db: Double
    let excessError_db: Double
    /// The furthest stop: a weaker signal is hardly taken as further away.
    let room_m: Double
    /// The deviation of the stops from the fit, root mean square. dB.
    let spread_db: Double

    package init(_ stops: [WalkStop]) throws(WalkError) {
        guard Self.stops.contains(stops.count) else { throw .stops(stops.count) }
        let distances = stops.map(\.distance_m)
        guard let nearest = distances.min(), let furthest = distances.max(),
            distances.allSatisfy({ Self.distances_m.contains($0) })
        else { throw .distance }
        guard furthest >= Self.leastReach * nearest else { throw .tooCloseTogether }
        guard furthest >= Self.leastRoom_m else { throw .tooNear }
        let plain = Self.slope(stops)
        guard plain.exponent * 10 * Double.log10(furthest / nearest) >= Self.leastFall_db else {
            throw .hardlyWeakerFurtherAway
        }
        let spread = (Self.usualExponent.spread * Self.usualExponent.spread + plain.error * plain.error).squareRoot()
        let explained = min(Self.steepest, Self.usualExponent.mean + 3 * spread)
        guard plain.exponent < explained else { throw .tooSteep(plain.exponent) }

        // Two unknowns, with their usual values as two more measurements: the normal equations, solved by hand.
        let weight = 1 / (Self.placeSpread_db * Self.placeSpread_db)
        let excessWeight = 1 / (Self.usualExcess_db.spread * Self.usualExcess_db.spread)
        let exponentWeight = 1 / (Self.usualExponent.spread * Self.usualExponent.spread)
        var (aa, ab, bb) = (excessWeight, 0.0, exponentWeight)
        var (ay, by) = (excessWeight * Self.usualExcess_db.mean, exponentWeight * Self.usualExponent.mean)
        for stop in stops {
            let decibels = 10 * Double.log10(stop.distance_m)
            aa += weight
            ab += weight * decibels
            bb += weight * decibels * decibels
            ay += weight * stop.loss_db
            by += weight * decibels * stop.loss_db
        }
        let determinant = aa * bb - ab * ab
        let (excess, slope) = ((bb * ay - ab * by) / determinant, (aa * by - ab * ay) / determinant)
        // This uses the stops alone; the usual values would hide half of it.
        let plainExcess =
            stops.reduce(0) { $0 + $1.loss_db - 10 * Self.usualExponent.mean * .log10($1.distance_m) }
            / Double(stops.count)
        guard abs(plainExcess) <= 20 else { throw .wrongPower(plainExcess) }
        (excess_db, excessError_db) = (excess, (bb / determinant).squareRoot())
        // A value that the configuration would clamp is not the result of the fit.
        guard slope >= DistanceEstimator.exponents.lowerBound else { throw .hardlyWeakerFurtherAway }
        guard slope <= DistanceEstimator.exponents.upperBound else { throw .tooSteep(slope) }
        (exponent, exponentError) = (slope, (aa / determinant).squareRoot())
        room_m = furthest
        let squares = stops.map { stop in
            let off = stop.loss_db - excess - slope * 10 * Double.log10(stop.distance_m)
            return off * off
        }
        spread_db = (squares.reduce(0, +) / Double(stops.count)).squareRoot()
        guard spread_db <= Self.widestSpread_db else { throw .scattered(spread_db) }
    }

    /// Returns the exponent of the stops alone, and one standard deviation of it.
    private static func slope(_ stops: [WalkStop]) -> (exponent: Double, error: Double) {
        let decibels = stops.map { 10 * Double.log10($0.distance_m) }
        let middle = decibels.reduce(0, +) / Double(stops.count)
        let sums = zip(stops, decibels).reduce((0.0, 0.0)) { sums, next in
            let off = next.1 - middle
            return (sums.0 + off * next.0.loss_db, sums.1 + off * off)
        }
        return (sums.0 / sums.1, placeSpread_db / sums.1.squareRoot())
    }

    /// The result, and the lines to paste into the configuration.
    package var lines: [String] {
        let spread = "The stops lie within \(Figures.fixed(spread_db, decimals: 1)) dB of what was found"
        let isWide = spread_db > Self.wideSpread_db
        return [
            isWide
                ? "\(spread), which is much: something stood in between. Walk again, by other places." : "\(spread).",
            "\(isWide ? "If you have no better walk, paste" : "Paste") this into config.toml, in place of what [distance] has of it:",
            "",
            "[distance]",
            "model = \"log\"",
            "path_loss_exponent = \(Figures.fixed(exponent, decimals: 2))   # ± \(Figures.fixed(exponentError, decimals: 2))",
            "excess_loss_db = \(Figures.fixed(excess_db, decimals: 1))   # ± \(Figures.fixed(excessError_db, decimals: 1))",
            "room_m = \(Figures.short(room_m))",
        ]
    }
}

/// The reason for which a shop's path loss cannot be determined.
package enum WalkError: Error, Hashable, Sendable, CustomStringConvertible {
    case stops(Int)
    case distance
    case tooCloseTogether
    case tooNear
    case hardlyWeakerFurtherAway
    case tooSteep(Double)
    case wrongPower(Double)
    case scattered(Double)

    package var description: String {
        switch self {
        case .stops(let count):
            "\(count) distances: a walk has \(WalkFit.stops.lowerBound) to \(WalkFit.stops.upperBound) of them"
        case .distance:
            "a distance is out of range: each must be from \(Figures.short(WalkFit.distances_m.lowerBound)) to "
                + "\(Figures.short(WalkFit.distances_m.upperBound)) m"
        case .tooCloseTogether:
            "the furthest stop must be twice as far as the nearest at least: nearer together they do not tell how the "
                + "signal fades"
        case .tooNear:
            "the furthest stop must be \(Figures.short(WalkFit.leastRoom_m)) m away at least: it is taken for the far end of the room"
        case .hardlyWeakerFurtherAway:
            "the beacon was hardly weaker further away: check the order of the distances, and that nothing stood in between at the "
                + "near ones; then walk again"
        case .tooSteep(let exponent):
            "the signal faded with an exponent of \(Figures.fixed(exponent, decimals: 1)), which no room has: something "
                + "stood in between at the far stops, or a distance is wrong; walk again"
        case .wrongPower(let excess_db):
            "beacons would be \(Figures.fixed(abs(excess_db), decimals: 0)) dB \(excess_db > 0 ? "weaker" : "stronger") at 1 m "
                + "than this one says: its measured power is wrong; measure that first, with 'beacond calibrate' at 1 m"
        case .scattered(let spread_db):
            "no path loss fits the stops: they are \(Figures.fixed(spread_db, decimals: 1)) dB off the best one; something stood in "
                + "between at some of them, or the distances are in another order; walk again"
        }
    }
}
