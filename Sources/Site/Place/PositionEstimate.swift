import Configuration
import HCI
import Messages
import RealModule

/// Where on a floor plan a beacon is, by how strongly three gateways or more hear it.
///
/// The floor comes first: that of the gateway that hears it best. Then the place for which the levels differ as distances do:
/// 10·n·log₁₀ of their ratio, with the exponent of rooms. The beacon's own power falls out of the differences. Levels that fit
/// badly weigh less (Cauchy's weights), and the error is made of what is left unexplained.
struct PositionEstimate {
    /// The path loss exponent across a room, as the `indoor` model of distances has it.
    static let exponent = 2.2
    /// What levels of one place differ by, whatever the geometry, dB.
    static let scatter_db = 5.0
    /// Walls and shelves make the levels of a place wrong for as long as it is there, which no scatter shows: measured in a flat.
    static let widening = 1.9
    /// Nearer than this, distance says nothing of the level, metres.
    static let nearest_m = 0.5
    private static let rounds = 25
    /// How strongly a place that the levels leave open is held to the middle of the gateways, per square metre.
    private static let pull = 0.08

    /// `nil` where fewer than three gateways of the floor have a position.
    static func of(_ levels: [HeardLevels.Level], _ plan: StorePlan) -> BeaconPlace.Position? {
        guard let (floor, anchors) = anchors(levels, plan) else { return nil }
        let (x_m, y_m) = solve(anchors)
        return BeaconPlace.Position(
            x_m: x_m, y_m: y_m, floor: floor, error_m: min(max(error_m(anchors, x_m, y_m), 0.1), 1_000))
    }

    /// By how much each gateway hears the beacon more strongly than its place explains, dB.
    static func residuals_db(_ levels: [HeardLevels.Level], _ plan: StorePlan) -> [(GatewayIndex, Double)] {
        guard let (_, anchors) = anchors(levels, plan) else { return [] }
        let (x_m, y_m) = solve(anchors)
        return Array(zip(anchors.map(\.gateway), fit(anchors, x_m, y_m).residuals))
    }

    /// The floor of the gateway that hears it best, and those of the floor that have a position; `nil` where they are fewer than three.
    private static func anchors(_ levels: [HeardLevels.Level], _ plan: StorePlan) -> (floor: Int, [Anchor])? {
        guard let best = levels.max(by: { $0.level_dbm < $1.level_dbm }) else { return nil }
        let floor = plan.floor(of: best.gateway)
        let anchors = levels.compactMap { level -> Anchor? in
            guard plan.floor(of: level.gateway) == floor, let point = plan.position(of: level.gateway) else {
                return nil
            }
            return Anchor(gateway: level.gateway, x_m: point.x_m, y_m: point.y_m, level_dbm: level.level_dbm)
        }
        return anchors.count >= 3 ? (floor, anchors) : nil
    }

    private struct Anchor {
        var gateway: GatewayIndex
        var x_m: Double
        var y_m: Double
        var level_dbm: Double

        func distance_m(_ x_m: Double, _ y_m: Double) -> Double {
            max(Double.hypot(x_m - self.x_m, y_m - self.y_m), PositionEstimate.nearest_m)
        }
    }

    /// Damped Gauss-Newton over x, y and the beacon's power at one metre, from the centroid weighted by amplitude.
    private static func solve(_ anchors: [Anchor]) -> (Double, Double) {
        let strongest = anchors.map(\.level_dbm).max() ?? 0
        var (x, y, sum) = (0.0, 0.0, 0.0)
        for anchor in anchors {
            let weight = Double.exp((anchor.level_dbm - strongest) / 8.7)
            (x, y, sum) = (x + weight * anchor.x_m, y + weight * anchor.y_m, sum + weight)
        }
        (x, y) = (x / sum, y / sum)
        let start = (x, y)
        for _ in 0..<rounds {
            let (residuals, weights) = fit(anchors, x, y)
            var (gxx, gxy, gyy, bx, by) = (pull, 0.0, pull, 0.0, 0.0)
            // A weak pull to where it began keeps a place that the levels leave open within the gateways.
            bx = pull * (start.0 - x)
            by = pull * (start.1 - y)
            for (index, anchor) in anchors.enumerated() {
                let distance_m = anchor.distance_m(x, y)
                let slope = -10 * exponent / Double.log(10) / (distance_m * distance_m)
                let (jx, jy) = (slope * (x - anchor.x_m), slope * (y - anchor.y_m))
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

    /// What the levels are above what the place explains, dB, and how much each counts.
    private static func fit(_ anchors: [Anchor], _ x_m: Double, _ y_m: Double) -> (
        residuals: [Double], weights: [Double]
    ) {
        let raw = anchors.map { $0.level_dbm + 10 * exponent * Double.log10($0.distance_m(x_m, y_m)) }
        let power = raw.sorted()[raw.count / 2]
        let residuals = raw.map { $0 - power }
        return (residuals, residuals.map { 1 / (1 + ($0 / (2 * scatter_db)) * ($0 / (2 * scatter_db))) })
    }

    /// The scatter of the levels, carried over to metres at the distance of the gateways that hear it.
    private static func error_m(_ anchors: [Anchor], _ x_m: Double, _ y_m: Double) -> Double {
        let (residuals, weights) = fit(anchors, x_m, y_m)
        let square = zip(residuals, weights).reduce(0) { $0 + $1.1 * $1.0 * $1.0 }
        let scatter = (square / max(1, Double(anchors.count - 2)) + scatter_db * scatter_db).squareRoot()
        var information = 0.05
        for anchor in anchors {
            let distance_m = anchor.distance_m(x_m, y_m)
            let slope = 10 * exponent / Double.log(10) / distance_m
            information += slope * slope / 2
        }
        return widening * scatter / information.squareRoot()
    }
}
