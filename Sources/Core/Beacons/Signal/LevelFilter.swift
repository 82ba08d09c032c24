import RealModule

/// The RSSI filters of `[smoothing]`. The raw value is the word in `config.toml`.
enum FilterKind: String, CaseIterable, Sendable {
    case none
    case ewma
    case kalman
}

struct FilterSettings: Hashable, Sendable {
    var kind: FilterKind
    /// The time constant in seconds. Never a number of samples, because beacons advertise at different rates and
    /// packets get lost.
    var timeConstant_s: Double

    /// Returns a usable time constant: at least a millisecond, which also replaces NaN, and at most a day.
    static func held(_ timeConstant_s: Double) -> Double {
        timeConstant_s.isNaN ? 0.001 : min(max(timeConstant_s, 0.001), 86_400)
    }
}

/// The filter state of one transmitter's level. It holds plain numbers, so that copying a transmitter counts no
/// references. `LevelFilter` holds what all transmitters share.
enum SmoothedLevel: Sendable {
    /// Before the first reading.
    case unknown
    /// The last reading, unfiltered.
    case latest(Double)
    case ewma(ExponentialFilter)
    case kalman(KalmanFilter)

    /// The level of a Kalman filter over decibels; `nil` for other kinds. Only that filter detects steps and shade.
    var calm_dbm: Double? {
        if case .kalman(let filter) = self { filter.level } else { nil }
    }
}

/// A filter of RSSI, shared by all transmitters.
///
/// Every kind works on irregular sampling: it looks back a number of seconds, never a number of packets. For all of
/// them:
///
/// - The value stays within the range of the readings.
/// - Silence does not move it: the value is the level as of the last reading, whatever time it is now.
/// - Readings of one instant may come in any order (except with `none`, where the last one counts).
/// - A reading that is late by at most the time constant counts as its own instant or as the newest. A later one means
///   that the clock was set back; the filter keeps its state and goes on from there.
///
/// The state takes 40 bytes of a transmitter and never allocates.
struct LevelFilter: Sendable {
    let kind: FilterKind
    let timeConstant_s: Double
    let scale: SignalScale

    /// - Parameters:
    /// - settings: a time constant of NaN or below a millisecond becomes a millisecond, and one beyond a day becomes a
    ///   day.
    /// - scale: the averaged quantity: `decibels` for distances, `fieldStrength` for regions.
    init(_ settings: FilterSettings, scale: SignalScale) {
        kind = settings.kind
        timeConstant_s = FilterSettings.held(settings.timeConstant_s)
        self.scale = scale
    }

    /// Returns the smoothed level as of the last reading; `nil` before the first.
    func level(_ memory: SmoothedLevel) -> SignalLevel? {
        switch memory {
        case .unknown: nil
        case .latest(let reading): SignalLevel(reading, scale)
        case .ewma(let filter): SignalLevel(filter.mean, scale)
        case .kalman(let filter): SignalLevel(filter.level, scale)
        }
    }

    /// Adds one reading, within `SignalLevel.range_dbm`.
    ///
    /// - Parameter place: the place of the reading in `times`, which contains it already.
    func add(_ rssi_dbm: Double, at place: ReadingTimes.Place, of times: ReadingTimes, to memory: inout SmoothedLevel) {
        let reading = scale.reading(rssi_dbm)
        switch memory {
        case .unknown:
            memory = first(reading)
        case .latest:
            memory = .latest(reading)
        case .ewma(var filter):
            filter.add(reading, at: place, of: times, timeConstant_s: timeConstant_s)
            memory = .ewma(filter)
        case .kalman(var filter):
            filter.add(reading, after_s: place.elapsed_s, timeConstant_s: timeConstant_s)
            memory = .kalman(filter)
        }
    }

    /// Continues from the quick level where the level has stepped.
    func follow(_ quick: QuickLevel, by memory: inout SmoothedLevel) {
        guard case .kalman(let calm) = memory, quick.hasStepped(from: calm, timeConstant_s: timeConstant_s) else {
            return
        }
        memory = .kalman(quick.afterStep)
    }

    /// Returns the weight of one reading in the level: the variance of the level in units of a reading's. Kinds without
    /// a variance use that of the quick level.
    func share(ofOneReading memory: SmoothedLevel, quick: QuickLevel) -> Double {
        if case .kalman(let calm) = memory { calm.variance } else { quick.filter.variance }
    }

    private func first(_ reading: Double) -> SmoothedLevel {
        switch kind {
        case .ewma: .ewma(ExponentialFilter(reading, timeConstant_s: timeConstant_s))
        case .kalman: .kalman(KalmanFilter(reading))
        case .none: .latest(reading)
        }
    }

    /// Continues `former`, the state of the beacon under its former address. The result is that of one filter with the
    /// readings of both.
    ///
    /// The tracker calls it once per newcomer, before its times are taken over.
    func takeOver(
        _ former: SmoothedLevel, of formerTimes: ReadingTimes, into memory: inout SmoothedLevel, of times: ReadingTimes
    ) {
        switch (memory, former) {
        case (.unknown, _):
            memory = former
        case (.ewma(var filter), .ewma(let former)):
            filter.takeOver(former, of: formerTimes, own: times, timeConstant_s: timeConstant_s)
            memory = .ewma(filter)
        case (.kalman(var filter), .kalman(let former)):
            let gap_s = (times.first - formerTimes.latest).seconds
            filter.takeOver(former, gap_s: gap_s, timeConstant_s: timeConstant_s)
            memory = .kalman(filter)
        default:
            break
        }
    }
}

