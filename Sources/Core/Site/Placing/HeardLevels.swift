/// The levels of one beacon at a store's gateways: the latest of each, for the strongest few.
struct HeardLevels: Sendable {
    struct Level: Sendable {
        /// The level with the offset, dBm.
        var level_dbm: Double
        var at: Instant
        private(set) var noise: LevelNoise
        var gateway: GatewayIndex

        init(gateway: GatewayIndex, level_dbm: Double, at now: Instant) {
            self.gateway = gateway
            self.level_dbm = level_dbm
            at = now
            noise = LevelNoise(level_dbm, at: now)
        }

        fileprivate mutating func record(_ newer: Level) {
            noise.record(newer.level_dbm, at: newer.at)
            (level_dbm, at) = (newer.level_dbm, newer.at)
        }
    }

    /// The most gateways whose levels help to place a beacon.
    static let mostGateways = 12
    /// The time after which a level that was not listed again does not count. Gateways list unchanged beacons every 10
    /// s, unless another `max_interval_s` is set.
    static let memory = TimeSpan.seconds(20)

    private(set) var levels: [Level] = []

    mutating func record(_ level: Level) {
        if let index = levels.firstIndex(where: { $0.gateway == level.gateway }) {
            levels[index].record(level)
        } else if levels.count < Self.mostGateways {
            levels.append(level)
        } else if let weakest = levels.indices.min(by: { levels[$0].level_dbm < levels[$1].level_dbm }),
            levels[weakest].level_dbm < level.level_dbm
        {
            levels[weakest] = level
        }
    }

    /// Returns the levels that count now: recent ones, of gateways that can hear.
    func current(_ hearing: GatewaySet, at now: Instant) -> [Level] {
        levels.filter { hearing.contains($0.gateway) && now - $0.at <= Self.memory }
    }

    /// Removes the level of a gateway that lists others, but not this beacon.
    mutating func remove(_ gateway: GatewayIndex) { levels.removeAll { $0.gateway == gateway } }
}

/// The noise of a beacon's level at a gateway, learned from its lists.
///
/// Noise reverses: a step down follows a step up. A moving beacon goes on. So the product of two consecutive steps
/// counts where they have opposite signs, and its mean over the last minute is the noise. A beacon at rest whose
/// readings scatter by 6 dB has 1.7 dB² at one reading a second and 0.5 dB² at four. A robot that drives through a flat
/// has 0.25 dB².
struct LevelNoise: Sendable {
    /// The noise before any is learned, dB².
    static let typical_db2: Float = 0.33
    /// The highest noise. The level of a gateway without smoothing reverses by more, and is averaged here instead, dB².
    private static let most_db2: Float = 2
    /// The number of steps that the initial noise counts for, and the number that the mean looks back: one a second.
    private static let fewestSteps: UInt8 = 20, mostSteps: UInt8 = 60
    /// Lists that come faster make one step together. After a longer time a step does not count as a reversal.
    private static let shortestStep = TimeSpan.milliseconds(500), longestStep = TimeSpan.milliseconds(2_500)

    private var at: Instant
    private var mean_db2 = typical_db2
    private var level_dbm: Float
    private var step_db: Float = 0
    private var steps = fewestSteps

    /// The noise of the level, dB².
    var turned_db2: Float { min(mean_db2, Self.most_db2) }

    init(_ level_dbm: Double, at now: Instant) {
        self.level_dbm = Float(level_dbm)
        at = now
    }

    /// Takes the level of another list.
    mutating func record(_ listed_dbm: Double, at now: Instant) {
        let elapsed = now - at
        guard elapsed >= Self.shortestStep else { return }
        let next_db = elapsed <= Self.longestStep ? Float(listed_dbm) - level_dbm : 0
        if elapsed <= Self.longestStep {
            steps = min(steps + 1, Self.mostSteps)
            mean_db2 += (max(0, -next_db * step_db) - mean_db2) / Float(steps)
        }
        (level_dbm, step_db, at) = (Float(listed_dbm), next_db, now)
    }
}
