import HCI

/// What a level is just now, and how much its readings scatter: what tells a step from chance.
///
/// A filter that is calm enough for a beacon on a shelf answers a beacon that is carried past half a minute late. So a
/// quick mean goes beside it: once the two are further apart than scatter, a turning body or a hand make them, the level has
/// stepped, and the calm filter goes on from the quick one.
struct QuickLevel: Sendable {
    /// Seconds that the quick mean looks back. At four readings a second it follows within 2 s, at one within 4 s; a
    /// single stray reading is a fifth of it at most.
    static let timeConstant_s = 4.0
    /// Two means further apart than this are a step. A body that turns moves a level by 5 to 10 dB, a walk across a room by
    /// more. The calm level follows a step, too, so a step has to be 15 dB for the means to be so far apart. dB.
    static let step_db = 10.0
    /// What the last reading may weigh in the quick mean for it to tell a step. After a silence one reading is nearly all of it: a beacon
    /// that was not heard for half a minute has not moved because of one stray reading.
    private static let largestShare = 0.5
    /// How much readings scatter as far as one knows before the first, and how many readings that counts for. dB.
    private static let usualScatter_db = 4.0
    /// The mean of the scatter looks back this number of readings.
    private static let memory = 32.0

    private(set) var filter = KalmanFilter(0)
    /// The variance of one reading. dB².
    private(set) var scatter = usualScatter_db * usualScatter_db
    /// How many readings the mean of the scatter is made of.
    private var count = 1.0

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    mutating func add(_ rssi_dbm: Double, at place: ReadingTimes.Place) {
        guard !place.isFirst else {
            filter = KalmanFilter(rssi_dbm)
            return
        }
        let surprise = rssi_dbm - filter.level
        filter.add(rssi_dbm, after_s: place.elapsed_s, timeConstant_s: Self.timeConstant_s)
        // The variance of a surprise is that of a reading and that of what was expected. After the reading the filter's
        // variance is its gain, so one less the gain undoes the second part.
        if count < Self.memory { count += 1 }
        scatter += (surprise * surprise * (1 - filter.variance) - scatter) / count
    }

    /// Goes on from the same beacon under its former address. Both have readings.
    mutating func takeOver(_ former: QuickLevel, gap_s: Double) {
        filter.takeOver(former.filter, gap_s: gap_s, timeConstant_s: Self.timeConstant_s)
        let sum = count + former.count
        scatter += (former.scatter - scatter) * former.count / sum
        count = min(Self.memory, sum)
    }

    /// Whether the level has stepped away from what a calm filter of the same readings says.
    func hasStepped(from calm_dbm: Double) -> Bool {
        // After a reading the filter's variance is the weight that this one had.
        filter.variance <= Self.largestShare && abs(filter.level - calm_dbm) > Self.step_db
    }
}
