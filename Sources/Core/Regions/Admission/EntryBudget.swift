/// The limit on new instances in a minute, and the count of the entries that it held back.
///
/// Anyone with a radio can make identities up. Each one that enters costs an event on the disk, a retained topic and a
/// slot, so the newcomers of a minute are limited. Minutes begin at multiples of 60 s of the clock of instants. A
/// refused identity may try again in the next minute, so a real beacon waits for its turn.
package struct EntryBudget: Sendable {
    static let window = TimeSpan.seconds(60)

    /// The entries held back in one region during one minute.
    package struct Surge: Hashable, Sendable {
        var region: String
        /// The first entry that was held back.
        package var from: Instant
        /// The last one; never before `from`.
        package var to: Instant
        /// The number of entries held back, at least 1. An identity counts once in a minute.
        var refused: Int64
        /// An estimate of the number of distinct identities. It may be too small, never too large. From 1 to `refused`.
        var identities: Int64
    }

    /// The most newcomers in a minute; 0 for no limit.
    private let limit: Int
    /// The number of the minute that `admitted` counts.
    private var minute = Int64.min
    private var admitted = 0
    private var surges: [String: Surge] = [:]
    /// The time to report `surges`; `distantFuture` where no entry was held back.
    private(set) var due = Instant.distantFuture
    /// The identities in `surges`, of all regions.
    private var identities = DistinctNumbers()

    /// - Parameter limit: the most newcomers in a minute; 0 for no limit.
    init(limit: Int) { self.limit = limit }

    /// Returns the number of the minute that an instant belongs to.
    static func minute(of instant: Instant) -> Int64 {
        let (number, rest) = instant.microseconds.quotientAndRemainder(dividingBy: window.microseconds)
        return rest < 0 ? number - 1 : number
    }

    /// Returns whether a newcomer may get an instance now. It counts only once `admit` is called.
    mutating func hasRoom(at now: Instant) -> Bool {
        begin(Self.minute(of: now))
        return limit == 0 || admitted < limit
    }

    /// Counts a newcomer that gets its instance.
    mutating func admit() { admitted += 1 }

    /// Counts an entry that is held back.
    mutating func refuse(_ identity: BeaconIdentity, of region: String, at now: Instant) {
        if surges.isEmpty { due = Self.end(of: Self.minute(of: now)) }
        var surge = surges[region] ?? Surge(region: region, from: now, to: now, refused: 0, identities: 0)
        surge.to = max(surge.to, now)
        surge.refused += 1
        if identities.insert(identity.mixed(with: region)) { surge.identities += 1 }
        // Two identities may share a bit.
        surge.identities = max(1, surge.identities)
        surges[region] = surge
    }

    /// Returns the surges of the minute, by region, and clears them.
    mutating func takeSurges() -> [Surge] {
        guard !surges.isEmpty else { return [] }
        defer {
            surges = [:]
            due = .distantFuture
            identities.removeAll()
        }
        return surges.values.sorted { $0.region < $1.region }
    }

    private mutating func begin(_ minute: Int64) {
        guard minute != self.minute else { return }
        self.minute = minute
        admitted = 0
    }

    /// Returns the end of a minute.
    static func end(of minute: Int64) -> Instant {
        let (end, isOver) = (minute + 1).multipliedReportingOverflow(by: window.microseconds)
        return isOver ? .distantFuture : Instant(microseconds: end)
    }
}

extension BeaconIdentity {
    /// A number for `DistinctNumbers`, which differs where the identity or the region differs.
    fileprivate func mixed(with region: String) -> UInt64 {
        // FNV-1a is the same in every process, so a replay is repeatable.
        let hash = region.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return distinctNumber ^ hash
    }
}
