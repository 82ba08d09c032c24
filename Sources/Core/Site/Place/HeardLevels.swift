/// How strongly a store's gateways hear one beacon: the latest level of each, of the strongest few.
struct HeardLevels: Sendable {
    package struct Level: Sendable {
        /// Offset included, dBm.
        var level_dbm: Double
        package var at: Instant
        private(set) var noise: LevelNoise
        package var gateway: GatewayIndex

        package init(gateway: GatewayIndex, level_dbm: Double, at now: Instant) {
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
    package func current(_ hearing: GatewaySet, at now: Instant) -> [Level] {
        levels.filter { hearing.contains($0.gateway) && now - $0.at <= Self.memory }
    }

    /// The gateway lists others, and not this one.
    mutating func forget(_ gateway: GatewayIndex) { levels.removeAll { $0.gateway == gateway } }
}
