import RealModule

/// The probability of each zone for a beacon: Bayes' rule over all levels together.
///
/// Once a second the belief first loses some certainty, because beacons move, and because consecutive levels are alike.
/// Then each zone is weighed by the level at its best gateway, compared with the best of all. The weight uses the
/// square of the difference, in units of the noise, which is learned from the levels of these two (`LevelNoise`). So a
/// difference within the noise counts for almost nothing, however long it lasts, and a large one decides at once.
///
/// A gateway that can hear but does not list the beacon counts as one with the weakest level. A zone without a hearing
/// gateway gets an ordinary level, but none above those of others. So no beacon is ever located there, and one that is
/// heard well elsewhere is not there.
struct ZoneBelief: Sendable {
    /// The rate at which the belief is forgotten: the levels of a walking beacon resemble those of the seconds before.
    static let forgotten_per_s = 0.45
    /// The variance of the difference of two gateways' levels without noise, because of walls and bodies, dB².
    static let calm_db2 = 2.0
    /// The variance that each gateway's noise adds for each dB² by which its level reverses.
    static let noiseWeight = 16.0
    /// The highest level of a beacon that is not listed, dBm, and how far it is below its weakest listed level.
    static let floor_dbm = -95.0
    private static let belowListed_db = 3.0
    /// The level in a zone without a hearing gateway, or the strongest level where that is weaker, dBm.
    static let unheard_dbm = -70.0

    /// The least share: no zone is ever excluded.
    private static let leastShare = 1e-17
    /// The initial share of a zone whose first gateway spoke later than those of the others.
    private static let newcomersShare = 1e-9
    /// The weight of a walked zone's misfit per second: levels of one second resemble those of the next, and all share
    /// what the walk did not see.
    private static let misfitWeight = 0.5
    /// The misfit that a zone without a walk counts as, for each gateway.
    private static let unwalkedMisfit = 4.0
    /// The factor below which a walked zone counts as impossible, so that most beacons need memory for few zones.
    private static let leastFactor = 1e-7

    /// The level of the beacon at a gateway.
    private struct Hearing {
        var level_dbm: Double
        var turned_db2 = LevelNoise.typical_db2

        init(level_dbm: Double) { self.level_dbm = level_dbm }

        init(_ level: HeardLevels.Level) {
            level_dbm = level.level_dbm
            turned_db2 = level.noise.turned_db2
        }

        /// Returns the factor per second by which it becomes less likely that the beacon is at this level's zone, and
        /// not at the strongest level's.
        func factor(behind strongest: Hearing, _ elapsed_s: Double) -> Double {
            let behind_db = strongest.level_dbm - level_dbm
            let variance_db2 = calm_db2 + noiseWeight * Double(turned_db2 + strongest.turned_db2)
            return Double.exp(-behind_db * behind_db / (2 * variance_db2) * elapsed_s)
        }
    }

    /// The value of `shares`, in compact form.
    private var kept = ZoneShares()
    private var updatedAt = Instant.origin

    /// The probability of each zone, 0 to 1, by its number.
    var shares: [Double] { kept.all }

    /// Weighs the present levels.
    ///
    /// - Returns: the new `shares`.
    @discardableResult
    mutating func weigh(
        _ levels: [HeardLevels.Level], _ plan: StorePlan, _ hearing: GatewaySet,
        _ gateways: some Sequence<GatewayIndex>, at now: Instant
    ) -> [Double] {
        let elapsed_s = kept.isEmpty ? 1 : min(max(0, (now - updatedAt).seconds), 5)
        updatedAt = now
        var shares = kept.all
        Self.grow(&shares, to: plan.names.count)
        Self.decay(&shares, elapsed_s)
        // The best gateway of a zone counts, so it comes last.
        let heard = levels.sorted { $0.level_dbm < $1.level_dbm }
        let lowest_dbm = heard.first.map { $0.level_dbm - Self.belowListed_db } ?? Self.floor_dbm
        let weakest = Hearing(level_dbm: min(Self.floor_dbm, lowest_dbm))
        let strongest = heard.last.map(Hearing.init) ?? weakest
        let unheard = Hearing(level_dbm: min(Self.unheard_dbm, strongest.level_dbm))
        var factors = [Double](repeating: unheard.factor(behind: strongest, elapsed_s), count: shares.count)
        let unlisted = weakest.factor(behind: strongest, elapsed_s)
        for gateway in gateways where hearing.contains(gateway) { factors[plan.zone(of: gateway).number] = unlisted }
        for level in heard {
            factors[plan.zone(of: level.gateway).number] = Hearing(level).factor(behind: strongest, elapsed_s)
        }
        for zone in plan.vacant { factors[zone] = 0 }
        if let vectors = plan.vectors { Self.compare(levels, with: vectors, plan, hearing, &factors, elapsed_s) }
        for zone in shares.indices { shares[zone] *= factors[zone] }
        Self.normalize(&shares)
        kept.all = shares
        return shares
    }

