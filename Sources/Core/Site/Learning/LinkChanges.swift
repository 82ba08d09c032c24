/// The changes of a quarter's links and passing beacons against their usual levels, and the gateways that explain them.
///
/// One gateway that is moved, turned or covered changes several of its links, and no link between others. It hears passing
/// beacons at other levels too, which shows the end of a link that has changed alone. A full shop or new firmware changes
/// all links alike. So there are two explanations: with a change that all links share, and without.
/// In each, the gateway whose links have changed most is named and its links are left out, until no gateway stands out. The
/// explanation counts that leaves less over and names fewer.
struct LinkChanges: Sendable {
    /// The change of one gateway.
    struct Verdict: Hashable, Sendable {
        var gateway: Int
        /// How clear the change is.
        var score: Double
        /// The median change of its changed links without its sign; negative where most became weaker. dB.
        var change_db: Double
        var reason: LearnedReport.Reason
    }

    /// The change of a level at the receiver of a link.
    struct Heard: Sendable {
        var link: LinkTable.Direction
        var change_db: Float
        var deviation_db: Float
    }

    /// The least changes with which a gateway stands out.
    struct Bounds: Sendable {
        /// The changed links, dB, as the root of the mean square; and with levels of passing beacons that have changed too.
        var move_db: Double, withPassing_db: Double
        /// The share of its links, and the number of them where passing beacons show the change.
        var share: Double, links: Int

        /// Of one quarter, and of several ones.
        static let quarter = Bounds(move_db: 2, withPassing_db: 3, share: 0.4, links: 0)
        static let lasting = Bounds(move_db: 1.4, withPassing_db: 2.1, share: 0.2, links: 1)
    }

    /// The change of the link between two gateways, both directions together.
    private struct Change: LevelChange {
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

    /// The change of the levels at which a gateway hears the beacons near another one, or near itself.
    private struct Passing: LevelChange {
        var gateway: Int
        var mean_db: Double
        var deviation_db: Double
    }

    /// Gateways that explain the changes, and what is left over.
    private struct Explanation {
        var verdicts: [Verdict] = []
        var cost: Double
    }

    /// The days after which a link is judged.
    static let learnedDays = 5
    static let leastScore = 0.45
    /// A change counts at most so much, dB: one link alone shows no move.
    private static let mostOfLink_db = 8.0
    /// The square of a change in standard deviations counts at most so much, because one link proves little.
    private static let mostSquare = 16.0
    /// The most that the square counts in the score of a gateway.
    private static let mostSquareOfGateway = 25.0
    /// A link that changes by so many standard deviations, and so many dB, has changed.
    private static let changedDeviations = 1.3, changed_db = 1.2
    /// The least change of the changed links where nearly all are weaker, dB, as the root of the mean square. A display
    /// beside a gateway weakens many links alike, by little. A move changes some by much.
    private static let leastCover_db = 3.4
    /// The change of a link alone that names the end at which passing beacons have changed too: dB, and deviations.
    private static let aloneChange_db = 6.0, aloneDeviations = 4.0
    /// The weight of the score of passing beacons, its least value, and the least that counts as a change.
    private static let weightOfPassing = 0.6, leastOfPassing = -0.3, changedPassing = 0.3
    /// The fewest levels of passing beacons whose median is a change of the beacons themselves.
    private static let fewestPassing = 6
    private static let fewest = 2
    private static let costOfGateway = 12.0, costOfAll = 8.0
    /// The level of a link that is not heard any more, dBm.
    private static let unheard_dbm: Float = -98
    /// The changes of a receiver or transmitter alone: the other one stays within, dB.
    private static let stays_db = 1.5
    /// The share of weaker links above which a gateway is covered.
    private static let coveredShare = 0.8

    private let bounds: Bounds
    private var changes: [Change] = []
    private var passing: [Passing] = []
    /// The gateways with links that are judged.
    private(set) var judged: Set<Int> = []

