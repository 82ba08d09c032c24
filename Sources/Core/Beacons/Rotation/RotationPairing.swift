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
