/// What a level is just now, and how much its readings scatter: what tells a step from chance.
///
/// A filter that is calm enough for a beacon on a shelf answers a beacon that is carried past half a minute late. So a
/// quick mean goes beside it: once the two are further apart than a turning body and the scatter of this place make them, the level
/// has stepped, and the calm filter goes on from the quick one.
struct QuickLevel: Sendable {
    /// Seconds that the quick mean looks back. At four readings a second it follows within 2 s, at one within 4 s.
    static let timeConstant_s = 4.0
    /// Two means have to be further apart than this to be a step. A body that turns moves a level by 5 to 10 dB, a walk across a
    /// room by more. The calm level follows a step, too, so this is a step of 10 dB. dB.
    static let leastStep_db = 7.0
    /// And further apart than so many standard deviations of a reading: where readings scatter, bodies and standing waves move the
    /// means further, and the quick mean has chance of its own.
    static let leastStep_sigmas = 2.5
    /// What the quick level is worth after a step, in readings: it is still on its way.
    private static let worth = 2.0
    /// How much readings scatter as far as one knows before the first, and how many readings that counts for. dB.
    private static let usualScatter_db = 4.0
    /// The mean of the scatter looks back this number of readings.
    private static let memory: Float = 32

    private(set) var filter = KalmanFilter(0)
    /// The variance of one reading. dB².
    private(set) var scatter = usualScatter_db * usualScatter_db
    /// How many readings the mean of the scatter is made of.
    private var count: Float = 1
    /// The last reading and the one before it, in hundredths of a dBm: there are 100,000 transmitters.
    private var (latest, previous): (Int16, Int16) = (0, 0)
    private var latest_dbm: Double { Double(latest) / 100 }
    private var previous_dbm: Double { Double(previous) / 100 }

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    mutating func add(_ rssi_dbm: Double, at place: ReadingTimes.Place) {
        defer { (latest, previous) = (Int16(clamping: Int((rssi_dbm * 100).rounded())), latest) }
        guard !place.isFirst else {
            filter = KalmanFilter(rssi_dbm)
            return
        }
        filter.add(rssi_dbm, after_s: place.elapsed_s, timeConstant_s: Self.timeConstant_s)
        // Of two readings in a row the difference has twice the variance of one, and a step is in one difference alone (von Neumann):
        // the surprises after a step would be taken for scatter, and hide it.
        let difference = rssi_dbm - latest_dbm
        if count < Self.memory { count += 1 }
        scatter += (difference * difference / 2 - scatter) / Double(count)
    }

    /// Goes on from the same beacon under its former address. Both have readings.
    mutating func takeOver(_ former: QuickLevel, gap_s: Double) {
        filter.takeOver(former.filter, gap_s: gap_s, timeConstant_s: Self.timeConstant_s)
        let sum = count + former.count
        scatter += (former.scatter - scatter) * Double(former.count / sum)
        count = min(Self.memory, sum)
    }

    /// What a calm filter goes on from after a step.
    var afterStep: KalmanFilter {
        var filter = filter
        filter.forget(butFor: Self.worth)
        return filter
    }

    /// Whether the level has stepped away from what a calm filter of the same readings says.
    func hasStepped(from calm: KalmanFilter, timeConstant_s: Double) -> Bool {
        let apart_db = filter.level - calm.level
        // One reading tells no step: after a silence it is nearly all of the quick mean.
        guard isBeyond(latest_dbm, apart_db, calm), isBeyond(previous_dbm, apart_db, calm) else { return false }
        // A calm filter that has settled is that much surer than the quick one. Where it is less sure, soon after a step or a silence, it
        // follows by itself and keeps the two together, so less of a difference tells as much.
        let doubt = max(1, calm.variance * timeConstant_s / (filter.variance * Self.timeConstant_s))
        let squared = apart_db * apart_db * doubt
        return squared > Self.leastStep_db * Self.leastStep_db
            && squared > Self.leastStep_sigmas * Self.leastStep_sigmas * scatter
    }

    /// Whether a reading is off to that side, further than half of the least step.
    private func isBeyond(_ reading_dbm: Double, _ side_db: Double, _ calm: KalmanFilter) -> Bool {
        let off_db = reading_dbm - calm.level
        return side_db > 0 ? off_db > Self.leastStep_db / 2 : off_db < -Self.leastStep_db / 2
    }
}
