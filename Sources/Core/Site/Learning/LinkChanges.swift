/// The changes of a quarter's links against their usual levels, and the gateways that explain them.
///
/// One gateway that is moved, turned or covered changes several of its links, and no link between others. A full shop or
/// new firmware changes all links alike. So there are two explanations: with a change that all links share, and without.
/// In each, the gateway whose links have changed most is named and its links are left out, until no gateway stands out. The
/// explanation counts that leaves less over and names fewer.
struct LinkChanges: Sendable {
    /// The change of one gateway.
    struct Verdict: Hashable, Sendable {
        var gateway: Int
        /// How clear the change is. A change of two quarters in a row with 1 each is sure.
        var score: Double
        /// The median change of its changed links without its sign; negative where most became weaker. dB.
        var change_db: Double
        var reason: LearnedReport.Reason
    }

    /// The change of the link between two gateways, both directions together.
    private struct Change {
        var one: Int
        var other: Int
        /// The mean of the directions, dB.
        var mean_db: Double
        /// The change of the levels of `other` at `one`, and of those of `one` at `other`, dB; `nil` for unknown.
        var atOne_db: Double?
        var atOther_db: Double?
        var deviation_db: Double

        func touches(_ gateway: Int) -> Bool { one == gateway || other == gateway }

        /// The change of what a gateway hears on this link, and of what it sends.
        func heard_db(by gateway: Int) -> Double? { one == gateway ? atOne_db : atOther_db }
        func sent_db(by gateway: Int) -> Double? { one == gateway ? atOther_db : atOne_db }
    }

    /// Gateways that explain the changes, and what is left over.
    private struct Explanation {
        var verdicts: [Verdict] = []
        var cost: Double
    }

    /// The days after which a link is judged.
    static let learnedDays = 5
    /// The least score of a gateway.
    static let leastScore = 0.45
    /// A change counts at most so much, dB: one link alone shows no move.
    private static let mostOfLink_db = 8.0
    /// The square of a change in standard deviations counts at most so much, because one link proves little.
    private static let mostSquare = 16.0
    /// A link that changes by so many standard deviations, and so many dB, has changed.
    private static let changedDeviations = 1.3, changed_db = 1.2
    /// The least change of the changed links, dB, as the root of the mean square: of links in all directions, and where
    /// nearly all are weaker. A display beside a gateway weakens many links alike, by little. A move changes some by much.
    private static let leastMove_db = 2.0, leastCover_db = 3.4
    /// The fewest changed links of a gateway, and their least share of all its links.
    private static let fewest = 2, leastShare = 0.4
    /// The cost of a gateway, and of a change of all links.
    private static let costOfGateway = 12.0, costOfAll = 8.0
    /// The level of a link that is not heard any more, dBm.
    private static let unheard_dbm: Float = -98
    /// The changes of a receiver or transmitter alone: the other one stays within, dB.
    private static let stays_db = 1.5
    /// The share of weaker links above which a gateway is covered.
    private static let coveredShare = 0.8

    private var changes: [Change] = []
    /// The gateways with links that are judged.
    private(set) var judged: Set<Int> = []

    init(_ readings: [LinkTable.Reading]) {
        // A gateway that no other one hears is off, and its health says so.
        let heard = Set(readings.lazy.filter { $0.level_dbm != nil }.map(\.link.sender))
        var directions: [LinkTable.Direction: (change_db: Double, deviation_db: Double)] = [:]
        for reading in readings {
            guard let usual = reading.usual, usual.days >= Self.learnedDays, heard.contains(reading.link.sender) else {
                continue
            }
            let level_dbm = reading.level_dbm ?? min(Self.unheard_dbm, usual.level_dbm)
            directions[reading.link] = (Double(level_dbm - usual.level_dbm), usual.deviation_db)
        }
        for (link, change) in directions.sorted(by: { $0.key < $1.key }) {
            let back = directions[link.reversed]
            if back != nil, link.receiver > link.sender { continue }
            let mean_db = back.map { ($0.change_db + change.change_db) / 2 } ?? change.change_db
            changes.append(
                Change(
                    one: link.receiver, other: link.sender, mean_db: mean_db, atOne_db: change.change_db,
                    atOther_db: back?.change_db, deviation_db: max(change.deviation_db, back?.deviation_db ?? 0)))
            judged.formUnion([link.receiver, link.sender])
        }
    }

