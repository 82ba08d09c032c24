import RealModule

/// What speaks for each pair of a newcomer and a predecessor once its rivals are weighed as well.
///
/// Evidence compares "this one rotated" with "the newcomer is a stranger". Where several fit about equally well, each pair
/// is likelier than a stranger and yet probably the wrong one. A pair's chance is its odds times the chances that both
/// are free: that the newcomer is none of the other predecessors, and the predecessor none of the other newcomers, which
/// depends on their rivals in turn (belief propagation on a matching; exact where rivals have no rivals in a circle, and
/// close to it otherwise).
enum RotationRivals {
    /// After so many rounds nothing moves any more that matters.
    private static let rounds = 8
    /// Scores are held to this, in nats, either way: beyond it is certain, and numbers stay exact.
    private static let certain = 20.0
    /// In favour of a pair where both ways cost about the same.
    private static let inDoubt = 0.05

    /// - Parameter scores: in nats by newcomer and predecessor, `RotationEvidence.mergeCost` already taken off; `nil`
    ///   where they can't be one.
    /// - Returns: Above zero where it costs less to make the pair than to leave the newcomer alone. A wrong merge costs 2, and
    ///   a split 1 where the newcomer is no stranger: 2 · (1 − p) < 1 − p(stranger). Where it surely is one of two that are
    ///   alike, both cost the same, and the pair is made, because a track too many is another wrong answer.
    static func weighed(_ scores: [[Double?]]) -> [[Double?]] {
        let columns = scores.first?.count ?? 0
        guard scores.count > 1 || columns > 1 else { return scores }
        let odds = scores.map { row in
            row.map { score in
                score.map { .exp(min(max($0, -certain), certain) + RotationEvidence.mergeCost) } ?? 0.0
            }
        }
        // The chance that a newcomer is free for a predecessor, and the other way round.
        var isNewcomerFree = odds.map { $0.map { _ in 1.0 } }
        var isPredecessorFree = isNewcomerFree
        for _ in 0..<rounds {
            var taken = [Double](repeating: 1, count: columns)
            for row in odds.indices {
                let sum = zip(odds[row], isPredecessorFree[row]).reduce(1) { $0 + $1.0 * $1.1 }
                for column in 0..<columns {
                    let free = 1 / max(1, sum - odds[row][column] * isPredecessorFree[row][column])
                    isNewcomerFree[row][column] = free
                    taken[column] += odds[row][column] * free
                }
            }
            for row in odds.indices {
                for column in 0..<columns {
                    let others = taken[column] - odds[row][column] * isNewcomerFree[row][column]
                    isPredecessorFree[row][column] = 1 / max(1, others)
                }
            }
        }
        return scores.indices.map { row in
            let parts = zip(odds[row], isPredecessorFree[row]).map { $0 * $1 }
            let stranger = 1 / (1 + parts.reduce(0, +))
            return zip(scores[row], parts).map { score, part in
                score == nil ? nil : .log(2 * part * stranger) - .log(1 + stranger) + inDoubt
            }
        }
    }
}
