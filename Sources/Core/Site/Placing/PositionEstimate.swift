import RealModule

/// The position of a beacon on a floor plan, from its levels at three or more gateways.
///
/// The floor comes first: that of the gateway of the beacon's zone that hears it best. Then comes the place whose
/// distances explain the differences between the levels: 10·n·log₁₀ of their ratio, with the exponent of rooms. The
/// beacon's own power cancels out. Levels that fit badly weigh less (Cauchy's weights), and the residuals give the
/// error.
struct PositionEstimate {
    /// The path loss exponent across a store: between that of one room, 2.2, and those of flats and offices, 2.8 and 3.
    private static let exponent = 2.4
    /// The path loss exponent of the room in which `calibrate` compares gateways, as in the `indoor` model.
    private static let roomExponent = 2.2
    /// The scatter of levels of one place: in the first pass, and its bounds for the weights, dB.
    private static let firstScatter_db = 5.0, leastScatter_db = 3.5, mostScatter_db = 6.0
    /// The prior scatter of levels, and the number of levels that it counts for beside the measured ones, dB.
    private static let typicalScatter_db = 3.0, typicalCount = 2.0
    /// The number of further passes, each with the scatter around the place before.
    private static let passes = 1
    /// The radius that contains two of three positions, in standard deviations, and its least value, metres.
    private static let radius = 1.3, least_m = 0.3
    /// The distance below which the level does not depend on distance, metres.
    static let nearest_m = 0.5
    private static let rounds = 25
    /// The number of rounds that fit the power at one metre.
    private static let powerRounds = 3
    /// The pull of an uncertain place to the middle of the gateways, per square metre: its most, and its factor over
    /// the mean square of the gateways' distances from there.
    private static let mostPull = 0.08, pullOfSpread = 3.3

    /// Returns `nil` where fewer than three gateways of the floor have a position.
    ///
    /// - Parameter zone: the likeliest zone of the beacon. A zone is steadier than a single level, and so is its floor.
    static func of(
        _ levels: [HeardLevels.Level], in zone: StorePlan.Zone?, _ plan: StorePlan
    ) -> BeaconPlace.Position? {
        let ofZone = zone.map { zone in levels.filter { plan.zone(of: $0.gateway) == zone } } ?? []
        let deciding = ofZone.isEmpty ? levels : ofZone
        guard let (floor, anchors) = anchors(levels, bestOf: deciding, plan, exponent) else { return nil }
        let (x_m, y_m) = solve(anchors)
        return BeaconPlace.Position(x_m: x_m, y_m: y_m, floor: floor, error_m: min(error_m(anchors, x_m, y_m), 1_000))
    }

    /// Returns how much more strongly each gateway hears the beacon than its place explains, dB.
    static func residuals_db(_ levels: [HeardLevels.Level], _ plan: StorePlan) -> [(GatewayIndex, Double)] {
        guard let (_, anchors) = anchors(levels, bestOf: levels, plan, roomExponent) else { return [] }
        let (x_m, y_m) = solve(anchors)
        return Array(zip(anchors.map(\.gateway), fit(anchors, x_m, y_m).residuals))
    }

    /// Returns the floor of the strongest level, and the gateways of the floor with a position; `nil` where there are
    /// fewer than three.
    private static func anchors(
        _ levels: [HeardLevels.Level], bestOf some: [HeardLevels.Level], _ plan: StorePlan, _ exponent: Double
    ) -> (floor: Int, [Anchor])? {
        guard let best = some.max(by: { $0.level_dbm < $1.level_dbm }) else { return nil }
        let floor = plan.floor(of: best.gateway)
        let anchors = levels.compactMap { level -> Anchor? in
            guard plan.floor(of: level.gateway) == floor, let point = plan.position(of: level.gateway) else {
                return nil
            }
            return Anchor(
                gateway: level.gateway, x_m: point.x_m, y_m: point.y_m, level_dbm: level.level_dbm, exponent: exponent)
        }
        return anchors.count >= 3 ? (floor, anchors) : nil
    }

    private struct Anchor {
        var gateway: GatewayIndex
        var x_m: Double
        var y_m: Double
        var level_dbm: Double
        var exponent: Double

        /// Returns the level at one metre if the beacon were at that place, dBm.
        func power_dbm(_ x_m: Double, _ y_m: Double) -> Double {
            level_dbm + 10 * exponent * Double.log10(distance_m(x_m, y_m))
        }

        func distance_m(_ x_m: Double, _ y_m: Double) -> Double {
            max(Double.hypot(x_m - self.x_m, y_m - self.y_m), PositionEstimate.nearest_m)
        }

        /// Returns the change of the level for a metre along x, and along y, dB.
        func slope(_ x_m: Double, _ y_m: Double) -> (Double, Double) {
            let distance_m = distance_m(x_m, y_m)
            let slope = -10 * exponent / Double.log(10) / (distance_m * distance_m)
            return (slope * (x_m - self.x_m), slope * (y_m - self.y_m))
        }
    }

    /// Returns the place, found first with a general scatter and then with its own. Levels that fit well count more
    /// than weak ones.
    private static func solve(_ anchors: [Anchor]) -> (Double, Double) {
        let middle = middle(of: anchors)
        var place = solve(anchors, from: middle, middle, scatter_db: firstScatter_db)
        for _ in 0..<passes {
            let own_db = scatter_db(anchors, place.0, place.1)
            place = solve(anchors, from: place, middle, scatter_db: min(max(own_db, leastScatter_db), mostScatter_db))
        }
        return place
    }

