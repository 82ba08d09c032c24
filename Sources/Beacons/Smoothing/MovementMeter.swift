import HCI

/// Tells from its RSSI whether a beacon moves, between 0 (at rest) and 1 (walking).
///
/// Radio waves that come by several ways make a standing pattern, with holes 10 dB deep and more, a few centimetres
/// wide. A beacon at rest stays in one place of it, however long one listens: its mean level is as wrong as that place.
/// A beacon that is carried passes through many, and its mean level is right. So how far a level can be trusted depends
/// on movement, and movement shows in two ways at once, of which each by itself has another cause as well:
/// - **scatter**: neighbouring readings differ (but so they do in a receiver that is noisy), and
/// - **drift**: readings further apart differ more than neighbours do (but so they do after a single step).
///
/// Scatter is half the mean square of successive differences (von Neumann's estimate of a variance, blind to whatever
/// changes slowly); drift is what the plain variance has beyond it and beyond its standard error, because few readings
/// differ by chance. All three means are weighed as `KalmanFilter` weighs, so they cost a few multiplications a reading
/// and no exponential.
///
/// As long as the readings say little, what is new has come from somewhere: it begins with the drift of a beacon that
/// may have been at any level, worth one reading.
///
/// Readings of one instant count as one, their mean, so their order does not matter; the newest instant counts from the
/// next one on. Silence changes nothing.
struct MovementMeter: Sendable {
    /// Drift and scatter, in dB, at which movement begins to be believed and from which on it is certain. Beacons at rest
    /// have drifts of 0 to 1 dB; walked ones drift by 2 to 4 dB and scatter by 4 to 5.
    static let drift_db = 0.5...2.0
    static let scatter_db = 1.0...3.0
    /// What a newcomer has drifted before: the standard deviation of levels anywhere between strong and inaudible, 40 dB
    /// apart. dB.
    static let newcomerDrift_db = 12.0

    /// The mean of the levels and of their squares, and half the mean square of successive differences.
    private var mean = 0.0
    private var meanSquare = 0.0
    private var halfSquaredStep = 0.0
    /// What the means are worth: the variance of `KalmanFilter`; zero before there are any.
    private var variance = 0.0
    /// The weight that the first reading still has in them, and with it what a newcomer is taken for.
    private var newness = 0.0
    private var previous = 0.0
    /// The newest instant, which the means don't have yet: the mean of its readings, and the time since the instant before.
    private var latest = 0.0
    private var latestGap_s = 0.0

    /// 0 at rest, and as long as nothing is known; 1 walking.
    var movement: Double {
        let scatter_db = halfSquaredStep.squareRoot()
        let newcomersDrift = newness * Self.newcomerDrift_db * Self.newcomerDrift_db
        // The standard error of a von Neumann ratio is one over the root of the number of readings, which is what means
        // with this variance are worth.
        let chance = halfSquaredStep * (variance / (2 - variance)).squareRoot()
        let drift_db = max(0, meanSquare - mean * mean - halfSquaredStep + newcomersDrift - chance).squareRoot()
        return Self.share(of: drift_db, in: Self.drift_db) * Self.share(of: scatter_db, in: Self.scatter_db)
    }

    /// Takes in one reading, within `SignalLevel.range_dbm`.
    mutating func add(_ rssi_dbm: Double, at place: ReadingTimes.Place, timeConstant_s: Double) {
        if place.isFirst {
            latest = rssi_dbm
        } else if place.elapsed_s <= 0 {
            latest += (rssi_dbm - latest) / place.count
        } else {
            settle(timeConstant_s)
            (latest, latestGap_s) = (rssi_dbm, place.elapsed_s)
        }
    }

    /// Goes on from the same beacon under its former address: the means of both, weighed by what they are worth. The one
    /// step from the old address to the new is left out, and it was no newcomer.
    ///
    /// Both have readings.
    mutating func takeOver(
        _ former: MovementMeter, of formerTimes: ReadingTimes, own times: ReadingTimes, timeConstant_s: Double
    ) {
        var former = former
        let gap_s = (times.latest - formerTimes.latest).seconds
        former.settle(timeConstant_s)
        let formerWeight = 1 / (former.variance + Self.grown(in_s: gap_s, timeConstant_s))
        let weight = variance > 0 ? 1 / variance : 0
        let share = formerWeight / (weight + formerWeight)
        mean += share * (former.mean - mean)
        meanSquare += share * (former.meanSquare - meanSquare)
        halfSquaredStep += share * (former.halfSquaredStep - halfSquaredStep)
        newness = share * former.newness
        if variance == 0 {
            previous = former.previous
            latestGap_s = max(0, gap_s)
        }
        variance = 1 / (weight + formerWeight)
    }

    /// Takes the newest instant into the means.
    private mutating func settle(_ timeConstant_s: Double) {
        guard variance > 0 else {
            (mean, meanSquare, variance, previous) = (latest, latest * latest, 1, latest)
            newness = 1
            return
        }
        let predicted = variance + Self.grown(in_s: latestGap_s, timeConstant_s)
        let share = predicted / (predicted + 1)
        let step = latest - previous
        mean += share * (latest - mean)
        meanSquare += share * (latest * latest - meanSquare)
        halfSquaredStep += share * (step * step / 2 - halfSquaredStep)
        newness *= 1 - share
        (variance, previous) = (share, latest)
    }

    private static func grown(in_s: Double, _ timeConstant_s: Double) -> Double {
        max(0, in_s) / (timeConstant_s * timeConstant_s)
    }

    /// 0 at the beginning of `range` and below, 1 at its end and beyond.
    private static func share(of value: Double, in range: ClosedRange<Double>) -> Double {
        min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
    }
}
