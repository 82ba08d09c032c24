import RealModule

/// Pairs newcomers with possible predecessors, one to one, so that the sum of the scores is greatest. A newcomer
/// without a positive score stays alone.
///
/// Equal scores are decided by age, so that a replay is repeatable.
struct RotationPairing: Sendable {
    struct Pair: Equatable, Sendable {
        /// Indices of the candidates.
        var newcomer: Int
        var predecessor: Int
    }

    /// The most candidates on a side for an optimal pairing, which costs their cube. Beyond it the pairing is greedy.
    static let maxAssigned = 32

    /// - Parameter scores: by newcomer and predecessor, both the oldest first; `nil` where they cannot be one.
    static func pairs(_ scores: [[Double?]]) -> [Pair] {
        let columns = scores.first?.count ?? 0
        if scores.count > maxAssigned || columns > maxAssigned { return greedyPairs(scores) }
        return bestPairs(scores, columns: columns)
    }

    private static func greedyPairs(_ scores: [[Double?]]) -> [Pair] {
        var pairs: [(score: Double, pair: Pair)] = []
        for (newcomer, row) in scores.enumerated() {
            for (predecessor, score) in row.enumerated() {
                if let score, score > 0 { pairs.append((score, Pair(newcomer: newcomer, predecessor: predecessor))) }
            }
        }
        pairs.sort {
            (-$0.score, $0.pair.newcomer, $0.pair.predecessor) < (-$1.score, $1.pair.newcomer, $1.pair.predecessor)
        }
        var (newcomers, predecessors): (Set<Int>, Set<Int>) = ([], [])
        return pairs.map(\.pair).filter {
            guard !newcomers.contains($0.newcomer), !predecessors.contains($0.predecessor) else { return false }
            newcomers.insert($0.newcomer)
            predecessors.insert($0.predecessor)
            return true
        }
    }

    /// Returns the assignment with the greatest sum, by shortest augmenting paths (Jonker and Volgenant, 1987). Each
    /// newcomer has one more column, of score 0: to stay alone. The youngest newcomer's column comes first, so among
    /// equals the youngest stays alone.
    private static func bestPairs(_ scores: [[Double?]], columns: Int) -> [Pair] {
        let width = columns + scores.count
        /// Too expensive for any assignment; finite, so that sums stay finite.
        let impossible = 1e9
        func cost(_ row: Int, _ column: Int) -> Double {
            guard column < columns else { return width - 1 - column == row ? 0 : impossible }
            return scores[row][column].map { -$0 } ?? impossible
        }
        // Potentials, and the row of each column. A path begins at column `width`.
        var rowPotential = [Double](repeating: 0, count: scores.count)
        var columnPotential = [Double](repeating: 0, count: width + 1)
        var rowOfColumn = [Int?](repeating: nil, count: width + 1)
        for row in scores.indices {
            rowOfColumn[width] = row
            var column = width
            var distance = [Double](repeating: .infinity, count: width)
            var previous = [Int](repeating: width, count: width)
            var isDone = [Bool](repeating: false, count: width + 1)
            while let current = rowOfColumn[column] {
                isDone[column] = true
                var (nearest, delta) = (width, Double.infinity)
                for next in 0..<width where !isDone[next] {
                    let reduced = cost(current, next) - rowPotential[current] - columnPotential[next]
                    if reduced < distance[next] { (distance[next], previous[next]) = (reduced, column) }
                    if distance[next] < delta { (delta, nearest) = (distance[next], next) }
                }
                for done in 0...width where isDone[done] {
                    if let row = rowOfColumn[done] { rowPotential[row] += delta }
                    columnPotential[done] -= delta
                }
                for open in 0..<width where !isDone[open] { distance[open] -= delta }
                column = nearest
            }
            while column != width {
                rowOfColumn[column] = rowOfColumn[previous[column]]
                column = previous[column]
            }
        }
        return (0..<columns).compactMap { column in
            guard let row = rowOfColumn[column], let score = scores[row][column], score > 0 else { return nil }
            return Pair(newcomer: row, predecessor: column)
        }
    }
}

/// Weighs each pair of newcomer and predecessor against its rivals.
///
/// The evidence compares "this one rotated" with "the newcomer is a stranger". Where several predecessors fit about
/// equally well, each pair is likelier than a stranger and yet probably wrong. A pair's chance is its odds times the
/// chances that both are free. A newcomer is free if it is none of the other predecessors, and a predecessor if it is
/// none of the other newcomers. Those chances depend on their rivals in turn (belief propagation on a matching). The
/// result is exact where rivals form no cycle, and close to it otherwise.
enum RotationRivals {
    /// The number of rounds, after which the values hardly change.
    private static let rounds = 8
    /// The bound of scores, in nats, in both directions. Beyond it a pair is certain, and numbers stay exact.
    private static let certain = 20.0
    /// The bonus of a pair where both choices cost about the same.
    private static let inDoubt = 0.05