    /// Returns the changes of the levels that are learned.
    static func heard(_ readings: [LinkTable.Reading]) -> [Heard] {
        // A gateway that no other one hears is off, and its health says so.
        let heard = Set(readings.lazy.filter { $0.level_dbm != nil }.map(\.link.sender))
        return readings.compactMap { reading in
            guard let usual = reading.usual, usual.days >= learnedDays, heard.contains(reading.link.sender) else {
                return nil
            }
            let level_dbm = reading.level_dbm ?? min(unheard_dbm, usual.level_dbm)
            return Heard(
                link: reading.link, change_db: level_dbm - usual.level_dbm, deviation_db: Float(usual.deviation_db))
        }
    }

    /// - Parameters:
    ///   - heard: the changes of links.
    ///   - passing: those of the levels of beacons that pass gateways.
    init(_ heard: [Heard], passing: [Heard] = [], bounds: Bounds = .quarter) {
        self.bounds = bounds
        var directions: [LinkTable.Direction: (change_db: Double, deviation_db: Double)] = [:]
        for one in heard { directions[one.link] = (Double(one.change_db), Double(one.deviation_db)) }
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
        for one in passing where judged.contains(one.link.receiver) {
            self.passing.append(
                Passing(
                    gateway: one.link.receiver, mean_db: Double(one.change_db), deviation_db: Double(one.deviation_db)))
        }
        guard self.passing.count >= Self.fewestPassing else { return }
        // Other beacons may be stronger than those of the days before.
        let common_db = Self.median(self.passing.map(\.mean_db))
        for index in self.passing.indices { self.passing[index].mean_db -= common_db }
    }

    /// The gateways that have changed.
    var verdicts: [Verdict] {
        let (alone, common) = explanations
        return alone.cost <= common.cost + Self.costOfAll ? alone.verdicts : common.verdicts
    }

    /// The most changed gateway, if it is the same one in both explanations.
    var agreed: Verdict? {
        let (alone, common) = explanations
        guard let one = alone.verdicts.first, let other = common.verdicts.first, one.gateway == other.gateway else {
            return nil
        }
        return other.score < one.score ? other : one
    }

    /// The explanations without a change that all links share, and with it.
    private var explanations: (alone: Explanation, common: Explanation) {
        (explain(without: 0), explain(without: Self.median(changes.map(\.mean_db))))
    }

    /// Explains the changes by gateways.
    ///
    /// - Parameter common_db: the change that all links share.
    private func explain(without common_db: Double) -> Explanation {
        var (left, passed) = (changes, passing)
        for index in left.indices { left[index].mean_db -= common_db }
        // So few have no median of their own, and what changes all links changes them too.
        if passed.count < Self.fewestPassing {
            for index in passed.indices { passed[index].mean_db -= common_db }
        }
        var explanation = Explanation(cost: 0)
        let most = max(1, judged.count / 4)
        while explanation.verdicts.count < most, let found = mostChanged(left, passed) {
            explanation.verdicts.append(verdict(found.gateway, found.score, left, passed, common_db))
            explanation.cost += Self.costOfGateway
            left.removeAll { $0.touches(found.gateway) }
            passed.removeAll { $0.gateway == found.gateway }
        }
        explanation.cost += left.reduce(0) { $0 + Self.square($1) }
        explanation.cost += passed.reduce(0) { $0 + Self.square($1) }
        return explanation
    }

    /// Returns the square of a change in standard deviations, as far as it counts.
    private static func square(_ change: some LevelChange, most: Double = mostSquare) -> Double {
        let relative = change.mean_db / change.deviation_db
        return min(relative * relative, most)
    }

    private static func isChanged(_ change: some LevelChange) -> Bool {
        change.mean_db.magnitude >= max(changed_db, changedDeviations * change.deviation_db)
    }

    /// Returns how far the mean of squares is above that of chance. The mean of few is large by chance more often.
    private static func score(_ squares: [Double]) -> Double {
        guard !squares.isEmpty else { return 0 }
        let count = Double(squares.count)
        return (squares.reduce(0, +) / count - 1) / (3 * (1 + 6 / count).squareRoot())
    }

