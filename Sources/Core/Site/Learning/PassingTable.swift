/// The levels at which gateways hear the beacons that move past them.
///
/// A gateway that was moved hears these beacons at other levels, even where its links to other gateways have hardly
/// changed. Only the gateway that hears has moved, so these levels tell which end of a changed link it was. A beacon is
/// near the gateway that hears it best. So each gateway has a mean level of the beacons near each one, itself among
/// them. A gateway that is off leaves its beacons to others, and the levels of beacons near these do not count.
struct PassingTable: Sendable {
    private struct Sum: Sendable {
        var level_dbm = 0.0
        var count = 0
    }

    /// The fewest levels of a quarter whose mean counts.
    private static let fewest = 15
    /// The most directions: neighbours of 64 gateways are fewer.
    private static let most = 1_024

    private var sums: [LinkTable.Direction: Sum] = [:]
    private var usual: [LinkTable.Direction: [LinkTable.Usual?]] = [:]
    /// The readings of the quarter before.
    private var latest: [LinkTable.Direction: LinkTable.Reading] = [:]

    init() {}

    /// Takes the level of a beacon at a gateway.
    ///
    /// - Parameter best: the gateway that hears the beacon best.
    mutating func take(_ level_dbm: Double, at receiver: Int, near best: Int) {
        let direction = LinkTable.Direction(receiver: receiver, sender: best)
        guard sums[direction] != nil || sums.count < Self.most else { return }
        sums[direction, default: Sum()].level_dbm += level_dbm
        sums[direction, default: Sum()].count += 1
    }

    /// Ends a quarter of the day, and returns its readings in the order of the directions.
    ///
    /// - Parameter absent: the gateways that were off in the quarter, or in a part of it.
    /// - Returns: the readings of the quarter, and those of the quarter before where few beacons have moved.
    mutating func end(
        quarter: Int, absent: Set<Int>
    ) -> (fresh: [LinkTable.Reading], carried: [LinkTable.Reading]) {
        let disturbed = neighbours(of: absent)
        var fresh: [LinkTable.Direction: LinkTable.Reading] = [:]
        for (direction, sum) in sums where sum.count >= Self.fewest {
            guard !disturbed.contains(direction.receiver), !disturbed.contains(direction.sender) else { continue }
            fresh[direction] = LinkTable.Reading(
                link: direction, level_dbm: Float(sum.level_dbm / Double(sum.count)), usual: usual[direction]?[quarter])
        }
        let carried = latest.filter { fresh[$0.key] == nil && !disturbed.contains($0.key.receiver) }
        (sums, latest) = ([:], fresh)
        func sorted(_ readings: [LinkTable.Direction: LinkTable.Reading]) -> [LinkTable.Reading] {
            readings.values.sorted { $0.link < $1.link }
        }
        return (sorted(fresh), sorted(carried))
    }

    /// Returns gateways, and those that share beacons with one of them.
    private func neighbours(of gateways: Set<Int>) -> Set<Int> {
        guard !gateways.isEmpty else { return [] }
        return usual.keys.reduce(into: gateways) { found, direction in
            if gateways.contains(direction.receiver) { found.insert(direction.sender) }
            if gateways.contains(direction.sender) { found.insert(direction.receiver) }
        }
    }

    /// Learns the level of a quarter of a day.
    mutating func learn(_ reading: LinkTable.Reading, quarter: Int) {
        guard let level_dbm = reading.level_dbm, usual[reading.link] != nil || usual.count < Self.most else { return }
        var known = usual[reading.link] ?? Array(repeating: nil, count: LinkTable.quarters)
        LinkTable.learn(level_dbm, quarter: quarter, of: &known)
        usual[reading.link] = known
    }

    /// Removes the levels at a gateway, and those of beacons near it.
    mutating func remove(_ gateway: Int) {
        usual = usual.filter { !$0.key.touches(gateway) }
        sums = sums.filter { !$0.key.touches(gateway) }
        latest = latest.filter { !$0.key.touches(gateway) }
    }

    /// Returns the usual levels at a gateway of the beacons near each one, in the order of these.
    func usual(of receiver: Int) -> [(best: Int, usual: [LinkTable.Usual?])] {
        usual.filter { $0.key.receiver == receiver }.sorted { $0.key < $1.key }.map { ($0.key.sender, $0.value) }
    }

    /// Returns the usual level at each gateway of the beacons near it, over the quarters of the day.
    var near: [(gateway: Int, usual: LinkTable.Usual)] {
        usual.keys.filter { $0.receiver == $0.sender }.sorted().compactMap { direction in
            let known = (usual[direction] ?? []).compactMap(\.self)
            guard let days = known.map(\.days).max() else { return nil }
            let level_dbm = known.reduce(0) { $0 + $1.level_dbm } / Float(known.count)
            return (direction.receiver, LinkTable.Usual(level_dbm: level_dbm, days: days))
        }
    }

    /// Takes over what an earlier process has learned.
    mutating func restore(_ levels: [LinkTable.Usual?], of direction: LinkTable.Direction) {
        guard levels.count == LinkTable.quarters, usual.count < Self.most else { return }
        usual[direction] = levels
    }
}
