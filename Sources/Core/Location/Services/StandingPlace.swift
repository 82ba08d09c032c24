/// Where the receiver has been standing, and whether it still does.
///
/// A single fix is wrong by more than it claims every third time, and now and then by 200 m. So the place is the mean of
/// the first ten fixes, and it takes two fixes in a row to have moved: each further away than its own accuracy and that
/// of the place explain.
struct StandingPlace: Sendable {
    enum Verdict {
        case standing
        /// Beyond the accuracy, for the first time.
        case perhapsMoved
        case moved
    }

    /// More fixes would not make the place better, but let it creep along with a slow walk.
    static let fixesOfMean = 10

    private var coordinate: Coordinate
    private var accuracy_m: Double
    private var fixes = 1
    private var isDoubted = false
    private var time: FixTime

    init(_ fix: Fix, at now: Instant, longestGap: TimeSpan) {
        coordinate = fix.coordinate
        accuracy_m = fix.horizontalAccuracy_m
        time = FixTime(from: now, longestGap: longestGap)
    }

    /// For how long it has been standing: time with fixes.
    var standing: TimeSpan { time.elapsed }

    mutating func use(_ fix: Fix, at now: Instant) -> Verdict {
        let distance_m = coordinate.nearDistance_m(to: fix.coordinate)
        guard distance_m <= accuracy_m + fix.horizontalAccuracy_m else {
            defer { isDoubted = true }
            return isDoubted ? .moved : .perhapsMoved
        }
        isDoubted = false
        time.use(at: now)
        if fixes < Self.fixesOfMean {
            fixes += 1
            coordinate = coordinate.moved(by: 1 / Double(fixes), towards: fix.coordinate)
            accuracy_m += (fix.horizontalAccuracy_m - accuracy_m) / Double(fixes)
        }
        return .standing
    }
}