    /// Returns the gateway with the highest score; `nil` where none stands out.
    private func mostChanged(_ changes: [Change], _ passing: [Passing]) -> (gateway: Int, score: Double)? {
        var best: (gateway: Int, score: Double)?
        for gateway in judged.sorted() {
            let own = changes.filter { $0.touches(gateway) }
            let passed = passing.filter { $0.gateway == gateway }
            guard !own.isEmpty else { continue }
            let ofPassing = passed.count < Self.fewest ? 0 : Self.score(passed.map { Self.square($0) })
            guard standsOut(own, passed, ofPassing) else { continue }
            let score =
                Self.score(own.map { Self.square($0, most: Self.mostSquareOfGateway) })
                + Self.weightOfPassing * max(ofPassing, Self.leastOfPassing)
            if score >= max(Self.leastScore, best?.score ?? 0) { best = (gateway, score) }
        }
        return best
    }

    /// Returns whether the changes of a gateway are many and large enough.
    ///
    /// - Parameter score: of the passing beacons.
    private func standsOut(_ own: [Change], _ passed: [Passing], _ score: Double) -> Bool {
        let links_db = own.filter { Self.isChanged($0) }.map(\.mean_db)
        let least_db = Self.weakerShare(links_db) >= Self.coveredShare ? Self.leastCover_db : bounds.move_db
        if links_db.count >= Self.fewest, Double(links_db.count) >= bounds.share * Double(own.count),
            Self.rootMeanSquare_db(links_db) >= least_db
        {
            return true
        }
        guard passed.count >= Self.fewest, score >= 0 else { return false }
        if own.contains(where: {
            $0.mean_db.magnitude >= max(Self.aloneChange_db, Self.aloneDeviations * $0.deviation_db)
        }) {
            return true
        }
        let passed_db = passed.filter { Self.isChanged($0) }.map(\.mean_db)
        return !passed_db.isEmpty && links_db.count >= bounds.links && passed_db.count + links_db.count >= Self.fewest
            && score >= Self.changedPassing && Self.rootMeanSquare_db(links_db + passed_db) >= bounds.withPassing_db
    }

    private func verdict(
        _ gateway: Int, _ score: Double, _ changes: [Change], _ passing: [Passing], _ common_db: Double
    ) -> Verdict {
        let own = changes.filter { $0.touches(gateway) && Self.isChanged($0) }
        let passed_db = passing.filter { $0.gateway == gateway && Self.isChanged($0) }
            .map(\.mean_db)
        let weaker = Self.weakerShare(own.map(\.mean_db) + passed_db)
        let size_db = Self.median((own.isEmpty ? passed_db : own.map(\.mean_db)).map(\.magnitude))
        let heard = own.compactMap { $0.heard_db(by: gateway) }.map { ($0 - common_db).magnitude }
        let sent = own.compactMap { $0.sent_db(by: gateway) }.map { ($0 - common_db).magnitude }
        let hasBoth = heard.count >= Self.fewest && sent.count >= Self.fewest
        let reason: LearnedReport.Reason =
            if hasBoth, Self.median(heard) < Self.stays_db, Self.median(sent) > 2 * Self.stays_db {
                .beacon
            } else if hasBoth, Self.median(sent) < Self.stays_db, Self.median(heard) > 2 * Self.stays_db {
                .receiver
            } else {
                weaker >= Self.coveredShare && own.count >= Self.fewest ? .covered : .moved
            }
        return Verdict(gateway: gateway, score: score, change_db: weaker > 0.5 ? -size_db : size_db, reason: reason)
    }

    private static func weakerShare(_ changes_db: [Double]) -> Double {
        Double(changes_db.count { $0 < 0 }) / Double(max(1, changes_db.count))
    }

    /// Returns the root of the mean square of changes, dB.
    private static func rootMeanSquare_db(_ changes_db: [Double]) -> Double {
        let squares = changes_db.map { min($0.magnitude, mostOfLink_db) }.map { $0 * $0 }
        return (squares.reduce(0, +) / Double(max(1, changes_db.count))).squareRoot()
    }

    private static func median(_ values: [Double]) -> Double { values.median ?? 0 }
}

/// The change of a level with its standard deviation, dB.
private protocol LevelChange {
    var mean_db: Double { get }
    var deviation_db: Double { get }
}
