import HCI
import RealModule

/// How likely a beacon is in each zone: Bayes' rule over all levels together.
///
/// Once a second the belief first loses a little of its certainty, because beacons move, and then each zone is weighed by how
/// strongly its best gateway hears the beacon, compared with the best of all: the square of the difference, in units of its scatter.
/// So a small difference says next to nothing and a large one decides at once. A gateway that can hear and does not list the
/// beacon counts as one that hears it at the weakest level there is. Of a zone where nobody can hear an ordinary level is taken for granted, and
/// no higher one than others hear: so nothing is ever found there, and what is heard well elsewhere is not there.
struct ZoneBelief: Sendable {
    /// Before anything is heard, a beacon goes to another zone so often.
    static let moves_per_s = 1.0 / 30
    /// The standard deviation of the difference of two gateways' published levels, dB.
    static let noise_db = 4.0
    /// A beacon that is not listed is heard at this level at most, dBm.
    static let floor_dbm = -95.0

    /// In a zone where nobody can hear it may be as strong as in any, dBm.
    static let unheard_dbm = -70.0

    /// By zone number; natural logarithms of what is proportional to the likelihood.
    private var logs: [Double] = []
    private var updatedAt: Instant?

    /// The likelihood of each zone, 0 to 1.
    var shares: [Double] {
        let highest = logs.max() ?? 0
        let weights = logs.map { Double.exp($0 - highest) }
        let sum = weights.reduce(0, +)
        return sum > 0 ? weights.map { $0 / sum } : weights
    }

    /// Weighs what is heard now.
    mutating func weigh(
        _ levels: [HeardLevels.Level], _ plan: StorePlan, _ hearing: GatewaySet, _ gateways: Range<Int>, at now: Instant
    ) {
        var best = [Double?](repeating: nil, count: plan.names.count)
        for number in gateways {
            let gateway = GatewayIndex(number)
            guard hearing.contains(gateway) else { continue }
            let zone = plan.zone(of: gateway).number
            best[zone] = max(best[zone] ?? Self.floor_dbm, Self.floor_dbm)
        }
        for level in levels {
            let zone = plan.zone(of: level.gateway).number
            best[zone] = max(best[zone] ?? Self.floor_dbm, level.level_dbm)
        }
        guard let strongest = best.compactMap({ $0 }).max() else { return }
        for zone in best.indices where best[zone] == nil { best[zone] = min(Self.unheard_dbm, strongest) }
        let isFirst = logs.isEmpty
        while logs.count < best.count { logs.append(isFirst ? 0 : Double.log(1e-9)) }
        let elapsed_s = updatedAt.map { min(max(0, (now - $0).seconds), 5) } ?? 1
        updatedAt = now
        forget(elapsed_s)
        for zone in logs.indices {
            let behind = (strongest - (best[zone] ?? strongest)) / Self.noise_db
            logs[zone] -= behind * behind / 2 * elapsed_s
        }
        let highest = logs.max() ?? 0
        for zone in logs.indices { logs[zone] = max(logs[zone] - highest, -40) }
    }

    /// Beacons move: every zone gets a share of what the others lose.
    private mutating func forget(_ elapsed_s: Double) {
        guard logs.count > 1 else { return }
        let moved = 1 - Double.exp(-elapsed_s * Self.moves_per_s)
        let each = moved / Double(logs.count - 1)
        let shares = shares
        for zone in logs.indices {
            logs[zone] = Double.log(max(shares[zone] * (1 - moved) + (1 - shares[zone]) * each, 1e-300))
        }
    }
}
