/// The zone map in the form in which it weighs zones: the levels of each walked zone at each gateway of the map.
///
/// A beacon may send stronger or weaker than the one of the walk. So only the differences between gateways count: the
/// common difference from a zone's levels is fitted, and the rest is the zone's misfit.
struct ZoneVectors: Sendable {
    /// The level of a beacon at a gateway.
    struct Reading: Sendable {
        var gateway: Int
        /// Without the gateway's offset.
        var level_dbm: Double
        /// The variance of the level of a beacon at rest, dB².
        var noise_db2: Double
    }

    /// The levels of a zone, by the map's gateways.
    private struct Vector: Sendable {
        var zone: Int
        var levels_dbm: [Double]
        var variances_db2: [Double]
        /// The gateways that heard the beacon there.
        var witnesses = GatewaySet()
    }

    /// The level of a gateway that does not report the beacon, dBm, and how far it is below the weakest report.
    static let floor_dbm = -95.0
    static let belowListed_db = 3.0
    /// The least spread: no walk reaches each place of a zone.
    private static let leastSpread_db = 3.0
    /// The spread of a gateway that never reported the beacon in a zone.
    private static let unheardSpread_db = 4.0
    /// The most that one gateway adds to a misfit: it may be covered since the walk.
    private static let mostOfOne = 9.0
    /// The fewest gateways of the map that have to hear: one level shows nothing about a zone.
    static let fewestGateways = 2
    /// The spread of what beacons send, dB.
    private static let powerSpread_db = 8.0

    /// The place of each gateway in the vectors, by its number; `nil` for one that is not in the map.
    private let columns: [Int?]
    private let vectors: [Vector]
    private let byZone: [Int: Int]

    /// - Parameters:
    ///   - zones: the number of each zone that counts, by its name.
    ///   - ids: of the gateways, by their numbers.
    init(_ map: ZoneMap, zones: [String: Int], ids: [String]) {
        let known = map.gateways.filter { ids.contains($0) }
        let places = Dictionary(known.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        columns = ids.map { places[$0] }
        let numbers = Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var vectors: [Vector] = []
        for zone in map.zones {
            guard let number = zones[zone.name] else { continue }
            var vector = Vector(
                zone: number, levels_dbm: Array(repeating: Self.floor_dbm, count: known.count),
                variances_db2: Array(repeating: Self.unheardSpread_db * Self.unheardSpread_db, count: known.count))
            for level in zone.levels {
                guard let place = places[level.id], let gateway = numbers[level.id] else { continue }
                let spread_db = max(level.spread_db, Self.leastSpread_db)
                vector.levels_dbm[place] = level.level_dbm
                vector.variances_db2[place] = spread_db * spread_db
                if level.seconds > 0 { vector.witnesses.insert(GatewayIndex(gateway)) }
            }
            if !vector.witnesses.isEmpty { vectors.append(vector) }
        }
        self.vectors = vectors
        byZone = Dictionary(vectors.enumerated().map { ($1.zone, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { vectors.isEmpty }

    func hasWalked(_ zone: Int) -> Bool { byZone[zone] != nil }

    /// Returns whether a gateway heard the beacon of the walk in a zone.
    func isWitness(_ gateway: GatewayIndex, of zone: Int) -> Bool {
        byZone[zone].map { vectors[$0].witnesses.contains(gateway) } ?? false
    }

    /// The misfit of each walked zone, and the number of gateways that they are of.
    struct Misfits: Sendable {
        var ofZones: [(zone: Int, misfit: Double)]
        var gateways: Int
    }

    /// Compares the levels of a beacon with those of each zone. The misfit of a zone is χ²: about the number of gateways
    /// where the beacon is in it.
    ///
    /// - Parameters:
    ///   - readings: of different gateways.
    ///   - hears: whether a gateway that has no reading could have heard the beacon.
    /// - Returns: `nil` where too few gateways of the map hear.
    func misfits(_ readings: [Reading], hears: (Int) -> Bool) -> Misfits? {
        let listed = readings.compactMap { reading -> (column: Int, reading: Reading)? in
            guard columns.indices.contains(reading.gateway), let column = columns[reading.gateway] else { return nil }
            return (column, reading)
        }
        guard let weakest_dbm = listed.map(\.reading.level_dbm).min() else { return nil }
        var isListed = Array(repeating: false, count: columns.count)
        for reading in readings where isListed.indices.contains(reading.gateway) { isListed[reading.gateway] = true }
        let unlisted = columns.indices.compactMap { number in
            isListed[number] || !hears(number) ? nil : columns[number]
        }
        guard listed.count + unlisted.count >= Self.fewestGateways else { return nil }
        let floor_dbm = min(Self.floor_dbm, weakest_dbm - Self.belowListed_db)
        let ofZones = vectors.map { ($0.zone, Self.misfit($0, listed, unlisted, floor_dbm)) }
        return Misfits(ofZones: ofZones, gateways: listed.count + unlisted.count)
    }

    private static func misfit(
        _ vector: Vector, _ listed: [(column: Int, reading: Reading)], _ unlisted: [Int], _ floor_dbm: Double
    ) -> Double {
        // The power of the beacon over that of the walk.
        let prior = 1 / (powerSpread_db * powerSpread_db)
        var (sum, weights) = (0.0, prior)
        for (column, reading) in listed {
            let weight = 1 / (vector.variances_db2[column] + reading.noise_db2)
            sum += weight * (reading.level_dbm - vector.levels_dbm[column])
            weights += weight
        }
        let power_db = sum / weights
        var misfit = power_db * power_db * prior
        for (column, reading) in listed {
            let difference_db = reading.level_dbm - vector.levels_dbm[column] - power_db
            misfit += min(mostOfOne, difference_db * difference_db / (vector.variances_db2[column] + reading.noise_db2))
        }
        for column in unlisted {
            // A level below the floor fits any zone in which the gateway hears as little.
            let above_db = max(0, vector.levels_dbm[column] + power_db - floor_dbm)
            misfit += min(mostOfOne, above_db * above_db / vector.variances_db2[column])
        }
        return misfit
    }
}
