/// When the readings of a transmitter came. All of its filters hear the same ones, so the times stand here once and not
/// in each of them.
struct ReadingTimes: Sendable {
    /// Where a reading stands among those before it.
    struct Place {
        /// The first of all.
        var isFirst: Bool
        /// Since the newest instant before it. What is not positive counts as of that instant.
        package var elapsed_s: Double
        /// How many readings its instant has by now.
        package var count: Double
    }

    /// The first instant and the newest.
    private(set) var first = Instant.origin
    private(set) var latest = Instant.origin
    /// How many readings the newest has; zero before the first.
    private var count: UInt32 = 0

    var isEmpty: Bool { count == 0 }
    /// Whether all readings were of one instant.
    var isOneInstant: Bool { latest == first }

    /// Takes the time of a reading in.
    ///
    /// - Parameter lookBack_s: A reading that comes later than this means that the clock was set back: what is known is kept
    ///   and goes on from there.
    mutating func add(at now: Instant, lookBack_s: Double) -> Place {
        guard count > 0 else {
            (first, latest, count) = (now, now, 1)
            return Place(isFirst: true, elapsed_s: 0, count: 1)
        }
        let elapsed_s = (now - latest).seconds
        if elapsed_s > 0 {
            (latest, count) = (now, 1)
        } else {
            if count < .max { count += 1 }
            if elapsed_s < -lookBack_s {
                first = first - (latest - now)
                latest = now
            }
        }
        return Place(isFirst: false, elapsed_s: elapsed_s, count: Double(count))
    }
}
