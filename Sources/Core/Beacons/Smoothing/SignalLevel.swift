import RealModule

/// A smoothed level, as its filter holds it. It becomes dBm where somebody looks at it: the logarithm costs more than the
/// filter, and most reports are of a beacon whose level nobody asks for.
package struct SignalLevel: Equatable, Sendable {
    /// The range of the HCI: readings beyond it are taken as its end. dBm.
    static let range_dbm = -127.0...20.0

    private let reading: Double
    private let scale: SignalScale

    package init(_ reading: Double, _ scale: SignalScale) {
        self.reading = reading
        self.scale = scale
    }

    package init(rssi_dbm: Double) {
        self.init(rssi_dbm, .decibels)
    }

    var rssi_dbm: Double { scale.rssi_dbm(reading) }

    /// Whether it is as strong as that. No level is weaker than the weakest reading.
    func isAtLeast(_ threshold_dbm: Double) -> Bool {
        threshold_dbm <= Self.range_dbm.lowerBound || rssi_dbm >= threshold_dbm
    }

    /// A reading within the range; `nil` for what is not a number, which is no reading.
    static func held(_ rssi_dbm: Double) -> Double? {
        rssi_dbm.isNaN ? nil : min(max(rssi_dbm, range_dbm.lowerBound), range_dbm.upperBound)
    }
}

extension SignalLevel: Comparable {
    package static func < (left: SignalLevel, right: SignalLevel) -> Bool { left.rssi_dbm < right.rssi_dbm }
}

/// What a filter averages.
///
/// Decibels are logarithms, so it matters whether the readings are averaged before or after the logarithm is taken.
/// Fading digs deep, narrow holes into a signal and never raises it far above its mean; a mean of decibels falls into
/// each of those holes, a mean of field strengths hardly notices them.
package enum SignalScale: Hashable, Sendable {
    /// The readings as they are, in dBm. Shadowing by shelves and bodies spreads evenly in decibels and measured powers
    /// are quoted in them, so this is what distances are made from.
    case decibels
    /// The amplitude of the field, 10^(dBm / 20). This is what tells which of several places a beacon is in, so it is
    /// what regions look at.
    case fieldStrength

    /// - Parameter rssi_dbm: within `SignalLevel.range_dbm`.
    func reading(_ rssi_dbm: Double) -> Double {
        switch self {
        case .decibels: rssi_dbm
        case .fieldStrength: Self.fieldStrength(rssi_dbm)
        }
    }

    private static func fieldStrength(_ rssi_dbm: Double) -> Double {
        // Controllers measure whole decibels, so all but a gateway with a broken offset finds its powers here.
        let whole = Int(rssi_dbm)
        guard Double(whole) == rssi_dbm, wholeDecibels.indices.contains(whole + 127) else {
            return .exp10(rssi_dbm / 20)
        }
        return wholeDecibels[whole + 127]
    }

    /// The field strengths of −127 to 20 dBm.
    private static let wholeDecibels = InlineArray<148, Double> { .exp10(Double($0 - 127) / 20) }

    /// The way back. Rounded to a millionth of a decibel, because a level that went there and back must not come out a
    /// hair below the threshold it stands at.
    func rssi_dbm(_ reading: Double) -> Double {
        switch self {
        case .decibels: reading
        case .fieldStrength: (.log10(reading) * 20_000_000).rounded() / 1_000_000
        }
    }
}

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

/// How far a level has fallen, and what of that is taken for shade.
///
/// Bodies and standing waves weaken a signal and hardly ever strengthen it. So of two levels that a beacon had, the stronger
/// one says more about its distance, and what the level has lost since is told as further away only in part, up to what a body
/// takes.
struct Shade: Sendable {
    /// What part of a fall is taken for shade.
    static let share = 0.25
    /// For how long somebody stands in the way, typically; what the level has fallen is forgotten at this pace. Seconds.
    static let patience_s = 600.0
    /// What a body takes at most: what a level has fallen beyond is distance. dB.
    static let deepest_db = 10.0

    /// Below the best level of late. 0 to `deepest_db`, dB.
    private var fallen_db: Float = 0
    /// Since the first reading, `patience_s` at most.
    private var heard_s: Float = 0

    /// What is added to the level. dB.
    var lift_db: Double { Self.share * Double(fallen_db) }

    /// The level has moved with a reading.
    ///
    /// - Parameters:
    ///   - by_db: how much it has risen; negative for a fall.
    ///   - after_s: since the newest reading before; what is not positive counts as no time.
    mutating func move(by_db: Double, after_s: Double) {
        let elapsed_s = max(0, after_s)
        // A best that is as old as the beacon's readings are is worth no more than their mean.
        let memory_s = min(Self.patience_s, Double(heard_s) + elapsed_s)
        let kept = memory_s > 0 ? 1 - min(1, elapsed_s / memory_s) : 1
        self = Shade(fallen_db: (Double(fallen_db) - by_db) * kept, heard_s: memory_s)
    }

    /// Goes on from the same beacon under its former address: the better of the two best levels stays.
    ///
    /// - Parameters:
    ///   - level_db: as it is after the take-over; `former_db` and `own_db` as they were before.
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
