import RealModule

/// A smoothed level in the unit of its filter. It is converted to dBm only on demand: the logarithm costs more than the
/// filter, and the level of most reports is never read.
package struct SignalLevel: Equatable, Sendable {
    /// The range of RSSI in HCI. Readings beyond it are clamped. dBm.
    static let range_dbm = -127.0...20.0

    private let reading: Double
    private let scale: SignalScale

    init(_ reading: Double, _ scale: SignalScale) {
        self.reading = reading
        self.scale = scale
    }

    init(rssi_dbm: Double) { self.init(rssi_dbm, .decibels) }

    var rssi_dbm: Double { scale.rssi_dbm(reading) }

    /// Returns whether the level reaches a threshold. No level is weaker than the weakest reading.
    func isAtLeast(_ threshold_dbm: Double) -> Bool {
        threshold_dbm <= Self.range_dbm.lowerBound || rssi_dbm >= threshold_dbm
    }

    /// Returns a reading clamped to the range; `nil` for NaN.
    static func held(_ rssi_dbm: Double) -> Double? {
        rssi_dbm.isNaN ? nil : min(max(rssi_dbm, range_dbm.lowerBound), range_dbm.upperBound)
    }
}

extension Array where Element == Double {
    /// The middle value, or the mean of the two in the middle; `nil` without values.
    var median: Double? {
        if isEmpty { return nil }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

extension SignalLevel: Comparable {
    package static func < (left: SignalLevel, right: SignalLevel) -> Bool { left.rssi_dbm < right.rssi_dbm }
}

/// The quantity that a filter averages.
///
/// Decibels are logarithms, so averaging before and after the logarithm differs. Fading cuts deep, narrow holes into a
/// signal and never raises it far above its mean. A mean of decibels falls into each of those holes; a mean of field
/// strengths hardly changes.
enum SignalScale: Hashable, Sendable {
    /// The readings in dBm. Shadowing by shelves and bodies is symmetric in decibels, and measured powers are given in
    /// dBm. So distances use this scale.
    case decibels
    /// The amplitude of the field, 10^(dBm / 20). It shows best which of several places a beacon is in, so regions use
    /// this scale.
    case fieldStrength

    /// - Parameter rssi_dbm: within `SignalLevel.range_dbm`.
    func reading(_ rssi_dbm: Double) -> Double {
        switch self {
        case .decibels: rssi_dbm
        case .fieldStrength: Self.fieldStrength(rssi_dbm)
        }
    }

    private static func fieldStrength(_ rssi_dbm: Double) -> Double {
        // Controllers measure whole decibels. Only an offset with a fraction leads past this table.
        let whole = Int(rssi_dbm)
        guard Double(whole) == rssi_dbm, wholeDecibels.indices.contains(whole + 127) else {
            return .exp10(rssi_dbm / 20)
        }
        return wholeDecibels[whole + 127]
    }

    /// The field strengths of −127 to 20 dBm.
    private static let wholeDecibels = InlineArray<148, Double> { .exp10(Double($0 - 127) / 20) }

    /// Converts back to dBm, rounded to a millionth of a decibel. A level that was converted there and back must not
    /// end just below a threshold that it equals.
    func rssi_dbm(_ reading: Double) -> Double {
        switch self {
        case .decibels: reading
        case .fieldStrength: (.log10(reading) * 20_000_000).rounded() / 1_000_000
        }
    }
}

/// The current level and the scatter of the readings, which distinguish a step from chance.
///
/// A filter calm enough for a beacon on a shelf follows a beacon that is carried past half a minute late. So a quick
/// mean runs beside it. Once the two differ by more than a turning body and the scatter of this place explain, the
/// level has stepped. The calm filter then continues from the quick one.
struct QuickLevel: Sendable {
    /// The time constant of the quick mean, seconds. At four readings a second it follows within 2 s, at one within 4
    /// s.
    static let timeConstant_s = 4.0
    /// The least difference of the two means for a step. A turning body moves a level by 5 to 10 dB, a walk across a
    /// room by more. The calm level follows a step as well, so this is a step of 10 dB. dB.
    static let leastStep_db = 7.0
    /// The least difference in standard deviations of a reading. Where readings scatter, bodies and standing waves move
    /// the means further, and the quick mean varies by chance.
    static let leastStep_sigmas = 2.5
    /// The weight of the quick level after a step, in readings: it is still moving.
    private static let worth = 2.0
    /// The scatter assumed before the first reading, which counts as one reading. dB.
    private static let usualScatter_db = 4.0
    /// The number of readings that the mean of the scatter looks back.
    private static let memory: Float = 32

    private(set) var filter = KalmanFilter(0)
    /// The variance of one reading. dB².
    private(set) var scatter = usualScatter_db * usualScatter_db
    /// The number of readings in the mean of the scatter.
    private var count: Float = 1
    /// The last two readings, in hundredths of a dBm: there are 100,000 transmitters.
    private var (latest, previous): (Int16, Int16) = (0, 0)
    private var latest_dbm: Double { Double(latest) / 100 }
    private var previous_dbm: Double { Double(previous) / 100 }

    /// Adds one reading, within `SignalLevel.range_dbm`.
    mutating func add(_ rssi_dbm: Double, at place: ReadingTimes.Place) {
        defer { (latest, previous) = (Int16(clamping: Int((rssi_dbm * 100).rounded())), latest) }
        guard !place.isFirst else {
            filter = KalmanFilter(rssi_dbm)
            return
        }
        filter.add(rssi_dbm, after_s: place.elapsed_s, timeConstant_s: Self.timeConstant_s)
        // The difference of two consecutive readings has twice the variance of one, and a step is in one difference
        // only (von Neumann). Deviations from the mean would take the readings after a step for scatter, and hide it.
        let difference = rssi_dbm - latest_dbm
        if count < Self.memory { count += 1 }
        scatter += (difference * difference / 2 - scatter) / Double(count)
    }

    /// Continues the state of the beacon's former address. Both have readings.
    mutating func takeOver(_ former: QuickLevel, gap_s: Double) {
        filter.takeOver(former.filter, gap_s: gap_s, timeConstant_s: Self.timeConstant_s)
        let sum = count + former.count
        scatter += (former.scatter - scatter) * Double(former.count / sum)
        count = min(Self.memory, sum)
    }

    /// The state from which a calm filter continues after a step.
    var afterStep: KalmanFilter {
        var filter = filter
        filter.weaken(to: Self.worth)
        return filter
    }

    /// Returns whether the level has stepped away from the calm filter of the readings.
    func hasStepped(from calm: KalmanFilter, timeConstant_s: Double) -> Bool {
        let apart_db = filter.level - calm.level
        // One reading is no step: after a silence it is nearly all of the quick mean.
        guard isBeyond(latest_dbm, apart_db, calm), isBeyond(previous_dbm, apart_db, calm) else { return false }
        // A settled calm filter is more certain than the quick one. Soon after a step or a silence it is less certain.
        // Then it follows by itself and keeps the two together, so a smaller difference already shows a step.
        let doubt = max(1, calm.variance * timeConstant_s / (filter.variance * Self.timeConstant_s))
        let squared = apart_db * apart_db * doubt
        return squared > Self.leastStep_db * Self.leastStep_db
            && squared > Self.leastStep_sigmas * Self.leastStep_sigmas * scatter
    }

    /// Returns whether a reading is off to that side by more than half of the least step.
    private func isBeyond(_ reading_dbm: Double, _ side_db: Double, _ calm: KalmanFilter) -> Bool {
        let off_db = reading_dbm - calm.level
        return side_db > 0 ? off_db > Self.leastStep_db / 2 : off_db < -Self.leastStep_db / 2
    }
}

/// The fall of a level, and the part of it that counts as shade.
///
/// Bodies and standing waves weaken a signal and hardly ever strengthen it. So the stronger of two levels says more
/// about the distance. A fall since then counts as distance only in part, up to the loss by a body.
struct Shade: Sendable {
    /// The part of a fall that counts as shade.
    static let share = 0.25
    /// The typical time for which a person stands in the way. The fall is forgotten at this pace. Seconds.
    static let patience_s = 600.0
    /// The most that a body takes. A fall beyond it is distance. dB.
    static let deepest_db = 10.0

    /// The fall below the best recent level, 0 to `deepest_db`, dB.
    private(set) var fallen_db: Float = 0
    /// The time since the first reading, at most `patience_s`.
    private(set) var heard_s: Float = 0

    /// The correction added to the level. dB.
    var lift_db: Double { Self.share * Double(fallen_db) }

    /// Follows the level after a reading.
    ///
    /// - Parameters:
    /// - by_db: the rise of the level; negative for a fall.
    /// - after_s: the time since the newest reading before; values up to 0 count as no time.
    mutating func move(by_db: Double, after_s: Double) {
        let elapsed_s = max(0, after_s)
        // A best level as old as all readings is worth no more than their mean.
        let memory_s = min(Self.patience_s, Double(heard_s) + elapsed_s)
        let kept = memory_s > 0 ? 1 - min(1, elapsed_s / memory_s) : 1
        self = Shade(fallen_db: (Double(fallen_db) - by_db) * kept, heard_s: memory_s)
    }

    /// Continues the state of the beacon's former address, with the better of the two best levels.
    ///
    /// - Parameter level_db: the level after the take-over; `former_db` and `own_db` are the levels before it.
    mutating func takeOver(
        _ former: Shade, gap_s: Double, from former_db: Double, _ own_db: Double, to level_db: Double
    ) {
        let best_db = max(former_db + Double(former.fallen_db), own_db + Double(fallen_db))
        self = Shade(
            fallen_db: best_db - level_db,
            heard_s: min(Self.patience_s, Double(former.heard_s) + max(0, gap_s) + Double(heard_s)))
    }
}

extension Shade {
    private init(fallen_db: Double, heard_s: Double) {
        self.fallen_db = Float(min(max(0, fallen_db), Self.deepest_db))
        self.heard_s = Float(heard_s)
    }
}

/// The times of a transmitter's readings. All of its filters share them.
struct ReadingTimes: Sendable {
    /// The place of a reading among those before it.
    struct Place {
        var isFirst: Bool
        /// The time since the newest instant before it. Values up to 0 count as that instant.
        var elapsed_s: Double
        /// The number of readings of its instant so far.
        var count: Double
    }

    /// The first instant and the newest.
    private(set) var first = Instant.origin
    private(set) var latest = Instant.origin
    /// The number of readings of the newest instant; zero before the first.
    private var count: UInt32 = 0

    var isEmpty: Bool { count == 0 }
    var isOneInstant: Bool { latest == first }

    /// Adds the time of a reading.
    ///
    /// - Parameter lookBack_s: a reading that is late by more than this means that the clock was set back. The state is
    ///   kept and goes on from there.
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
