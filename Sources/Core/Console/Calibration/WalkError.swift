/// Why nothing can be said of a shop's path loss.
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
