import HCI
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

    let timeConstant_s: Double
    /// The mean of everything before the newest instant, and its weight as of that instant.
    private var earlier = 0.0
    private var earlierWeight = 0.0
    /// The newest instant: when it was, the mean and number of its readings, and the weight that they share.
    private var at = Instant.origin
    private var latest = 0.0
    private var latestCount = 0.0
    private var latestWeight = 0.0
    /// The first instant, which a take-over has to weigh anew.
    private var firstAt = Instant.origin
    private var first = 0.0

    init(timeConstant_s: Double) {
        self.timeConstant_s = timeConstant_s
    }

    var value: Double? { latestCount == 0 ? nil : mean }

    private var mean: Double { earlier + latestWeight / (earlierWeight + latestWeight) * (latest - earlier) }

    mutating func add(_ reading: Double, at now: Instant) {
        let elapsed_s = (now - at).seconds
        if latestCount == 0 {
            latestWeight = weight(ofSpan_s: Self.firstSpan_s)
            (at, latest, latestCount) = (now, reading, 1)
            (firstAt, first) = (now, reading)
        } else if elapsed_s <= 0 {
            latestCount += 1
            latest += (reading - latest) / latestCount
            if at == firstAt { first = latest }
            if elapsed_s < -timeConstant_s {
                firstAt = firstAt - (at - now)
                at = now
            }
        } else {
            earlier = mean
            earlierWeight = (earlierWeight + latestWeight) * kept(after_s: elapsed_s)
            latestWeight = weight(ofSpan_s: elapsed_s)
            (at, latest, latestCount) = (now, reading, 1)
        }
    }

    /// The sum of weighted readings is linear, so the past is put in beneath what came since, and the first reading,
    /// which turns out not to have been the first, gets the weight of the gap before it.
    mutating func takeOver(_ former: ExponentialFilter) {
        guard timeConstant_s == former.timeConstant_s, former.latestCount > 0 else { return }
        guard latestCount > 0 else {
            self = former
            return
        }
        let gap_s = max(0, (firstAt - former.at).seconds)
        let sinceFirst_s = max(0, (at - firstAt).seconds)
        let formerWeight = (former.earlierWeight + former.latestWeight) * kept(after_s: gap_s + sinceFirst_s)
        if at == firstAt {
            (earlier, earlierWeight) = (former.mean, formerWeight)
            latestWeight = weight(ofSpan_s: gap_s)
        } else {
            let changeOfFirst = weight(ofSpan_s: gap_s) - weight(ofSpan_s: Self.firstSpan_s)
            let correction = changeOfFirst * kept(after_s: sinceFirst_s)
            let weight = earlierWeight + correction + formerWeight
            guard weight > 0 else { return }
            earlier = (earlier * earlierWeight + first * correction + former.mean * formerWeight) / weight
            earlierWeight = weight
        }
    }

    /// exp(−t / τ)
    private func kept(after_s: Double) -> Double { .exp(-after_s / timeConstant_s) }

    /// 1 − exp(−t / τ), exact for short spans too.
    private func weight(ofSpan_s: Double) -> Double { -.expMinusOne(-ofSpan_s / timeConstant_s) }
}
