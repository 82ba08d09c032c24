import RealModule

/// Pairs newcomers with the transmitters that may have become them, one to one, so that as much as possible speaks for
/// all pairs together. Whoever nothing speaks for stays alone.
///
/// Equal scores are decided by age, so that a replay comes out the same every time.
struct RotationPairing: Sendable {
    struct Pair: Equatable, Sendable {
        /// Indices of the candidates.
        var newcomer: Int
        var predecessor: Int
    }

    /// Beyond this many on either side pairs are made greedily: the best assignment costs their cube.
    static let maxAssigned = 32

    /// - Parameter scores: by newcomer and predecessor, both the oldest first; `nil` where they can't be one.
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

    /// The assignment of the greatest sum, by shortest augmenting paths (Jonker and Volgenant, 1987). Each newcomer has a
    /// column of its own beside the predecessors', of score 0: to stay alone. The youngest's comes first, and so it is the
    /// one of equals that does.
    private static func bestPairs(_ scores: [[Double?]], columns: Int) -> [Pair] {
        let width = columns + scores.count
        /// Too dear for any assignment; finite, so that sums stay numbers.
        let impossible = 1e9
        func cost(_ row: Int, _ column: Int) -> Double {
            guard column < columns else { return width - 1 - column == row ? 0 : impossible }
            return scores[row][column].map { -$0 } ?? impossible
        }
        // Potentials, and the row of each column. Column `width` is where a path begins.
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

/// What an advertisement looks like apart from the frame: a device's stays as it is when the address changes.
struct AdvertisingTraits: Hashable, Sendable {
    private let bits: UInt64

    /// Nothing is known.
    static let none = AdvertisingTraits(bits: 0)

    private init(bits: UInt64) {
        self.bits = bits
    }

    /// The kind of report and of address, the advertising set, and how much data there is: other structures beside the
    /// frame, such as Flags or TX Power Level, make it longer.
    init(_ report: AdvertisingReport, length: Int) {
        bits =
            UInt64(report.eventType) | UInt64(report.advertisingSID) << 16 | (report.isExtended ? 1 : 0) << 24
            | (report.address.bits >> 46) << 25 | UInt64(clamping: length) << 32
    }
}

/// What is remembered of a transmitter for the day that its address changes. Most of a shop's own beacons keep theirs, and a
/// trace is as long as a sixth of a transmitter, so traces have a table of their own.
struct RotationTrace: Sendable {
    /// What its first advertisement looked like apart from the frame.
    let traits: AdvertisingTraits
    /// How strong it was in the last seconds.
    var recentLevel = RecentLevel()
}

/// Where the trace of a transmitter stands in `Rotation`.
struct TraceSlot: SlotNumber {
    let number: UInt32
}

/// The newcomers that are resolving: of which identity, since when and until when. Hardly ever is there any.
struct ResolvingNewcomers: Sendable {
    private struct Group: Sendable {
        /// When the youngest was first heard.
        var latest: Instant
        /// When they were weighed last where they are many.
        var weighedAt: Instant?
    }

    private var groups: [IdentitySlot: Group] = [:]
    /// When it is looked at next whether a newcomer is a track of its own.
    private var dues: [TransmitterSlot: Instant] = [:]
    private(set) var timers = TimerQueue<TransmitterSlot>()

    /// When some newcomer is looked at next.
    var nextDue: Instant { timers.nextDue }

    /// A transmitter that was first heard just now is resolving.
    mutating func begin(_ slot: TransmitterSlot, at now: Instant, in table: inout TransmitterTable) {
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].standing = .resolving
        table.identities[identity].resolvingCount += 1
        groups[identity, default: Group(latest: now)].latest = now
    }

    /// A transmitter that was resolving is decided, is forgotten, or leaves the list.
    mutating func end(_ slot: TransmitterSlot, as standing: Transmitter.Standing, in table: inout TransmitterTable) {
        assert(table.transmitters[slot].standing == .resolving, "it was decided before")
        let identity = table.transmitters[slot].identitySlot
        table.transmitters[slot].standing = standing
        dues[slot] = nil
        table.identities[identity].resolvingCount -= 1
        if table.identities[identity].resolvingCount == 0 { groups[identity] = nil }
    }

    /// A newcomer is looked at again then, whatever was set before.
    mutating func watch(_ slot: TransmitterSlot, until due: Instant) {
        dues[slot] = due
        timers.set(slot, at: due)
        timers.throwOutStale(of: dues.count) { [dues] in dues[$0.subject] == $0.due }
    }

    /// Takes the first timer out.
    ///
    /// - Returns: the newcomer that is to be looked at; `nil` where it is no newcomer any more.
    mutating func runFirst() -> TransmitterSlot? {
        guard let timer = timers.removeFirst(), dues[timer.subject] == timer.due else { return nil }
        dues[timer.subject] = nil
        return timer.subject
    }

    /// When the youngest of an identity that is resolving was first heard; `nil` where none is.
    func latest(of identity: IdentitySlot, in table: TransmitterTable) -> Instant? {
        // The dictionary is left alone while there is nothing in it.
        table.identities[identity].resolvingCount > 0 ? groups[identity]?.latest : nil
    }

    /// Whether the newcomers of an identity were not weighed for so long; if so, they are now.
    mutating func takesTurn(_ identity: IdentitySlot, after pause: TimeSpan, at now: Instant) -> Bool {
        guard let last = groups[identity]?.weighedAt, now < last + pause else {
            groups[identity]?.weighedAt = now
            return true
        }
        return false
    }

    /// Whether each that is resolving is looked at some time, and nobody else is. For checks.
    func watches(exactly slots: Set<TransmitterSlot>, of identities: Set<IdentitySlot>) -> Bool {
        Set(dues.keys) == slots && Set(groups.keys) == identities
            && Set(timers.all.filter { dues[$0.subject] == $0.due }.map(\.subject)) == slots
    }
}
