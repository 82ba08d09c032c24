import RealModule

/// An exponentially weighted mean over time (`ewma`).
///
/// Every reading stands for the time since the one before it, so it weighs 1 − exp(−Δt / τ), and what was known before
/// weighs exp(−Δt / τ). Twice as many packets say the same level twice as often; they do not say it louder.
///
/// The first reading has none before it. It stands for `firstSpan_s`, and the weights are divided by their sum, so that
/// the beginning is the mean of what was heard and not the first reading for a whole time constant. Readings of one
/// instant share its weight.
struct ExponentialFilter: Sendable {
    /// What the first reading stands for: 100 ms, the advertising interval that iBeacon asks for.
    static let firstSpan_s = 0.1

    /// The mean of everything before the newest instant, and its weight as of that instant.
    private var earlier = 0.0
    private var earlierWeight = 0.0
    /// The mean of the newest instant's readings, and the weight that they share.
    private var latest: Double
    private var latestWeight: Double
    /// The mean of the first instant's, which a take-over has to weigh anew.
    private var first: Double

    /// Begins with one reading.
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
            // Up to a half the difference is as exact as the exponential, and spares it.
            let kept = weight < 0.5 ? 1 - weight : Self.kept(after_s: place.elapsed_s, timeConstant_s)
            earlierWeight = (earlierWeight + latestWeight) * kept
            latestWeight = weight
            latest = reading
        }
    }

    /// The sum of weighted readings is linear, so the past is put in beneath what came since, and the first reading,
    /// which turns out not to have been the first, gets the weight of the gap before it.
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