    /// Returns the centroid of the gateways, weighted by amplitude.
    private static func middle(of anchors: [Anchor]) -> (Double, Double) {
        let strongest = anchors.map(\.level_dbm).max() ?? 0
        var (x, y, sum) = (0.0, 0.0, 0.0)
        for anchor in anchors {
            let weight = Double.exp((anchor.level_dbm - strongest) / 8.7)
            (x, y, sum) = (x + weight * anchor.x_m, y + weight * anchor.y_m, sum + weight)
        }
        return (x / sum, y / sum)
    }

    /// Returns the weight of the gateways' middle as if it were a measured place, per square metre. The farther apart
    /// the gateways are, the smaller it is.
    private static func pull(_ anchors: [Anchor], _ middle: (Double, Double)) -> Double {
        let squares = anchors.reduce(0) { sum, anchor in
            let (dx, dy) = (anchor.x_m - middle.0, anchor.y_m - middle.1)
            return sum + dx * dx + dy * dy
        }
        return min(mostPull, pullOfSpread * Double(anchors.count) / max(squares, 1))
    }

    /// Solves for x, y and the beacon's power at one metre by damped Gauss-Newton.
    ///
    /// - Parameter middle: a weak pull to there keeps an uncertain place within the gateways.
    private static func solve(
        _ anchors: [Anchor], from start: (Double, Double), _ middle: (Double, Double), scatter_db: Double
    ) -> (Double, Double) {
        var (x, y) = start
        let pull = pull(anchors, middle)
        for _ in 0..<rounds {
            let (residuals, weights) = fit(anchors, x, y, scatter_db)
            var (gxx, gxy, gyy) = (pull, 0.0, pull)
            var (bx, by) = (pull * (middle.0 - x), pull * (middle.1 - y))
            for (index, (jx, jy)) in slopes(anchors, x, y, weights).enumerated() {
                let weight = weights[index] / (scatter_db * scatter_db)
                gxx += weight * jx * jx
                gxy += weight * jx * jy
                gyy += weight * jy * jy
                bx += weight * jx * residuals[index]
                by += weight * jy * residuals[index]
            }
            let determinant = gxx * gyy - gxy * gxy
            guard determinant > 1e-9 else { break }
            let (dx, dy) = ((gyy * bx - gxy * by) / determinant, (gxx * by - gxy * bx) / determinant)
            let length = Double.hypot(dx, dy)
            let step = length > 1 ? 1 / length : 1
            (x, y) = (x + dx * step, y + dy * step)
            if length < 0.01 { break }
        }
        return (x, y)
    }

    /// Returns the scatter of the levels about a place, dB. Few levels show little about it, so a prior scatter counts
    /// too.
    private static func scatter_db(_ anchors: [Anchor], _ x_m: Double, _ y_m: Double) -> Double {
        let (residuals, weights) = fit(anchors, x_m, y_m)
        let square = zip(residuals, weights).reduce(0) { $0 + $1.1 * $1.0 * $1.0 }
        let typical = typicalCount * typicalScatter_db * typicalScatter_db
        // Place and power are fitted.
        return ((square + typical) / (max(0, Double(anchors.count - 3)) + typicalCount)).squareRoot()
    }

    /// Returns the differences between the levels and those of the place, dB, and their weights.
    private static func fit(
        _ anchors: [Anchor], _ x_m: Double, _ y_m: Double, _ scatter_db: Double = firstScatter_db
    ) -> (residuals: [Double], weights: [Double]) {
        let raw = anchors.map { $0.power_dbm(x_m, y_m) }
        func weighed(by power: Double) -> [Double] {
            raw.map { 1 / (1 + (($0 - power) / (2 * scatter_db)) * (($0 - power) / (2 * scatter_db))) }
        }
        var power = raw.median ?? 0
        for _ in 0..<powerRounds {
            let weights = weighed(by: power)
            power = zip(raw, weights).reduce(0) { $0 + $1.0 * $1.1 } / weights.reduce(0, +)
        }
        return (raw.map { $0 - power }, weighed(by: power))
    }

    /// Returns the change of each gateway's level for a metre, without the part that the power compensates, dB.
    private static func slopes(
        _ anchors: [Anchor], _ x_m: Double, _ y_m: Double, _ weights: [Double]
    ) -> [(Double, Double)] {
        let slopes = anchors.map { $0.slope(x_m, y_m) }
        let sum = weights.reduce(0, +)
        let mean = zip(slopes, weights).reduce((0.0, 0.0)) { mean, slope in
            (mean.0 + slope.1 * slope.0.0 / sum, mean.1 + slope.1 * slope.0.1 / sum)
        }
        return slopes.map { ($0.0 - mean.0, $0.1 - mean.1) }
    }

    /// Returns the scatter of the levels, converted to metres by their slopes. The beacon's power is unknown, so only
    /// differences between gateways count.
    private static func error_m(_ anchors: [Anchor], _ x_m: Double, _ y_m: Double) -> Double {
        let weights = fit(anchors, x_m, y_m).weights
        let scatter_db = scatter_db(anchors, x_m, y_m)
        let pull = pull(anchors, middle(of: anchors))
        var (gxx, gxy, gyy) = (pull, 0.0, pull)
        for ((jx, jy), weight) in zip(slopes(anchors, x_m, y_m, weights), weights) {
            let counted = weight / (scatter_db * scatter_db)
            (gxx, gxy, gyy) = (gxx + counted * jx * jx, gxy + counted * jx * jy, gyy + counted * jy * jy)
        }
        // The pull alone keeps the determinant above zero.
        let variance_m2 = (gxx + gyy) / (gxx * gyy - gxy * gxy)
        return Double.hypot(radius * variance_m2.squareRoot(), least_m)
    }
}
