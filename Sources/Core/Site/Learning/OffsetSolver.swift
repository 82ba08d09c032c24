import RealModule

/// Solves for what each gateway receives and sends more than the others, from the links between them.
///
/// The level of a link is receive_i + send_j + c − 10·n·log₁₀(distance) − w·distance; w stands for walls and shelves. Both directions of a link share path and walls. So
/// their difference shows receive − send of each gateway exactly. Their sum shows receive + send, where the plan has the
/// distance. The sum has a scatter, which is learned too. A link that fits badly weighs less
/// (Cauchy's weights). Rooms are about as large as each other, so the beacons near a gateway show its receiver too.
/// Only differences between gateways are known: the mean of all receivers is 0.
struct OffsetSolver {
    /// The excess of one gateway's receiver over the mean, dB.
    struct Estimate: Hashable, Sendable {
        var receive_db: Double
        /// Contains the true value two times out of three, dB.
        var plusMinus_db: Double
        /// The other gateways with a link, or with beacons that both hear.
        var links: Int
    }

    /// The kind of an equation, which decides its scatter.
    private enum Kind: Int, CaseIterable {
        /// The mean of a link's directions, or one direction.
        case path
        /// The difference of a link's directions.
        case exchange
        /// The difference of two receivers of one beacon.
        case beacon
        /// The mean level of the beacons near a gateway.
        case near

        /// The standard deviation before the equations show their own, dB, and its bounds.
        var typical_db: Double { [5, 1.5, 5, 3][rawValue] }
        var bounds_db: ClosedRange<Double> { [2...8, 0.7...4, 3...20, 1.5...8][rawValue] }
    }

    private struct Equation {
        var kind: Kind
        /// Unknowns with their factors.
        var terms: [(unknown: Int, factor: Double)]
        var value: Double
        /// The share of its kind's information that the equation has: the beacons of few days may be few, and stay long.
        var trust = 1.0
        var weight = 1.0
    }

    /// The standard deviation of receivers and transmitters, dB.
    private static let spread_db = 6.0
    /// The level at one metre and its standard deviation, dBm.
    private static let atOneMetre_dbm = -59.0, atOneMetreSpread_db = 10.0
    /// The path loss exponent across a store with its standard deviation.
    private static let exponent = 2.3, exponentSpread = 0.4
    /// The loss by walls and shelves with its standard deviation, dB for a metre.
    private static let wall_db_m = 0.2, wallSpread_db_m = 0.3
    /// The mean level of the beacons near a gateway with its standard deviation, dBm.
    private static let nearby_dbm = -70.0, nearbySpread_db = 10.0
    private static let rounds = 12
    /// The factor of all uncertainties: neighbouring paths share walls, which the equations do not know.
    private static let honesty = 1.2
    /// The number of equations that the typical scatter counts for.
    private static let typicalCount = 6.0

    private let count: Int
    private var equations: [Equation] = []
    private var neighbours: [Set<Int>]

    private var constant: Int { 2 * count }
    private var slope: Int { 2 * count + 1 }
    private var wall: Int { 2 * count + 2 }
    private var nearby: Int { 2 * count + 3 }
    private var unknowns: Int { 2 * count + 4 }

    private func receive(_ gateway: Int) -> Int { gateway }
    private func send(_ gateway: Int) -> Int { count + gateway }

    /// - Parameter places: of each gateway; `nil` where the plan has none.
    init(
        places: [StoredLearning.Place?], links: [(link: LinkTable.Direction, level_dbm: Double)],
        differences: [(pair: DifferenceTable.Pair, learned: DifferenceTable.Learned)],
        near: [(gateway: Int, usual: LinkTable.Usual)] = []
    ) {
        count = places.count
        neighbours = Array(repeating: [], count: count)
        let levels = Dictionary(links.map { ($0.link, $0.level_dbm) }, uniquingKeysWith: { first, _ in first })
        for (link, level_dbm) in links where max(link.receiver, link.sender) < count {
            let back_dbm = levels[link.reversed]
            if back_dbm != nil, link.receiver > link.sender { continue }
            let distance_m = Self.distance_m(places[link.receiver], places[link.sender])
            add(link, level_dbm, back_dbm, distance_m)
        }
        for (pair, learned) in differences where max(pair.first, pair.second) < count {
            join(pair.first, pair.second)
            equations.append(
                Equation(
                    kind: .beacon, terms: [(receive(pair.first), 1), (receive(pair.second), -1)],
                    value: learned.difference_db, trust: Self.trust(days: learned.days)))
        }
        for (gateway, usual) in near where gateway < count {
            equations.append(
                Equation(
                    kind: .near, terms: [(receive(gateway), 1), (nearby, 1)], value: Double(usual.level_dbm),
                    trust: Self.trust(days: min(usual.days, DifferenceTable.mostDays))))
        }
    }