    /// - Parameter scores: in nats by newcomer and predecessor, with `RotationEvidence.mergeCost` subtracted; `nil`
    ///   where they cannot be one.
    /// - Returns: scores above zero where making the pair costs less than leaving the newcomer alone. A wrong merge
    ///   costs 2, and a split costs 1 where the newcomer is no stranger: 2 · (1 − p) < 1 − p(stranger). Where it
    ///   certainly is one of two alike, both choices cost the same. The pair is made then, because an extra track is
    ///   another wrong answer.
    static func weighed(_ scores: [[Double?]]) -> [[Double?]] {
        let columns = scores.first?.count ?? 0
        guard scores.count > 1 || columns > 1 else { return scores }
        let odds = scores.map { row in
            row.map { score in
                score.map { .exp(min(max($0, -certain), certain) + RotationEvidence.mergeCost) } ?? 0.0
            }
        }
        // The chance that a newcomer is free for a predecessor, and vice versa.
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

/// The form of an advertisement apart from the frame, which a device keeps when its address changes.
struct AdvertisingTraits: Hashable, Sendable {
    private let bits: UInt64

    static let none = AdvertisingTraits(bits: 0)

    private init(bits: UInt64) { self.bits = bits }

    /// The kind of report and of address, the advertising set, and the length of the data. Other structures beside the
    /// frame, such as Flags or TX Power Level, make it longer.
    init(_ report: AdvertisingReport, length: Int) {
        bits =
            UInt64(report.eventType) | UInt64(report.advertisingSID) << 16 | (report.isExtended ? 1 : 0) << 24
            | (report.address.bits >> 46) << 25 | UInt64(clamping: length) << 32
    }
}

/// The evidence kept for a transmitter's next rotation. Most of a shop's own beacons keep their address, and a trace is
/// a sixth as long as a transmitter. So traces have a table of their own.
struct RotationTrace: Sendable {
    /// The form of its first advertisement apart from the frame.
    let traits: AdvertisingTraits
    /// The level of the last seconds.
    var recentLevel = RecentLevel()
}

/// The slot of a transmitter's trace in `Rotation`.
struct TraceSlot: SlotNumber {
    let number: UInt32
}

/// The newcomers that are resolving: their identities, first reports and deadlines. Usually there are none.
struct ResolvingNewcomers: Sendable {
    private struct Group: Sendable {
        /// The first report of the youngest newcomer.
        var latest: Instant
        /// The last weighing of a crowd.
        var weighedAt: Instant?
    }

    private var groups: [IdentitySlot: Group] = [:]
    /// The next check of each newcomer.
    private var dues: [TransmitterSlot: Instant] = [:]
    private(set) var timers = TimerQueue<TransmitterSlot>()

    var nextDue: Instant { timers.nextDue }

    /// Marks a transmitter that was first heard just now as resolving.
    mutating func begin(_ slot: TransmitterSlot, at now: Instant, in table: inout TransmitterTable) {
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].trackState = .resolving
        table.identities[identity].resolvingCount += 1
        groups[identity, default: Group(latest: now)].latest = now
    }

    /// Ends the resolving of a transmitter that is decided, is forgotten, or leaves the list.
    mutating func end(_ slot: TransmitterSlot, as state: Transmitter.TrackState, in table: inout TransmitterTable) {
        assert(table.transmitters[slot].trackState == .resolving, "it was decided before")
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].trackState = state
        dues[slot] = nil
        table.identities[identity].resolvingCount -= 1
        if table.identities[identity].resolvingCount == 0 { groups[identity] = nil }
    }

    /// Sets the next check of a newcomer, and replaces an earlier one.
    mutating func watch(_ slot: TransmitterSlot, until due: Instant) {
        dues[slot] = due
        timers.set(slot, at: due)
        timers.throwOutStale(of: dues.count) { [dues] in dues[$0.subject] == $0.due }
    }

    /// Removes the first timer.
    ///
    /// - Returns: the newcomer to check; `nil` where it is no newcomer any more.
    mutating func runFirst() -> TransmitterSlot? {
        guard let timer = timers.removeFirst(), dues[timer.subject] == timer.due else { return nil }
        dues[timer.subject] = nil
        return timer.subject
    }

    /// Returns the first report of the youngest newcomer of an identity; `nil` where none is resolving.
    func latest(of identity: IdentitySlot, in table: TransmitterTable) -> Instant? {
        // A look into the dictionary is saved while it is empty.
        table.identities[identity].resolvingCount > 0 ? groups[identity]?.latest : nil
    }

    /// Returns whether the last weighing of an identity's newcomers is at least `pause` ago. If so, records a weighing
    /// now.
    mutating func takesTurn(_ identity: IdentitySlot, after pause: TimeSpan, at now: Instant) -> Bool {
        guard let last = groups[identity]?.weighedAt, now < last + pause else {
            groups[identity]?.weighedAt = now
            return true
        }
        return false
    }

    /// Returns whether exactly the resolving transmitters have a check set. For checks.
    func watches(exactly slots: Set<TransmitterSlot>, of identities: Set<IdentitySlot>) -> Bool {
        Set(dues.keys) == slots && Set(groups.keys) == identities
            && Set(timers.all.filter { dues[$0.subject] == $0.due }.map(\.subject)) == slots
    }
}
