/// The radio links between the gateways of a store: how strongly each receives each other one.
///
/// A gateway's lists have the median level of each transmitter in the last report interval. The table keeps these values
/// for a quarter of a day, and the usual level of each quarter. People weaken links by day, so a quarter is compared with
/// the same quarter of the days before.
struct LinkTable: Sendable {
    struct Direction: Hashable, Comparable, Sendable {
        private let octets: UInt16

        var receiver: Int { Int(octets >> 8) }
        var sender: Int { Int(octets & 0xFF) }
        var reversed: Direction { Direction(receiver: sender, sender: receiver) }

        init(receiver: Int, sender: Int) {
            octets = UInt16(UInt8(clamping: receiver)) << 8 | UInt16(UInt8(clamping: sender))
        }

        static func < (left: Direction, right: Direction) -> Bool { left.octets < right.octets }

        func touches(_ gateway: Int) -> Bool { receiver == gateway || sender == gateway }
    }

    /// The usual level of a link in one quarter of the day.
    struct Usual: Hashable, Sendable {
        var level_dbm: Float
        /// The mean deviation of a day from the days before, dB.
        var scatter_db: Float
        /// A small number, because there are four of these for each link.
        private var dayCount: UInt8
        /// The days that it is learned from, at most `mostDays`.
        var days: Int {
            get { Int(dayCount) }
            set { dayCount = UInt8(clamping: newValue) }
        }

        /// The scatter before any is learned, which counts as much as `typicalDays` days.
        static let typical_db: Float = 1
        static let typicalDays = 3
        static let mostDays = 14
        /// The largest step by which a day moves the level, dB.
        private static let step_db: Float = 3

        init(level_dbm: Float, scatter_db: Float = typical_db, days: Int = 1) {
            (self.level_dbm, self.scatter_db, dayCount) = (level_dbm, scatter_db, UInt8(clamping: days))
        }

        /// Takes the level of another day.
        mutating func learn(_ day_dbm: Float) {
            let change_db = day_dbm - level_dbm
            days = min(days + 1, Self.mostDays)
            scatter_db += (min(change_db.magnitude, 3 * scatter_db) - scatter_db) / Float(days + Self.typicalDays)
            level_dbm += min(max(change_db, -Self.step_db), Self.step_db) / Float(days)
        }

        /// The standard deviation of a day, dB.
        var deviation_db: Double { Double(max(scatter_db, Self.least_db)) * 1.25 }

        /// True if the link is far above the weakest level that receivers hear. A weaker link may be missing at any time.
        var isHeardSurely: Bool { Double(level_dbm) - 4 * deviation_db >= Self.weakest_dbm }

        private static let weakest_dbm = -97.0
        /// Levels are whole numbers, so that no scatter is smaller.
        private static let least_db: Float = 0.5
    }

    /// The level of a link in the quarter that has ended.
    struct Reading: Hashable, Sendable {
        var link: Direction
        /// The median; `nil` for a link that is usually heard and was not.
        var level_dbm: Float?
        /// The usual level of this quarter of the day; `nil` on the first day.
        var usual: Usual?
    }

    private struct Link: Sendable {
        var values: [Int8] = []
        var takenAt: WallTime?
        var usual: [Usual?] = Array(repeating: nil, count: LinkTable.quarters)
        /// The quarters in a row without a value.
        var silence = 0
    }

    static let quarters = 4
    /// The shortest time between two values of a link. More values of a quarter would only take room.
    private static let shortest = TimeSpan.seconds(600)
    /// The fewest values of a quarter whose median counts.
    private static let fewest = 3
    private static let mostValues = 36
    /// The quarters without a value after which a link is forgotten: two weeks.
    private static let longestSilence = 56

    private var links: [Direction: Link] = [:]
    /// The gateways that have published a list in the quarter.
    private var listing: Set<Int> = []

    init() {}

    /// Takes a gateway's list.
    ///
    /// - Parameter levels: the other gateways in it.
    mutating func take(_ levels: [(sender: Int, level_dbm: Int)], by receiver: Int, at time: WallTime) {
        listing.insert(receiver)
        for (sender, level_dbm) in levels where sender != receiver {
            let link = Direction(receiver: receiver, sender: sender)
            var known = links[link] ?? Link()
            if let last = known.takenAt, time >= last, time - last < Self.shortest { continue }
            guard known.values.count < Self.mostValues else { continue }
            known.values.append(Int8(clamping: level_dbm))
            known.takenAt = time
            links[link] = known
        }
    }

    /// Ends a quarter of the day, and returns its readings in the order of the links.
    mutating func end(quarter: Int) -> [Reading] {
        var readings: [Reading] = []
        for link in links.keys.sorted() {
            guard var known = links.removeValue(forKey: link) else { continue }
            let usual = known.usual[quarter]
            if known.values.count >= Self.fewest {
                let median = known.values.map(Double.init).median
                readings.append(Reading(link: link, level_dbm: median.map(Float.init), usual: usual))
                known.silence = 0
            } else {
                known.silence += 1
                let isMissing = known.values.isEmpty && listing.contains(link.receiver)
                if isMissing, let usual, usual.isHeardSurely {
                    readings.append(Reading(link: link, level_dbm: nil, usual: usual))
                }
            }
            known.values.removeAll(keepingCapacity: true)
            if known.silence < Self.longestSilence { links[link] = known }
        }
        listing = []
        return readings
    }

    /// Learns the level of a quarter of a day.
    mutating func learn(_ reading: Reading, quarter: Int) {
        guard let level_dbm = reading.level_dbm, var link = links[reading.link] else { return }
        Self.learn(level_dbm, quarter: quarter, of: &link.usual)
        links[reading.link] = link
    }

    /// Learns the level of a quarter of a day among the usual levels of all quarters.
    static func learn(_ level_dbm: Float, quarter: Int, of usual: inout [Usual?]) {
        if usual[quarter]?.learn(level_dbm) == nil { usual[quarter] = Usual(level_dbm: level_dbm) }
    }

    mutating func remove(_ gateway: Int) {
        for link in links.keys where link.touches(gateway) {
            links[link]?.usual = Array(repeating: nil, count: Self.quarters)
        }
    }

    /// Returns the usual levels of each link by quarter, in the order of the links.
    func usual(of receiver: Int) -> [(sender: Int, usual: [Usual?])] {
        links.filter { $0.key.receiver == receiver }.sorted { $0.key < $1.key }.map { ($0.key.sender, $0.value.usual) }
    }

    /// Takes over what an earlier process has learned of a link.
    mutating func restore(_ usual: [Usual?], of link: Direction) {
        guard usual.count == Self.quarters, link.receiver != link.sender else { return }
        links[link, default: Link()].usual = usual
    }

    /// Returns the level of each link at the quietest time that is known: the first quarter of the day, in which the
    /// store is empty.
    var levels: [(link: Direction, level_dbm: Double)] {
        links.keys.sorted().compactMap { link in
            let quietest = links[link]?.usual.lazy.compactMap(\.self).first
            return quietest.map { (link, Double($0.level_dbm)) }
        }
    }
}