    /// Returns 1 for the most days, and about a third for the first one.
    private static func trust(days: Int) -> Double {
        func share(_ days: Int) -> Double { Double(days) / Double(days + 3) }
        return share(days) / share(DifferenceTable.mostDays)
    }

    private mutating func join(_ one: Int, _ other: Int) {
        neighbours[one].insert(other)
        neighbours[other].insert(one)
    }

    private mutating func add(
        _ link: LinkTable.Direction, _ level_dbm: Double, _ back_dbm: Double?, _ distance_m: Double?
    ) {
        let (i, j) = (link.receiver, link.sender)
        if let back_dbm {
            join(i, j)
            equations.append(
                Equation(
                    kind: .exchange, terms: [(receive(i), 1), (send(j), 1), (receive(j), -1), (send(i), -1)],
                    value: level_dbm - back_dbm))
        }
        guard let distance_m else { return }
        join(i, j)
        let path: [(Int, Double)] = [
            (constant, 1), (slope, -10 * Double.log10(distance_m)), (wall, -distance_m),
        ]
        if let back_dbm {
            equations.append(
                Equation(
                    kind: .path,
                    terms: [(receive(i), 0.5), (send(j), 0.5), (receive(j), 0.5), (send(i), 0.5)] + path,
                    value: (level_dbm + back_dbm) / 2))
        } else {
            equations.append(Equation(kind: .path, terms: [(receive(i), 1), (send(j), 1)] + path, value: level_dbm))
        }
    }

    /// Returns the distance of two places of one floor.
    private static func distance_m(_ one: StoredLearning.Place?, _ other: StoredLearning.Place?) -> Double? {
        guard let one, let other, one.floor == other.floor else { return nil }
        return max(Double.hypot(one.x_m - other.x_m, one.y_m - other.y_m), PositionEstimate.nearest_m)
    }

    /// Returns the estimate of each gateway; `nil` for one without any link.
    mutating func solve() -> [Estimate?] {
        guard !equations.isEmpty else { return Array(repeating: nil, count: count) }
        var scatter_db = Kind.allCases.map(\.typical_db)
        var inverse = SymmetricMatrix(count: unknowns)
        var solution: [Double] = []
        for _ in 0..<Self.rounds {
            let (matrix, right) = normal(scatter_db)
            inverse = matrix.inverted()
            solution = inverse.times(right)
            weigh(solution, &scatter_db)
        }
        return estimates(solution, inverse)
    }

    /// Returns the normal equations with the priors.
    private func normal(_ scatter_db: [Double]) -> (SymmetricMatrix, [Double]) {
        var matrix = SymmetricMatrix(count: unknowns)
        var right = [Double](repeating: 0, count: unknowns)
        for gateway in 0..<2 * count { matrix[gateway, gateway] = 1 / (Self.spread_db * Self.spread_db) }
        let (level, exponent) = (Self.atOneMetreSpread_db, Self.exponentSpread)
        matrix[constant, constant] = 1 / (level * level)
        right[constant] = Self.atOneMetre_dbm / (level * level)
        matrix[slope, slope] = 1 / (exponent * exponent)
        right[slope] = Self.exponent / (exponent * exponent)
        let wallSpread = Self.wallSpread_db_m
        matrix[wall, wall] = 1 / (wallSpread * wallSpread)
        right[wall] = Self.wall_db_m / (wallSpread * wallSpread)
        let nearbySpread = Self.nearbySpread_db
        matrix[nearby, nearby] = 1 / (nearbySpread * nearbySpread)
        right[nearby] = Self.nearby_dbm / (nearbySpread * nearbySpread)
        for equation in equations {
            let scatter = scatter_db[equation.kind.rawValue]
            let weight = equation.weight * equation.trust / (scatter * scatter)
            for (row, factor) in equation.terms {
                right[row] += weight * factor * equation.value
                for (column, other) in equation.terms where column <= row {
                    matrix[row, column] += weight * factor * other
                }
            }
        }
        return (matrix, right)
    }

