/// Proposes `rssi_offset_db` for gateways, from beacons that stand still.
///
/// The place of such a beacon follows from all gateways that hear it. A gateway that hears beacon after beacon weaker than their
/// places explain hears less well than the others, and its offset is what is missing on the median. What it proposes is relative: in the
/// middle nothing is added.
package struct OffsetFit: Sendable {
    /// What is proposed for one gateway.
    package struct Proposal: Hashable, Sendable {
        package var gateway: String
        /// As it is configured, and as it should be, dB.
        package var configured_db: Double
        package var proposed_db: Double
        /// Beacons that it follows from.
        package var beacons: Int
    }

    /// Levels of one beacon at one gateway: how many, their mean and the sum of squares around it.
    private struct Levels: Sendable {
        package var count = 0.0
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

    /// A beacon that moves, or is hardly heard, says nothing.
    static let leastLevels = 10.0, mostDeviation_db = 4.0
    /// A gateway's offset follows from so many beacons at least.
    package static let leastBeacons = 3
    static let maxBeacons = 10_000
    private static let rounds = 20

    private var gateways: StoreGateways
    private var heard: [BeaconIdentity: [GatewayIndex: Levels]] = [:]

    package init(_ settings: SiteSettings) { gateways = StoreGateways(settings.gateways) }

    /// Takes what a gateway lists.
    package mutating func receive(_ news: GatewayNews) {
        guard case .ranging(let payload) = news.content, let gateway = gateways.index(of: news.gateway) else { return }
        for beacon in payload.list.beacons {
            guard let rssi_dbm = beacon.observation.rssi_dbm, beacon.observation.proximity != .unknown,
                heard[beacon.identity] != nil || heard.count < Self.maxBeacons
            else { continue }
            heard[beacon.identity, default: [:]][gateway, default: Levels()].add(rssi_dbm)
        }
    }

    /// Beacons that stood still where three gateways with positions or more heard them.
    package var stillCount: Int { still(StorePlan(gateways)).count }

    /// The proposals in the order of the configuration; a gateway that too few beacons speak for has none.
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
                // Half of the way at a time, because places and offsets pull at each other.
                offsets[gateway.number] -= found.sorted()[found.count / 2] / 2
            }
        }
        let spoken = offsets.indices.filter { (residuals[GatewayIndex($0)]?.count ?? 0) >= Self.leastBeacons }
        guard !spoken.isEmpty else { return [] }
        let middle = spoken.map { offsets[$0] }.sorted()[spoken.count / 2]
        return spoken.map { number in
            let gateway = gateways.all[number].settings
            return Proposal(
                gateway: gateway.id, configured_db: gateway.rssiOffset_db,
                proposed_db: gateway.rssiOffset_db + ((offsets[number] - middle) * 2).rounded() / 2,
                beacons: residuals[GatewayIndex(number)]?.count ?? 0)
        }
    }

    /// What counts of each beacon, in an order that is always the same.
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