    /// The gateways that have changed.
    var verdicts: [Verdict] {
        let alone = explain(without: 0)
        let common = explain(without: Self.median(changes.map(\.mean_db)))
        return alone.cost <= common.cost + Self.costOfAll ? alone.verdicts : common.verdicts
    }

    /// Explains the changes by gateways.
    ///
    /// - Parameter common_db: the change that all links share.
    private func explain(without common_db: Double) -> Explanation {
        var left = changes
        for index in left.indices { left[index].mean_db -= common_db }
        var explanation = Explanation(cost: 0)
        let most = max(1, judged.count / 4)
        while explanation.verdicts.count < most, let found = mostChanged(left) {
            explanation.verdicts.append(verdict(found.gateway, found.score, left, common_db))
            explanation.cost += Self.costOfGateway
            left.removeAll { $0.touches(found.gateway) }
        }
        explanation.cost += left.reduce(0) { $0 + Self.square($1) }
        return explanation
    }

    /// Returns the square of a change in standard deviations, as far as it counts.
    private static func square(_ change: Change) -> Double {
        let relative = change.mean_db / change.deviation_db
        return min(relative * relative, mostSquare)
    }

    private static func isChanged(_ change: Change) -> Bool {
        change.mean_db.magnitude >= max(changed_db, changedDeviations * change.deviation_db)
    }

    /// Returns the gateway with the highest score; `nil` where none stands out.
    private func mostChanged(_ changes: [Change]) -> (gateway: Int, score: Double)? {
        var best: (gateway: Int, score: Double)?
        for gateway in judged.sorted() {
            let own = changes.filter { $0.touches(gateway) }
            let changed = own.filter(Self.isChanged)
            guard changed.count >= Self.fewest, Double(changed.count) >= Self.leastShare * Double(own.count),
                Self.rootMeanSquare_db(changed)
                    >= (Self.weakerShare(changed) >= Self.coveredShare ? Self.leastCover_db : Self.leastMove_db)
            else { continue }
            let count = Double(own.count)
            let mean = own.reduce(0) { $0 + Self.square($1) } / count
            // The mean of few squares is large by chance more often.
            let score = (mean - 1) / (3 * (1 + 6 / count).squareRoot())
            if score >= max(Self.leastScore, best?.score ?? 0) { best = (gateway, score) }
        }
        return best
    }

    private func verdict(_ gateway: Int, _ score: Double, _ changes: [Change], _ common_db: Double) -> Verdict {
        let own = changes.filter { $0.touches(gateway) && Self.isChanged($0) }
        let weaker = Self.weakerShare(own)
        let size_db = Self.median(own.map(\.mean_db.magnitude))
        let heard = own.compactMap { $0.heard_db(by: gateway) }.map { ($0 - common_db).magnitude }
        let sent = own.compactMap { $0.sent_db(by: gateway) }.map { ($0 - common_db).magnitude }
        let hasBoth = heard.count >= Self.fewest && sent.count >= Self.fewest
        let reason: LearnedReport.Reason =
            if hasBoth, Self.median(heard) < Self.stays_db, Self.median(sent) > 2 * Self.stays_db {
                .beacon
            } else if hasBoth, Self.median(sent) < Self.stays_db, Self.median(heard) > 2 * Self.stays_db {
                .receiver
            } else {
                weaker >= Self.coveredShare ? .covered : .moved
            }
        return Verdict(gateway: gateway, score: score, change_db: weaker > 0.5 ? -size_db : size_db, reason: reason)
    }

    private static func weakerShare(_ changes: [Change]) -> Double {
        Double(changes.count { $0.mean_db < 0 }) / Double(max(1, changes.count))
    }

    /// Returns the root of the mean square of changes, dB.
    private static func rootMeanSquare_db(_ changes: [Change]) -> Double {
        let squares = changes.map { min($0.mean_db.magnitude, mostOfLink_db) }.map { $0 * $0 }
        return (squares.reduce(0, +) / Double(max(1, changes.count))).squareRoot()
    }

    private static func median(_ values: [Double]) -> Double { values.median ?? 0 }
}