/// An exponentially weighted mean over time (`ewma`).
///
/// Every reading stands for the time since the one before it. It weighs 1 − exp(−Δt / τ), and the state before weighs
/// exp(−Δt / τ). Twice as many packets repeat the level twice as often; they don't count twice.
///
/// The first reading has none before it. It stands for `firstSpan_s`, and the weights are divided by their sum. So the
/// beginning is the mean of all readings, not the first reading for a whole time constant. Readings of one instant
/// share its weight.
struct ExponentialFilter: Sendable {
    /// The span of the first reading: 100 ms, the advertising interval that iBeacon asks for.
    static let firstSpan_s = 0.1

    /// The mean of all readings before the newest instant, and its weight as of that instant.
    private var earlier = 0.0
    private var earlierWeight = 0.0
    /// The mean of the newest instant's readings, and their common weight.
    private var latest: Double
    private var latestWeight: Double
    /// The mean of the first instant's readings, which a take-over weighs anew.
    private var first: Double

    init(_ reading: Double, timeConstant_s: Double) {
        latest = reading
        first = reading
        latestWeight = Self.weight(ofSpan_s: Self.firstSpan_s, timeConstant_s)
    }

    var mean: Double { earlier + latestWeight / (earlierWeight + latestWeight) * (latest - earlier) }

    mutating func add(
        _ reading: Double, at place: ReadingTimes.Place, of times: ReadingTimes, timeConstant_s: Double
    ) {
        if place.elapsed_s <= 0 {
            latest += (reading - latest) / place.count
            if times.isOneInstant { first = latest }
        } else {
            earlier = mean
            let weight = Self.weight(ofSpan_s: place.elapsed_s, timeConstant_s)
            // Up to a half the difference is as exact as the exponential, and saves computing it.
            let kept = weight < 0.5 ? 1 - weight : Self.kept(after_s: place.elapsed_s, timeConstant_s)
            earlierWeight = (earlierWeight + latestWeight) * kept
            latestWeight = weight
            latest = reading
        }
    }

    /// Adds the former state. The sum of weighted readings is linear, so the past is added below the own readings. The
    /// first own reading, which was not the beacon's first, gets the weight of the gap before it.
    mutating func takeOver(
        _ former: ExponentialFilter, of formerTimes: ReadingTimes, own times: ReadingTimes, timeConstant_s: Double
    ) {
        let gap_s = max(0, (times.first - formerTimes.latest).seconds)
        let sinceFirst_s = max(0, (times.latest - times.first).seconds)
        let formerWeight =
            (former.earlierWeight + former.latestWeight) * Self.kept(after_s: gap_s + sinceFirst_s, timeConstant_s)
        let weightOfGap = Self.weight(ofSpan_s: gap_s, timeConstant_s)
        if times.isOneInstant {
            (earlier, earlierWeight) = (former.mean, formerWeight)
            latestWeight = weightOfGap
        } else {
            let changeOfFirst = weightOfGap - Self.weight(ofSpan_s: Self.firstSpan_s, timeConstant_s)
            let correction = changeOfFirst * Self.kept(after_s: sinceFirst_s, timeConstant_s)
            let weight = earlierWeight + correction + formerWeight
            guard weight > 0 else { return }
            earlier = (earlier * earlierWeight + first * correction + former.mean * formerWeight) / weight
            earlierWeight = weight
        }
    }

    /// exp(−t / τ)
    private static func kept(after_s: Double, _ timeConstant_s: Double) -> Double { .exp(-after_s / timeConstant_s) }

    /// 1 − exp(−t / τ), exact for short spans too.
    private static func weight(ofSpan_s: Double, _ timeConstant_s: Double) -> Double {
        -.expMinusOne(-ofSpan_s / timeConstant_s)
    }
}

/// A Kalman filter for a level that wanders at random (`kalman`).
///
/// Only the ratio of the two noises matters, so the noise of a reading is the unit. Its variance is 1, and the level's
/// own variance grows by 1 / τ² a second. With one reading a second, the settled filter is an exponential mean of time
/// constant τ. With f readings a second it settles at τ / √f, because more readings show more. The filter starts as the
/// plain mean. After a silence, the next reading weighs more the longer the silence was.
///
/// The filter also estimates the level at its first reading (a fixed-point smoother: two numbers and their covariance).
/// That allows an exact take-over without keeping the readings.
struct KalmanFilter: Sendable {
    private(set) var level: Double
    /// The variance of `level`, in units of a reading's. Just after a reading it equals the weight of that reading.
    private(set) var variance = 1.0
    /// The current estimate of the level at the first reading, its variance, and its covariance with `level`.
    private var first: Double
    private var firstVariance = 1.0
    private var covariance = 1.0

    init(_ reading: Double) {
        level = reading
        first = reading
    }

    /// - Parameter after_s: the time since the newest reading before; values up to 0 count as no time.
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

    /// Discards most of the state because the level has moved. The rest counts as a mean of `readings` readings.
    mutating func weaken(to readings: Double) { variance = max(variance, 1 / readings) }

    /// Adds the predecessor's state, grown uncertain over the gap, as a measurement of the level at the first reading.
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
