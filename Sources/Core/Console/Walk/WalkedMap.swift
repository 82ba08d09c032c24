import RealModule

/// A zone of a walk, and how surely the map tells it.
package struct WalkedZone: Hashable, Sendable {
    enum Advice: Hashable, Sendable {
        /// The map tells it from the others.
        case good
        /// No gateway heard the beacon there.
        case unheard
        /// Too few seconds, so that the zone is not in the map.
        case tooShort
        /// So few gateways hear it that no walk can help.
        case fewGateways(Int)
        /// A single pass, which may have missed its corners.
        case walkAgain
        /// Several passes, and it still sounds like another zone.
        case alike
    }

    /// Another zone, and the share of seconds in which the map says it.
    struct Other: Hashable, Sendable {
        var zone: String
        var share: Double
    }

    package var name: String
    var seconds: Int
    /// The seconds in which no gateway heard the beacon.
    var silent: Int
    var passes: Int
    /// The gateways that heard it, the strongest first.
    var gateways: [ZoneMap.Level]
    /// The share of its seconds in which the map says this zone, without the pass that is asked for; `nil` where the zone
    /// is the only one.
    var right: Double?
    /// The zone that the map says most often instead.
    var wrong: Other?

    /// A zone that is right less often needs advice.
    static let goodShare = 0.8
    /// The most gateways that are too few for any zone.
    private static let fewest = 2

    var advice: Advice {
        if seconds == 0 { return .unheard }
        if seconds < WalkedMap.leastSeconds { return .tooShort }
        guard let right, right < Self.goodShare else { return .good }
        if gateways.count <= Self.fewest { return .fewGateways(gateways.count) }
        return passes < 2 ? .walkAgain : .alike
    }
}

/// The zone map of a walk's stretches.
struct WalkedMap {
    /// The fewest seconds of a zone in the map.
    static let leastSeconds = 10
    /// A shorter pass is not left out alone.
    private static let leastPass = 5
    /// The parts of a zone that was walked once.
    private static let parts = 3
    /// The share of the past that counts for the next second, as in the store's belief.
    private static let kept = Double.exp(-ZoneBelief.forgotten_per_s)
    /// The variance of the level of a beacon at rest, dB².
    private static let noise_db2 = ZoneBelief.calm_db2 + ZoneBelief.noiseWeight * Double(LevelNoise.typical_db2)

    private let stretches: [ZoneWalk.Stretch]
    private let gateways: [String]

    init(_ stretches: [ZoneWalk.Stretch]) {
        self.stretches = stretches
        let heard = Set(stretches.flatMap { $0.seconds.flatMap(\.keys) })
        gateways = Array(heard.sorted().prefix(ZoneMap.maxGateways))
    }

    private var names: [String] { Set(stretches.map(\.zone)).sorted() }

    private func seconds(of zone: String) -> [ZoneWalk.Levels] {
        stretches.filter { $0.zone == zone }.flatMap(\.seconds)
    }

    /// The zones with enough seconds.
    var map: ZoneMap { ZoneMap(zones: names.compactMap { zone($0, of: seconds(of: $0)) }) }

    /// Returns a zone of the map; `nil` where it has too few seconds.
    private func zone(_ name: String, of seconds: [ZoneWalk.Levels], least: Int = leastSeconds) -> ZoneMap.Zone? {
        guard seconds.count >= least else { return nil }
        let levels = gateways.compactMap { gateway -> ZoneMap.Level? in
            let heard = seconds.count { $0[gateway] != nil }
            guard heard > 0 else { return nil }
            let levels = seconds.map { $0[gateway] ?? Self.floor_dbm(of: $0) }
            let mean = levels.reduce(0, +) / Double(levels.count)
            let square = levels.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(levels.count)
            return ZoneMap.Level(id: gateway, level_dbm: mean, spread_db: square.squareRoot(), seconds: heard)
        }
        return ZoneMap.Zone(name: name, seconds: seconds.count, levels: levels)
    }

    /// Returns the level that a gateway without a report counts as in a second.
    private static func floor_dbm(of second: ZoneWalk.Levels) -> Double {
        min(ZoneVectors.floor_dbm, (second.values.min() ?? 0) - ZoneVectors.belowListed_db)
    }

    /// Judges each zone by parts of the walk that the map has not seen.
    ///
    /// - Parameter former: the map before, whose other zones stay.
    func judged(beside former: ZoneMap) -> [WalkedZone] {
        let whole = former.updated(with: map)
        return names.map { name in
            let own = stretches.filter { $0.zone == name }
            let seconds = own.flatMap(\.seconds)
            let levels = zone(name, of: seconds, least: 1)?.levels ?? []
            var judged = WalkedZone(
                name: name, seconds: seconds.count, silent: own.reduce(0) { $0 + $1.silent },
                passes: own.count { $0.seconds.count >= Self.leastPass },
                gateways: levels.sorted { ($1.level_dbm, $0.id) < ($0.level_dbm, $1.id) })
            guard seconds.count >= Self.leastSeconds, whole.zones.count > 1 else { return judged }
            var judgements: [String: Int] = [:]
            for (part, rest) in Self.divided(own) {
                guard let rest = zone(name, of: rest, least: 1) else { continue }
                for zone in Self.zones(of: part, in: whole.updated(with: ZoneMap(zones: [rest])), gateways) {
                    judgements[zone, default: 0] += 1
                }
            }
            let count = Double(max(1, judgements.values.reduce(0, +)))
            judged.right = Double(judgements[name] ?? 0) / count
            judged.wrong = judgements.filter { $0.key != name }.max { ($0.value, $1.key) < ($1.value, $0.key) }.map {
                WalkedZone.Other(zone: $0.key, share: Double($0.value) / count)
            }
            return judged
        }
    }

    /// Returns each part of a zone's seconds with the rest of them: the passes, or thirds of the only one.
    private static func divided(
        _ stretches: [ZoneWalk.Stretch]
    ) -> [(part: [ZoneWalk.Levels], rest: [ZoneWalk.Levels])] {
        var passes = stretches.map(\.seconds).filter { $0.count >= leastPass }
        if passes.count < 2 {
            let all = stretches.flatMap(\.seconds)
            let length = (all.count + parts - 1) / parts
            passes = stride(from: 0, to: all.count, by: max(1, length)).map {
                Array(all[$0..<min($0 + length, all.count)])
            }
        }
        return passes.indices.map { number in
            (passes[number], passes.enumerated().flatMap { $0.offset == number ? [] : $0.element })
        }
    }

    /// Returns the zone that the map says in each second of a part.
    private static func zones(of part: [ZoneWalk.Levels], in map: ZoneMap, _ gateways: [String]) -> [String] {
        let names = map.zones.map(\.name)
        let numbers = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = Array(Set(gateways).union(map.gateways).sorted())
        let vectors = ZoneVectors(map, zones: numbers, ids: ids)
        let walked = Set(gateways)
        var misfits = Array(repeating: 0.0, count: names.count)
        return part.compactMap { levels in
            let readings = ids.indices.compactMap { number in
                levels[ids[number]].map {
                    ZoneVectors.Reading(gateway: number, level_dbm: $0, noise_db2: noise_db2)
                }
            }
            guard let found = vectors.misfits(readings, hears: { walked.contains(ids[$0]) }) else { return nil }
            for (zone, misfit) in found.ofZones { misfits[zone] = misfits[zone] * kept + misfit }
            return misfits.indices.min { misfits[$0] < misfits[$1] }.map { names[$0] }
        }
    }
}
