/// A Kalman filter for a level that wanders at random (`kalman`).
///
/// Only the ratio of its two noises matters, so the noise of a reading is the unit: its variance is 1, and the level's
/// own variance grows by 1 / τ² a second. With one reading a second that is an exponential mean of time constant τ
/// once it has settled; with f readings a second it settles at τ / √f, because more readings say more. It starts as the
/// plain mean, and after a silence it believes the next reading the more the longer the silence was.
///
/// Beside the level now it keeps the level at its first reading (a fixed-point smoother: two numbers and their
/// covariance). That is what makes an exact take-over possible without keeping the readings.
struct KalmanFilter: Sendable {
    private(set) var level: Double
    /// The variance of `level`, in units of a reading's. Just after a reading it is the weight that this one had.
    private(set) var variance = 1.0
    /// The level at the first reading as seen from now, its variance, and its covariance with `level`.
    private var first: Double
    private var firstVariance = 1.0
    private var covariance = 1.0

    /// Begins with one reading.
    init(_ reading: Double) {
        level = reading
        first = reading
    }

    /// - Parameter after_s: since the newest reading before; what is not positive changes nothing.
    mutating func add(_ reading: Double, after_s: Double, timeConstant_s: Double) {
        let predicted = variance + Self.wandered(in_s: after_s, timeConstant_s)
        let share = 1 / (predicted + 1)
        let surprise = reading - level
        level += predicted * share * surprise
        variance = predicted * share
        first += covariance * share * surprise
        firstVariance -= covariance * covariance * share
        covariance *= share
    }

    /// The level is somewhere else by now: what is known of it is worth no more than a mean of so many readings.
    mutating func forget(butFor readings: Double) { variance = max(variance, 1 / readings) }

    /// What the predecessor knew, grown uncertain over the gap, is a measurement of the level at the first reading.
    mutating func takeOver(_ former: KalmanFilter, gap_s: Double, timeConstant_s: Double) {
        let noise = former.variance + Self.wandered(in_s: gap_s, timeConstant_s)
        let sum = firstVariance + noise
        let surprise = former.level - first
        level += covariance / sum * surprise
        variance -= covariance * covariance / sum
        first += firstVariance / sum * surprise
        covariance *= noise / sum
        firstVariance *= noise / sum
    }

    private static func wandered(in_s: Double, _ timeConstant_s: Double) -> Double {
        max(0, in_s) / (timeConstant_s * timeConstant_s)
    }
}