    /// Weighs each equation by its residual, and learns the scatter of each kind.
    private mutating func weigh(_ solution: [Double], _ scatter_db: inout [Double]) {
        for kind in Kind.allCases {
            var (squares, weights) = (Self.typicalCount * kind.typical_db * kind.typical_db, Self.typicalCount)
            var members = 0.0
            for index in equations.indices where equations[index].kind == kind {
                let equation = equations[index]
                let rest = equation.terms.reduce(equation.value) { $0 - $1.factor * solution[$1.unknown] }
                let residual = rest * equation.trust.squareRoot()
                let relative = residual / (2 * scatter_db[kind.rawValue])
                equations[index].weight = 1 / (1 + relative * relative)
                squares += equations[index].weight * residual * residual
                weights += equations[index].weight
                members += 1
            }
            // Each gateway has an unknown of its own, which lets the equations fit better than they are.
            let free = members > 0 ? max(0.25, 1 - Double(count) / members) : 1
            let scatter = (squares / (weights - (1 - free) * (weights - Self.typicalCount))).squareRoot()
            scatter_db[kind.rawValue] = min(max(scatter, kind.bounds_db.lowerBound), kind.bounds_db.upperBound)
        }
    }

    /// Returns the estimates, relative to the mean of all gateways with links.
    private func estimates(_ solution: [Double], _ inverse: SymmetricMatrix) -> [Estimate?] {
        let known = (0..<count).filter { !neighbours[$0].isEmpty }
        // A receiver far from all others, as a false one may be, moves the mean little.
        let weights = known.map { gateway in
            let relative = solution[receive(gateway)] / Self.spread_db
            return 1 / (1 + relative * relative)
        }
        let sum = weights.reduce(0, +)
        let mean = zip(known, weights).reduce(0) { $0 + $1.1 / sum * solution[receive($1.0)] }
        var estimates: [Estimate?] = Array(repeating: nil, count: count)
        let shares = zip(known, weights).map { ($0, $1 / sum) }
        let covariances = known.map { one in shares.reduce(0) { $0 + $1.1 * inverse[receive(one), receive($1.0)] } }
        let ofMean = zip(shares, covariances).reduce(0) { $0 + $1.0.1 * $1.1 }
        for (gateway, covariance) in zip(known, covariances) {
            let variance = inverse[receive(gateway), receive(gateway)] - 2 * covariance + ofMean
            estimates[gateway] = Estimate(
                receive_db: solution[receive(gateway)] - mean,
                plusMinus_db: Self.honesty * max(variance, 0.01).squareRoot(),
                links: neighbours[gateway].count)
        }
        return estimates
    }
}

/// A symmetric positive definite matrix.
struct SymmetricMatrix {
    let count: Int
    /// The lower triangle, row by row.
    private var values: [Double]

    init(count: Int) {
        self.count = count
        values = Array(repeating: 0, count: count * (count + 1) / 2)
    }

    subscript(row: Int, column: Int) -> Double {
        get { values[Self.index(row, column)] }
        set { values[Self.index(row, column)] = newValue }
    }

    private static func index(_ row: Int, _ column: Int) -> Int {
        let (low, high) = row < column ? (row, column) : (column, row)
        return high * (high + 1) / 2 + low
    }

    func times(_ vector: [Double]) -> [Double] {
        (0..<count).map { row in (0..<count).reduce(0) { $0 + self[row, $1] * vector[$1] } }
    }

    /// Returns the inverse, by Cholesky's factors.
    func inverted() -> SymmetricMatrix {
        var factor = self
        for row in 0..<count {
            for column in 0...row {
                var sum = self[row, column]
                for k in 0..<column { sum -= factor[row, k] * factor[column, k] }
                factor[row, column] = row == column ? max(sum, 1e-12).squareRoot() : sum / factor[column, column]
            }
        }
        // The inverse of the factor, in place of the factor.
        for column in 0..<count {
            factor[column, column] = 1 / factor[column, column]
            for row in column + 1..<max(count, column + 1) {
                var sum = 0.0
                for k in column..<row { sum -= factor[row, k] * factor[k, column] }
                factor[row, column] = sum / factor[row, row]
            }
        }
        var inverse = SymmetricMatrix(count: count)
        for row in 0..<count {
            for column in 0...row {
                var sum = 0.0
                for k in row..<count { sum += factor[k, row] * factor[k, column] }
                inverse[row, column] = sum
            }
        }
        return inverse
    }
}