    /// Replaces the factors of walked zones by how well their levels fit. The other zones count as before.
    private static func compare(
        _ levels: [HeardLevels.Level], with vectors: ZoneVectors, _ plan: StorePlan, _ hearing: GatewaySet,
        _ factors: inout [Double], _ elapsed_s: Double
    ) {
        let readings = levels.map { level in
            ZoneVectors.Reading(
                gateway: level.gateway.number, level_dbm: plan.received_dbm(level),
                noise_db2: calm_db2 + noiseWeight * Double(level.noise.turned_db2))
        }
        guard let misfits = vectors.misfits(readings, hears: { hearing.contains(GatewayIndex($0)) }) else { return }
        let unwalked = Double.exp(-misfitWeight / 2 * unwalkedMisfit * Double(misfits.gateways) * elapsed_s)
        for zone in factors.indices where !vectors.hasWalked(zone) { factors[zone] *= unwalked }
        for (zone, misfit) in misfits.ofZones where zone < factors.count {
            factors[zone] = Double.exp(-misfitWeight / 2 * misfit * elapsed_s)
        }
        let best = factors.max() ?? 0
        for zone in factors.indices where factors[zone] < best * leastFactor { factors[zone] = 0 }
    }

    private static func grow(_ shares: inout [Double], to count: Int) {
        let share = shares.isEmpty ? 1 / Double(max(count, 1)) : newcomersShare
        shares.reserveCapacity(count)
        while shares.count < count { shares.append(share) }
    }

    /// Moves a part of each share to the other zones.
    private static func decay(_ shares: inout [Double], _ elapsed_s: Double) {
        guard shares.count > 1 else { return }
        let lost = 1 - Double.exp(-elapsed_s * forgotten_per_s)
        let each = lost / Double(shares.count - 1)
        for zone in shares.indices { shares[zone] += each - shares[zone] * (lost + each) }
    }

    private static func normalize(_ shares: inout [Double]) {
        let sum = shares.reduce(0, +)
        guard sum > 0 else { return }
        for zone in shares.indices { shares[zone] = max(shares[zone] / sum, leastShare) }
    }
}

/// The probability of each zone in little memory: a store has 10,000 beacons and up to 128 zones.
///
/// A beacon is heard in some zones. All other zones have one share, equal to the last bit, so one number holds all of
/// these.
struct ZoneShares: Sendable {
    private var common = 0.0
    /// The shares of the zones in `others`, in the order of the zones.
    private var different: [Double] = []
    /// The zones that have a share of their own, one bit each.
    private var others: UInt128 = 0
    private var zoneCount: UInt8 = 0

    /// The shares by zone number, for at most 128 zones; empty before anything was weighed.
    var all: [Double] {
        get {
            var shares = [Double](repeating: common, count: Int(zoneCount))
            var bits = others
            for share in different {
                shares[bits.trailingZeroBitCount] = share
                bits &= bits - 1
            }
            return shares
        }
        set {
            assert(newValue.count <= 128, "a store has no more zones")
            zoneCount = UInt8(newValue.count)
            common = Self.mostFrequent(newValue)
            others = 0
            for (zone, share) in newValue.enumerated() where share != common { others |= 1 << UInt128(zone) }
            // The array has exactly the size needed, and is reused while the size stays.
            if different.count != others.nonzeroBitCount {
                different = []
                different.reserveCapacity(others.nonzeroBitCount)
            } else {
                different.removeAll(keepingCapacity: true)
            }
            for share in newValue where share != common { different.append(share) }
        }
    }

    var isEmpty: Bool { zoneCount == 0 }

    /// Returns the share of more than half of the zones, where there is one; otherwise any (Boyer and Moore's vote).
    private static func mostFrequent(_ shares: [Double]) -> Double {
        var (candidate, votes) = (0.0, 0)
        for share in shares {
            if votes == 0 { candidate = share }
            votes += share == candidate ? 1 : -1
        }
        return candidate
    }
}
