/// How strongly a store's gateways hear one beacon: the latest level of each, of the strongest few.
struct HeardLevels: Sendable {
    struct Level: Sendable {
        /// Offset included, dBm.
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

        fileprivate mutating func note(_ newer: Level) {
            noise.note(newer.level_dbm, at: newer.at)
            (level_dbm, at) = (newer.level_dbm, newer.at)
        }
    }

    /// As many gateways hear a beacon well enough to say something of its place.
    static let mostGateways = 12
    /// A gateway that has not listed a beacon for so long hears it no more. Gateways list what does not change every 10 s, unless
    /// they are set to another `max_interval_s`.
    static let memory = TimeSpan.seconds(20)

    private(set) var levels: [Level] = []

    mutating func note(_ level: Level) {
        if let index = levels.firstIndex(where: { $0.gateway == level.gateway }) {
            levels[index].note(level)
        } else if levels.count < Self.mostGateways {
            levels.append(level)
        } else if let weakest = levels.indices.min(by: { levels[$0].level_dbm < levels[$1].level_dbm }),
            levels[weakest].level_dbm < level.level_dbm
        {
            levels[weakest] = level
        }
    }

    /// The levels that count now: heard of late, by gateways that can hear.
    func current(_ hearing: GatewaySet, at now: Instant) -> [Level] {
        levels.filter { hearing.contains($0.gateway) && now - $0.at <= Self.memory }
    }

    /// The gateway lists others, and not this one.
    mutating func forget(_ gateway: GatewayIndex) { levels.removeAll { $0.gateway == gateway } }
}

/// How noisy the level is at which a gateway hears a beacon, learned from what it lists.
///
/// Noise turns back: a step up is followed by one down. A beacon that moves goes on. So the product of each two steps in a row counts
/// where they go opposite ways, and its mean over the last minute is the noise. Of a beacon that lies still and scatters by 6 dB a reading it
/// is 1.7 dB² at one reading a second and 0.5 dB² at four; of a robot that drives through a flat 0.25 dB².
struct LevelNoise: Sendable {
    /// What levels turn back by before anything is learned, dB².
    static let typical_db2: Float = 0.33
    /// No level is held to be noisier: that of a gateway which does not smooth turns back by more, and is averaged here instead, dB².
    private static let most_db2: Float = 2
    /// How many steps that counts for, and how many the mean looks back: one a second.
    private static let fewestSteps: UInt8 = 20, mostSteps: UInt8 = 60
    /// Lists that come faster than that make one step together; after a longer time nothing has turned back.
    private static let shortestStep = TimeSpan.milliseconds(500), longestStep = TimeSpan.milliseconds(2_500)

    private var at: Instant
    private var mean_db2 = typical_db2
    private var level_dbm: Float
    private var step_db: Float = 0
    private var steps = fewestSteps

    /// By how much the level turns back, dB².
    var turned_db2: Float { min(mean_db2, Self.most_db2) }

    init(_ level_dbm: Double, at now: Instant) {
        self.level_dbm = Float(level_dbm)
        at = now
    }

    /// The level is listed again.
    mutating func note(_ listed_dbm: Double, at now: Instant) {
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
