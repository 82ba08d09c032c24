import HCI

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
    let timeConstant_s: Double
    private var level = 0.0
    /// The variance of `level`; zero before the first reading.
    private var variance = 0.0
    private var at = Instant.origin
    /// The level at the first reading as seen from now, its variance, and its covariance with `level`.
    private var first = 0.0
    private var firstVariance = 0.0
    private var covariance = 0.0
    private var firstAt = Instant.origin

    init(timeConstant_s: Double) {
        self.timeConstant_s = timeConstant_s
    }

    var value: Double? { variance == 0 ? nil : level }

    mutating func add(_ reading: Double, at now: Instant) {
        guard variance > 0 else {
            (level, variance, at) = (reading, 1, now)
            (first, firstVariance, covariance, firstAt) = (reading, 1, 1, now)
            return
        }
        let elapsed_s = (now - at).seconds
        if elapsed_s < -timeConstant_s { firstAt = firstAt - (at - now) }
        if elapsed_s > 0 || elapsed_s < -timeConstant_s { at = now }

        let predicted = variance + wandered(in_s: elapsed_s)
        let share = 1 / (predicted + 1)
        let surprise = reading - level
        level += predicted * share * surprise
        variance = predicted * share
        first += covariance * share * surprise
        firstVariance -= covariance * covariance * share
        covariance *= share
    }

    /// What the predecessor knew, grown uncertain over the gap, is a measurement of the level at the first reading.
    mutating func takeOver(_ former: KalmanFilter) {
        guard timeConstant_s == former.timeConstant_s, former.variance > 0 else { return }
        guard variance > 0 else {
            self = former
            return
        }
        let noise = former.variance + wandered(in_s: (firstAt - former.at).seconds)
        let sum = firstVariance + noise
        let surprise = former.level - first
        level += covariance / sum * surprise
        variance -= covariance * covariance / sum
        first += firstVariance / sum * surprise
        covariance *= noise / sum
        firstVariance *= noise / sum
    }

    private func wandered(in_s: Double) -> Double { max(0, in_s) / (timeConstant_s * timeConstant_s) }
}
