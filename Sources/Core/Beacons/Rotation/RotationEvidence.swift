import RealModule

/// How much speaks for a newcomer being what a silent transmitter was before: log-likelihood ratios, in nats.
///
/// Each compares "it rotated" with "it left, or is out of hearing, and the newcomer is another". What is heard says more
/// or less of each, independently, and the sum decides. None may outweigh all others: real radio does what no model
/// says, so every term has an end.
struct RotationEvidence: Sendable {
    /// One transmitter as far as pairing is concerned.
    struct Candidate: Sendable {
        /// First heard, of a newcomer; last heard, of a predecessor.
        var time: Instant
        package var level: RecentLevel.Summary?
        /// Between packets as sent, ms; 0 while it is not known.
        var interval_ms: Double
        /// Between receptions, on average, s.
        var averageGap_s: Double
        var measuredPower_dbm: Int8
        var traits: AdvertisingTraits
    }

    /// When nobody at all was heard: silence in it says nothing of anyone.
    var pauses: ReceptionPauses
    /// How many beacons of the identity are there.
    var crowd: Int
    package var now: Instant

    /// In favour of a rotation before anything is heard of how, between two beacons of one identity. The more there are,
    /// the more often one comes that was not there before, while each of them rotates as seldom as ever.
    var prior: Double { 1 - Double.log(Double(max(2, crowd)) / 2) }
    /// A wrong merge is twice as bad as a split: two thirds must speak for it.
    static let mergeCost = Double.log(2.0)

    /// Positive where it is better to take the two for one.
    func score(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        prior - Self.mergeCost + silence(predecessor) + gap(newcomer, predecessor) + level(newcomer, predecessor)
            + timing(newcomer, predecessor) + payload(newcomer, predecessor)
    }

    /// One that is heard ten times a second and is not for two is somewhere else; one that is hardly heard may be there.
    func silence(_ predecessor: Candidate) -> Double {
        let silence: TimeSpan = now - predecessor.time
        let silence_s = (silence - pauses.overlap(predecessor.time, now)).seconds
        let usual_s = 2 * predecessor.averageGap_s + 0.3
        return -Double.log(0.05 + 0.95 * Double.exp(-max(0, silence_s) / usual_s))
    }

    /// A new address is usually heard as soon as the next packet would have been; seldom after seconds. Someone else's
    /// comes at any time within `resolve_after_s`.
    func gap(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        let gap: TimeSpan = newcomer.time - predecessor.time
        let gap_s = max(0, (gap - pauses.overlap(predecessor.time, newcomer.time)).seconds)
        let usual_s = 2 * predecessor.averageGap_s + 0.3
        let density = 0.85 * Double.exp(-gap_s / usual_s) / usual_s + 0.15 * Double.exp(-gap_s / 5) / 5
        return Double.log(density * 10)
    }

    /// The same phone is about as strong just after as just before. How closely, its own scatter says: on recordings,
    /// two means two seconds apart differ by what their scatters make of so many readings, with a longer tail.
    package func level(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        guard let new = newcomer.level, let old = predecessor.level else { return 0 }
        // Few readings have little to say of their scatter: two of 5 dB are thrown in.
        let scatter = (new.variance * new.count + old.variance * old.count + 50) / (new.count + old.count + 2)
        let seconds = max(0, (newcomer.time - predecessor.time).seconds) + 2
        let variance = scatter * (1 / new.count + 1 / old.count) + 0.5 + seconds * scatter / 25
        let difference = new.mean_dbm - old.mean_dbm
        let density = 0.8 * Self.normal(difference, variance) + 0.2 * Self.normal(difference, variance + 100)
        // Anyone else's is somewhere within 30 dB.
        return Double.log(density * 30)
    }

    /// The interval goes on, and often its phase as well: every packet comes 0 to 10 ms later than the interval after the
    /// one before (Core 5.4, Vol 6, Part B, 4.4.2.2), whatever the address is, unless the host began anew for it.
    package func timing(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        let interval_ms = predecessor.interval_ms
        guard interval_ms > 0 else { return 0 }
        let gap_ms = (newcomer.time - predecessor.time).seconds * 1_000
        let intervals = max(1, (gap_ms / interval_ms).rounded())
        let deviation_ms = 2 + 3 * intervals.squareRoot() + intervals
        var evidence = 0.0
        if deviation_ms * 4 < interval_ms {
            let density = Self.normal(gap_ms - intervals * interval_ms, deviation_ms * deviation_ms)
            evidence = Double.log(0.5 + 0.5 * density * interval_ms)
        }
        if newcomer.interval_ms > 0 {
            let ratio = newcomer.interval_ms / interval_ms
            let multiple = max(ratio, 1 / ratio)
            // Lost packets make intervals look like multiples.
            if abs(multiple - multiple.rounded()) > 0.2 * multiple.squareRoot() { evidence -= 2 }
        }
        return evidence
    }

    /// What else is in its packets does not change with the address.
    package func payload(_ newcomer: Candidate, _ predecessor: Candidate) -> Double {
        (newcomer.measuredPower_dbm == predecessor.measuredPower_dbm ? 0 : -4)
            + (newcomer.traits == predecessor.traits ? 0 : -4)
    }

    private static func normal(_ difference: Double, _ variance: Double) -> Double {
        Double.exp(-difference * difference / (2 * variance)) / (2 * Double.pi * variance).squareRoot()
    }
}

/// The strength of the last four seconds or so, reading by reading: how strong, how scattered, of how many.
///
/// The filters can't say that: they look back as far as the configuration wants, and carry no scatter. Readings are
/// summed up in buckets of about a second (2²⁰ µs), so a reading costs a shift and three additions.
struct RecentLevel: Sendable {
    private struct Bucket: Sendable {
        var sum: Float = 0
        var squares: Float = 0
        package var count: Float = 0
    }

    /// What the readings of a while come to.
    struct Summary: Sendable {
        var mean_dbm: Double
        /// Of one reading about the mean, dB². One reading has none; `RotationEvidence` has a notion of its own then.
        var variance: Double
        package var count: Double
    }

    /// By the low two bits of the second.
    private var buckets = InlineArray<4, Bucket>(repeating: Bucket())

    /// - Parameter previous: when the reading before it came; `nil` where there is none.
    mutating func add(_ rssi_dbm: Double, at now: Instant, previous: Instant?) {
        let second = now.microseconds >> 20
        let latest = previous.map { $0.microseconds >> 20 }
        if second != latest { begin(second, after: latest) }
        let index = Int(truncatingIfNeeded: second & 3)
        let reading = Float(rssi_dbm)
        buckets[index].sum += reading
        buckets[index].squares += reading * reading
        buckets[index].count += 1
    }

    private mutating func begin(_ second: Int64, after latest: Int64?) {
        var passed: Int64 = 4
        if let latest, second >= latest { passed = min(4, second - latest) }
        for back in 0..<passed { buckets[Int(truncatingIfNeeded: (second - back) & 3)] = Bucket() }
    }

    /// `nil` without a reading.
    var summary: Summary? {
        var all = Bucket()
        for index in 0..<4 {
            all.sum += buckets[index].sum
            all.squares += buckets[index].squares
            all.count += buckets[index].count
        }
        guard all.count > 0 else { return nil }
        let mean = Double(all.sum / all.count)
        let count = Double(all.count)
        return Summary(mean_dbm: mean, variance: max(0, Double(all.squares) / count - mean * mean), count: count)
    }
}
