/// The gateways whose links have changed, over the quarters of the days.
///
/// A gateway is named after two quarters or more whose scores are large together. A score counts for a fifth less after
/// each further quarter: by night few beacons pass, so a change may be clear by day alone. A gateway whose change has
/// lasted is named at once, if no other one is named or has changed in the quarter. After two quarters without a
/// change the gateway is named no more, and after a week its new place is the usual one.
struct SuspectList: Sendable {
    /// The sum of the scores that names a gateway, and the share of it that is left after a quarter.
    private static let sure = 2.6, kept = 0.8
    /// The quarters in a row without a change, and the sum of the scores, after which a change is forgotten.
    private static let forgottenAfter = 3, leastScore = 0.2
    /// The quarters in a row that clear a gateway.
    private static let enough = 2
    /// The time after which a new place is the usual one.
    static let acceptedAfter = TimeSpan.seconds(7 * 86_400)

    private(set) var entries: [Int: StoredLearning.Suspect] = [:]

    init() {}

    /// Takes over an entry of an earlier process.
    mutating func restore(_ entry: StoredLearning.Suspect, of gateway: Int) { entries[gateway] = entry }

    /// Takes the verdicts of a quarter.
    ///
    /// - Parameters:
    ///   - lasting: the verdict on the latest quarters together.
    ///   - judged: the gateways whose links could be compared.
    /// - Returns: the gateways whose new place is the usual one now.
    mutating func take(
        _ verdicts: [LinkChanges.Verdict], lasting: LinkChanges.Verdict? = nil, judged: Set<Int>, from: WallTime,
        to: WallTime
    ) -> [Int] {
        let others = Set(verdicts.map(\.gateway)).union(entries.filter { $0.value.isNamed }.keys)
        let sole = lasting.flatMap { others.subtracting([$0.gateway]).isEmpty ? $0 : nil }
        for gateway in judged.sorted() {
            let lasts = sole?.gateway == gateway
            if let verdict = verdicts.first(where: { $0.gateway == gateway }) ?? (lasts ? sole : nil) {
                record(verdict, lasts: lasts, from: from)
            } else if var entry = entries[gateway] {
                entry.usualQuarters += 1
                entry.score *= Self.kept
                let isOver =
                    entry.isNamed
                    ? entry.usualQuarters >= Self.enough
                    : entry.usualQuarters >= Self.forgottenAfter || entry.score < Self.leastScore
                entries[gateway] = isOver ? nil : entry
            }
        }
        let accepted = entries.filter { $0.value.isNamed && to - $0.value.since >= Self.acceptedAfter }.keys.sorted()
        for gateway in accepted { entries[gateway] = nil }
        return accepted
    }

    private mutating func record(_ verdict: LinkChanges.Verdict, lasts: Bool, from: WallTime) {
        var entry =
            entries[verdict.gateway]
            ?? StoredLearning.Suspect(since: from, change_db: verdict.change_db, reason: verdict.reason, score: 0)
        let isFirst = entry.score == 0
        entry.isNamed = entry.isNamed || lasts || (!isFirst && entry.score + verdict.score >= Self.sure)
        entry.usualQuarters = 0
        entry.score = entry.score * Self.kept + verdict.score
        (entry.change_db, entry.reason) = (verdict.change_db, verdict.reason)
        entries[verdict.gateway] = entry
    }

    mutating func remove(_ gateway: Int) { entries[gateway] = nil }
}

extension StoredLearning.Suspect {
    /// True if the change is clear enough that its levels are not learned.
    var isClear: Bool { isNamed || score >= 1 }
}
