/// Proposes `rssi_offset_db` for gateways, from beacons that stand still.
///
/// All gateways that hear such a beacon give its place. A gateway may hear many beacons weaker than their places
/// explain. Then its receiver is weaker than the others, and its offset is the median difference. Proposals are
/// relative: the median gateway keeps its offset.
package struct OffsetFit: Sendable {
    package struct Proposal: Hashable, Sendable {
        package var gateway: String
        /// The configured and the proposed offset, dB.
        package var configured_db: Double
        package var proposed_db: Double
        /// The number of beacons that support it.
        package var beacons: Int
    }

    /// The levels of one beacon at one gateway: their number, mean, and sum of squares around the mean.
    private struct Levels: Sendable {
        var count = 0.0
        var mean_dbm = 0.0
        var squares = 0.0

        mutating func add(_ level_dbm: Double) {
            count += 1
            let before = level_dbm - mean_dbm
            mean_dbm += before / count
            squares += before * (level_dbm - mean_dbm)
        }

        var deviation_db: Double { count > 1 ? (squares / (count - 1)).squareRoot() : .infinity }
    }

    /// The least levels and the largest deviation of a beacon that counts. A beacon that moves, or is hardly heard,
    /// does not.
    static let leastLevels = 10.0, mostDeviation_db = 4.0
    /// The least beacons for a gateway's offset.
    package static let leastBeacons = 3
    static let maxBeacons = 10_000
    private static let rounds = 20

    private var gateways: StoreGateways
    private var heard: [BeaconIdentity: [GatewayIndex: Levels]] = [:]

    package init(_ settings: SiteSettings) { gateways = StoreGateways(settings.gateways) }

    package mutating func receive(_ message: GatewayMessage) {
        guard case .ranging(let payload) = message.content, let gateway = gateways.index(of: message.gateway) else {
            return
        }
        for beacon in payload.list.beacons {
            guard let rssi_dbm = beacon.presentLevel_dbm,
                heard[beacon.identity] != nil || heard.count < Self.maxBeacons
            else { continue }
            heard[beacon.identity, default: [:]][gateway, default: Levels()].add(rssi_dbm)
        }
    }

    /// The number of beacons that stood still where three or more gateways with positions heard them.
    package var stillCount: Int { still(StorePlan(gateways)).count }

    /// The proposals in the order of the configuration. A gateway with too few beacons has none.
    package var proposals: [Proposal] {
        let plan = StorePlan(gateways)
        let beacons = still(plan)
        var offsets = [Double](repeating: 0, count: gateways.all.count)
        var residuals: [GatewayIndex: [Double]] = [:]
        for _ in 0..<Self.rounds {
            residuals = [:]
            for levels in beacons {
                let moved = levels.map { level in
                    var level = level
                    level.level_dbm += offsets[level.gateway.number]
                    return level
                }
                for (gateway, residual_db) in PositionEstimate.residuals_db(moved, plan) {
                    residuals[gateway, default: []].append(residual_db)
                }
            }
            for (gateway, found) in residuals where found.count >= Self.leastBeacons {
                // Half of the way in each round, because places and offsets affect each other.
                offsets[gateway.number] -= found.sorted()[found.count / 2] / 2
            }
        }
        let spoken = offsets.indices.filter { (residuals[GatewayIndex($0)]?.count ?? 0) >= Self.leastBeacons }
        guard !spoken.isEmpty else { return [] }
        let middle = spoken.map { offsets[$0] }.sorted()[spoken.count / 2]
        return spoken.map { number in
            let gateway = gateways.all[number].settings
            return Proposal(
                gateway: gateway.id, configured_db: gateway.rssiOffset_db ?? 0,
                proposed_db: (gateway.rssiOffset_db ?? 0) + ((offsets[number] - middle) * 2).rounded() / 2,
                beacons: residuals[GatewayIndex(number)]?.count ?? 0)
        }
    }

    /// Returns the levels that count of each beacon, in a repeatable order.
    private func still(_ plan: StorePlan) -> [[HeardLevels.Level]] {
        heard.sorted { "\($0.key)" < "\($1.key)" }.compactMap { _, byGateway in
            let levels = byGateway.sorted { $0.key < $1.key }.filter {
                $0.value.count >= Self.leastLevels && $0.value.deviation_db <= Self.mostDeviation_db
                    && plan.position(of: $0.key) != nil
            }.map { gateway, levels in
                HeardLevels.Level(
                    gateway: gateway, level_dbm: levels.mean_dbm + plan.offset_db(of: gateway), at: .origin)
            }
            return levels.count >= 3 ? levels : nil
        }
    }
}
