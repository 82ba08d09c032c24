/// The differences of levels at pairs of gateways that hear a moving beacon at once.
///
/// The beacon is somewhere between two gateways if both hear it better than all others do. Those nearer to one of the two
/// are as far from zero as those nearer to the other, be they more or fewer. So the middle between the means of both
/// groups is the difference of the two receivers. The groups are found as ISODATA finds the threshold of a picture: the
/// middle divides the beacons anew until it stays.
struct DifferenceTable: Sendable {
    /// Two gateways, the first with the lower number.
    struct Pair: Hashable, Comparable, Sendable {
        let first: Int
        let second: Int

        static func < (left: Pair, right: Pair) -> Bool { (left.first, left.second) < (right.first, right.second) }
    }

    /// The learned difference of a pair: the level at the first less that at the second.
    struct Learned: Hashable, Sendable {
        var difference_db: Double
        var days: Int
    }

    /// The number of a day's differences in bins of 2 dB.
    private struct Histogram: Sendable {
        static let width_db = 2.0, bins = 41
        /// The rounds after which the middle stays, and the fewest beacons of a group.
        private static let rounds = 30, fewest = 3.0
        var counts = [UInt16](repeating: 0, count: bins)
        var total = 0

        mutating func add(_ difference_db: Double) {
            let middle = Double(Self.bins - 1) / 2
            let bin = Int(min(max(difference_db / Self.width_db + middle, 0), Double(Self.bins - 1)).rounded())
            guard counts[bin] < .max else { return }
            counts[bin] += 1
            total += 1
        }

        /// Returns the difference in the middle of a bin, or beside it.
        private static func value_db(of bin: Double) -> Double { (bin - Double(bins - 1) / 2) * width_db }

        /// The middle between the means of the differences above it and below it.
        var middle_db: Double {
            var middle = median_db
            for _ in 0..<Self.rounds {
                var (above, below) = ((sum: 0.0, count: 0.0), (sum: 0.0, count: 0.0))
                for (bin, count) in counts.enumerated() where count > 0 {
                    let value = Self.value_db(of: Double(bin))
                    // A bin that the middle divides belongs to both.
                    let share = min(max((value - middle) / Self.width_db + 0.5, 0), 1)
                    above = (above.sum + share * value * Double(count), above.count + share * Double(count))
                    below = (below.sum + (1 - share) * value * Double(count), below.count + (1 - share) * Double(count))
                }
                guard min(above.count, below.count) >= Self.fewest else { return middle }
                middle = (above.sum / above.count + below.sum / below.count) / 2
            }
            return middle
        }

        private var median_db: Double {
            var below = 0.0
            for (bin, count) in counts.enumerated() where count > 0 {
                let within = Double(total) / 2 - below
                if within <= Double(count) {
                    let share = within / Double(count) - 0.5
                    return Self.value_db(of: Double(bin) + share)
                }
                below += Double(count)
            }
            return 0
        }
    }

    /// The fewest differences of a day that count, and the most days of the mean.
    private static let fewest = 30
    static let mostDays = 7
    /// The most pairs: neighbours of 64 gateways are fewer.
    static let mostPairs = 512

    private var today: [Pair: Histogram] = [:]
    private var learned: [Pair: Learned] = [:]

    init() {}

    /// Takes the levels of a beacon at two gateways, without offsets.
    mutating func take(_ one: (gateway: Int, level_dbm: Double), _ other: (gateway: Int, level_dbm: Double)) {
        guard one.gateway != other.gateway else { return }
        let isInOrder = one.gateway < other.gateway
        let pair = Pair(first: min(one.gateway, other.gateway), second: max(one.gateway, other.gateway))
        guard today[pair] != nil || today.count < Self.mostPairs else { return }
        let difference_db = one.level_dbm - other.level_dbm
        today[pair, default: Histogram()].add(isInOrder ? difference_db : -difference_db)
    }

    mutating func endDay() {
        for (pair, histogram) in today where histogram.total >= Self.fewest {
            guard var known = learned[pair] else {
                if learned.count < Self.mostPairs {
                    learned[pair] = Learned(difference_db: histogram.middle_db, days: 1)
                }
                continue
            }
            known.days = min(known.days + 1, Self.mostDays)
            known.difference_db += (histogram.middle_db - known.difference_db) / Double(known.days)
            learned[pair] = known
        }
        today = [:]
    }

    mutating func remove(_ gateway: Int) {
        learned = learned.filter { $0.key.first != gateway && $0.key.second != gateway }
        today = today.filter { $0.key.first != gateway && $0.key.second != gateway }
    }

    /// Takes over what an earlier process has learned.
    mutating func restore(_ difference: Learned, of pair: Pair) {
        guard pair.first < pair.second, learned.count < Self.mostPairs else { return }
        learned[pair] = difference
    }

    var all: [(pair: Pair, learned: Learned)] { learned.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
